import * as z from 'zod/mini';
import { parseJsonObject } from '../../core/util/json.ts';
import { DatabaseUnavailableError } from '../catalog/databaseUnavailableError.ts';
import { collectOutput, startRclone } from './rcloneProgram.ts';
import { describeStoreFailure, getRemoteName } from '../../core/util/remote.ts';

const featuresSchema = z.object({
  Name: z.optional(z.string()),
  String: z.optional(z.string()),
  Hashes: z.nullish(z.array(z.string())),
  Features: z.object({
    Command: z.optional(z.boolean()),
    Copy: z.optional(z.boolean()),
    Move: z.optional(z.boolean()),
    SlowHash: z.optional(z.boolean()),
    SlowModTime: z.optional(z.boolean()),
  }),
});

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
  /** True if the store can rename an object without transferring its content through rclone. */
  readonly canRename: boolean;
  /** True if the store supports server-side copies. */
  readonly canCopy: boolean;
  /** True if rclone has commands for this kind of store, such as the one that restores objects. */
  readonly hasCommands: boolean;
}

const preferredHashes = ['sha256', 'md5', 'sha1'] as const;

/**
 * Reads a store's features. For most kinds of stores, this requires a connection. Throws {@link
 * DatabaseUnavailableError} if the features can't be read.
 */
export async function readStoreFeatures(program: string, remote: string, signal: AbortSignal): Promise<StoreFeatures> {
  const child = startRclone(program, ['backend', 'features', '--', remote]);
  const { code, text, errors } = await collectOutput(child, signal);
  const features = code === 0 ? parseStoreFeatures(parseJsonObject(text)) : undefined;
  if (features === undefined) throw new DatabaseUnavailableError(describeStoreFailure(errors, remote));
  return features;
}

/** Parses rclone's description of a store; undefined if it is invalid. */
export function parseStoreFeatures(document: unknown): StoreFeatures | undefined {
  const parsed = z.safeParse(featuresSchema, document);
  if (!parsed.success) return undefined;
  const { Name: name = '', String: description = '', Hashes, Features } = parsed.data;
  return {
    name,
    description,
    hashes: preferredHashes.filter((name) => Hashes?.includes(name)),
    hasListedHashes: Features.SlowHash !== true,
    hasListedTimes: Features.SlowModTime !== true,
    canCopy: Features.Copy === true,
    hasCommands: Features.Command === true,
    canRename: Features.Copy === true || Features.Move === true,
  };
}

/**
 * Returns true if a remote is itself an S3 store. Returns false for an alias of one, because an alias ignores the
 * options for the store behind it.
 */
export function isS3(remote: string, { name, description }: StoreFeatures): boolean {
  return description.startsWith('S3 ') && name === getRemoteName(remote);
}
