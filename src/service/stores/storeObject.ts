import * as z from 'zod/mini';

/** An object in a store. */
export interface StoreObject {
  readonly path: string;
  readonly bytes: number;
  /** The requested hash, in hex; undefined if none was requested or the store has none for the object. */
  readonly hash: string | undefined;
}

const listedObjectSchema = z.object({
  Path: z.string(),
  Size: z.number(),
  Hashes: z.nullish(z.record(z.string(), z.string())),
});

/**
 * Parses rclone's description of an object, with the given algorithm's hash; undefined if the description is invalid.
 */
export function toStoreObject(item: unknown, hash?: string): StoreObject | undefined {
  const parsed = z.safeParse(listedObjectSchema, item);
  if (!parsed.success) return undefined;
  const { Path, Size, Hashes } = parsed.data;
  const hex = hash === undefined ? undefined : Hashes?.[hash];
  // rclone returns an empty hash for an object that has none.
  return { path: Path, bytes: Size, hash: hex === '' ? undefined : hex };
}
