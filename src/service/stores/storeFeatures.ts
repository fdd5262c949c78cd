import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { parseJsonObject } from '../../core/util/json.ts';
import { DatabaseUnavailableError } from '../catalog/databaseUnavailableError.ts';
import { collectOutput, startRclone } from './rcloneProgram.ts';
import { describeStoreFailure, getRemoteName, joinRemotePath } from '../../core/util/remote.ts';

const featuresSchema = z.object({
  Name: z.optional(z.string()),
  String: z.optional(z.string()),
  Hashes: z.nullish(z.array(z.string())),
  Precision: z.nullish(z.number()),
  Features: z.object({
    Command: z.optional(z.boolean()),
    Copy: z.optional(z.boolean()),
    GetTier: z.optional(z.boolean()),
    ListR: z.optional(z.boolean()),
    Move: z.optional(z.boolean()),
    SlowHash: z.optional(z.boolean()),
    SlowModTime: z.optional(z.boolean()),
    UnWrap: z.optional(z.boolean()),
  }),
});

/**
 * The modification times that a store keeps for objects that are sent to it. SFTP counts 32 bits of seconds, from 1970
 * to 2106 (`from1970`). Stores that can't move objects, such as S3, have to copy an object to set its time (`copied`).
 */
export type KeptTimes = 'all' | 'copied' | 'from1970' | 'none';

/** The features of a store that determine how its objects are listed, copied and verified. */
export interface StoreFeatures {
  /** Name of the remote or, for an alias, of the store behind it. */
  readonly name: string;
  /** Kind and location of the store, such as `S3 bucket lab`. */
  readonly description: string;
  /** The hash algorithms that both the store and the service support, in order of preference. */
  readonly hashes: readonly string[];
  /** True if a listing can include the hashes without additional requests. */
  readonly hasListedHashes: boolean;
  /** False if getting original modification times takes a request per object; listings then contain upload times. */
  readonly hasListedTimes: boolean;
  /** False for an S3 store whose listings lack storage classes, which another command then has to list. */
  readonly hasListedClasses: boolean;
  /** True if a listing isn't made folder by folder; leaving out folders then saves no time. */
  readonly hasFlatListing: boolean;
  readonly keptTimes: KeptTimes;
  /** True if the store can rename an object without transferring its content through rclone. */
  readonly canRename: boolean;
  /** True if the store supports server-side copies. */
  readonly canCopy: boolean;
  /** True if rclone has commands for this kind of store, such as the one that restores objects. */
  readonly hasCommands: boolean;
}

/** Less than the precision, in nanoseconds, that rclone states for a store that keeps no times. */
const noPrecision = 1e18;

/** The precision of SFTP, in nanoseconds. */
const secondPrecision = 1e9;

/** Matches the stores that wrap others and don't have the feature of other wrappers. */
const combinations = /^(?:combine|union) /;

const preferredHashes = ['sha256', 'md5', 'sha1'] as const;

/** Reads a store's features, often by connecting. Throws {@link DatabaseUnavailableError}. */
export async function readStoreFeatures(program: string, remote: string, signal: AbortSignal): Promise<StoreFeatures> {
  const run = async (args: readonly string[]) =>
    await collectOutput(startRclone(program, [...args, '--', remote]), signal);
  const { code, text, errors } = await run(['backend', 'features']);
  const features = code === 0 ? parseStoreFeatures(parseJsonObject(text)) : undefined;
  if (features !== undefined) return features;
  // rclone 1.75 says this of a prefix in a bucket whose server it can't reach.
  const listed = errors.includes('is a file not a directory') ? await run(['lsjson']) : undefined;
  throw new DatabaseUnavailableError(describeStoreFailure(listed?.errors ?? errors, remote));
}

/** Parses rclone's description of a store; undefined if it is invalid. */
export function parseStoreFeatures(document: unknown): StoreFeatures | undefined {
  const parsed = z.safeParse(featuresSchema, document);
  if (!parsed.success) return undefined;
  const { Name: name = '', String: description = '', Hashes, Features, Precision } = parsed.data;
  // Most wrappers, such as `chunker`, don't say that a store behind them is slow.
  const isWrapper = Features.UnWrap === true || combinations.test(description);
  const mayBeSftp = description.startsWith('sftp://') || (isWrapper && Precision === secondPrecision);
  const movableTimes = mayBeSftp ? 'from1970' : 'all';
  const keptTimes = Features.Move === true ? movableTimes : 'copied';
  return {
    name,
    description,
    hashes: preferredHashes.filter((name) => Hashes?.includes(name)),
    hasListedHashes: Features.SlowHash !== true && !isWrapper,
    hasListedTimes: Features.SlowModTime !== true && !isWrapper,
    hasListedClasses: Features.GetTier !== false || Features.Command !== true || !description.startsWith('S3 '),
    hasFlatListing: Features.ListR === true,
    keptTimes: (Precision ?? noPrecision) < noPrecision ? keptTimes : 'none',
    canCopy: Features.Copy === true,
    hasCommands: Features.Command === true,
    canRename: Features.Copy === true || Features.Move === true,
  };
}

