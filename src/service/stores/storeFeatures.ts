import * as z from 'zod/mini';
import { parseJsonObject } from '../../core/util/json.ts';
import { DatabaseUnavailableError } from '../catalog/databaseUnavailableError.ts';
import { startRclone } from './rcloneChild.ts';
import { collectOutput } from './rcloneOutput.ts';
import { describeStoreFailure } from '../../core/util/storeProblem.ts';

const featuresSchema = z.object({
  Hashes: z.nullish(z.array(z.string())),
  Features: z.object({
    Copy: z.optional(z.boolean()),
    SlowHash: z.optional(z.boolean()),
    SlowModTime: z.optional(z.boolean()),
  }),
});

/** The features of a store that determine how it is listed and verified. */
export interface StoreFeatures {
  /** The hashes that the store and Node.js share, the preferred one first. */
  readonly hashes: readonly string[];
  /** True if a listing contains the hashes without more requests. */
  readonly hasListedHashes: boolean;
  /** False if each original time takes a request; the listing then has the times of the uploads. */
  readonly hasListedTimes: boolean;
  readonly canCopy: boolean;
}

const preferredHashes = ['sha256', 'md5', 'sha1'] as const;

/**
 * Reads the features of a store. This connects to most kinds of stores. Throws {@link DatabaseUnavailableError} if that
 * fails.
 */
export async function readStoreFeatures(program: string, remote: string, signal: AbortSignal): Promise<StoreFeatures> {
  const child = startRclone(program, ['backend', 'features', '--', remote]);
  const { code, text, errors } = await collectOutput(child, signal);
  const parsed = z.safeParse(featuresSchema, parseJsonObject(text));
  if (code !== 0 || !parsed.success) throw new DatabaseUnavailableError(describeStoreFailure(errors, remote));
  const { Hashes, Features } = parsed.data;
  return {
    hashes: selectSharedHashes(Hashes ?? []),
    hasListedHashes: Features.SlowHash !== true,
    hasListedTimes: Features.SlowModTime !== true,
    canCopy: Features.Copy === true,
  };
}

/** Returns the hashes that Node.js can compute too, the preferred one first. */
export function selectSharedHashes(names: readonly unknown[]): readonly string[] {
  return preferredHashes.filter((name) => names.includes(name));
}