/** Returns a modification time in milliseconds since 1970; undefined if it is unknown or the store can't keep it. */
export function findKeptTime(kept: KeptTimes | undefined, modifiedMs: number | undefined): number | undefined {
  if (modifiedMs === undefined || kept === undefined || kept === 'none') return undefined;
  return kept !== 'from1970' || (modifiedMs >= 0 && modifiedMs < 2 ** 32 * 1_000) ? modifiedMs : undefined;
}

/** Returns a modification time; undefined for those that rclone gives objects whose store reports none. */
export function findKnownTime(modifiedMs: number): number | undefined {
  return modifiedMs > firstTimeMs && modifiedMs !== 0 ? modifiedMs : undefined;
}

/** The first day of 1800. Times without a year, which rclone writes as the first one, come before it. */
const firstTimeMs = Date.UTC(1800);

/** Returns a reported modification time, unless it may be another: SFTP shows those before 1970 after 2038. */
export function findReportedTime(kept: KeptTimes | undefined, modifiedMs: number | undefined): number | undefined {
  const mayDiffer = kept === 'from1970' && modifiedMs !== undefined && modifiedMs >= 2 ** 31 * 1_000;
  return mayDiffer ? undefined : modifiedMs;
}

/** Returns true for an S3 store itself, not an alias, which ignores the options of the store behind it. */
export function isS3(remote: string, { name, description }: StoreFeatures): boolean {
  return description.startsWith('S3 ') && name === getRemoteName(remote);
}

/** Returns true for the files that a web server offers. */
export function isWeb({ description }: StoreFeatures): boolean {
  return /^https?:/.test(description);
}

/**
 * Returns a folder or bucket that doesn't exist; undefined for some kinds of stores. A server that seems to list it
 * doesn't answer as a store: rclone takes a sign-in page for an empty listing.
 */
export function findAbsentRemote(remote: string, features: StoreFeatures): string | undefined {
  const name = `dts-${randomUUID()}`;
  if (isS3(remote, features)) return `${getRemoteName(remote)}:${name}`;
  const isShare = features.description.startsWith('webdav root');
  return isShare || isWeb(features) ? joinRemotePath(remote, name) : undefined;
}

/**
 * Options for copying objects within a store and for listing the copies. Where possible, they ensure that the reported
 * hashes are computed from the content.
 */
export interface CopyVerification {
  /** rclone options for the remotes that objects are copied from and to. */
  readonly copyOptions: string;
  /** rclone options for the remote that contains the listed copies. */
  readonly listOptions: string;
  /** False if a hash may come from metadata that was set by the uploader and is inherited by copies. */
  readonly hasOwnHashes: boolean;
}

/** Matches rclone's descriptions of the stores that compute the hash of each object. */
const hashingStores = /^(?:GCS|Swift|Google drive|box|pcloud) /;
/** Matches those of the other stores whose copies are objects of their own. */
const copyingStores = /^(?:S3|Azure|B2|OneDrive|Dropbox) /;

/**
 * Verification of S3 copies. The ETag of an object that S3 copies in one piece is its MD5, unless the object is
 * encrypted with a managed or customer-provided key. The listing clears the encryption options, because with them
 * rclone reports a hash from the uploader's metadata instead. An ETag that isn't an MD5 never equals the expected hash.
 */
const s3Verification: CopyVerification = {
  // The largest size that S3 copies in one piece is 5 GiB.
  copyOptions: 'copy_cutoff=4608Mi',
  listOptions: 'server_side_encryption=,sse_customer_algorithm=,sse_customer_key=,sse_customer_key_base64=',
  hasOwnHashes: true,
};

/**
 * Returns the options for verifying copies within a remote; undefined for a store that can't copy, or whose copies may
 * be links to their originals (D66: copies within a store).
 */
export function chooseVerification(remote: string, features: StoreFeatures): CopyVerification | undefined {
  if (!features.canCopy) return undefined;
  if (isS3(remote, features)) return s3Verification;
  const hasOwnHashes = hashingStores.test(features.description);
  if (!hasOwnHashes && !copyingStores.test(features.description)) return undefined;
  return { copyOptions: '', listOptions: '', hasOwnHashes };
}
