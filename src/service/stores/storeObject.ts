import * as z from 'zod/mini';

/** An object in a store. */
export interface StoreObject {
  readonly path: string;
  readonly bytes: number;
  /** Hex digests by algorithm; empty if none was requested or the store has none for the object. */
  readonly hashes: Readonly<Record<string, string>>;
}

const listedObjectSchema = z.object({
  Path: z.string(),
  Size: z.number(),
  Hashes: z.nullish(z.record(z.string(), z.string())),
});

/** Parses rclone's description of an object; undefined if it is invalid. */
export function toStoreObject(item: unknown): StoreObject | undefined {
  const parsed = z.safeParse(listedObjectSchema, item);
  if (!parsed.success) return undefined;
  const { Path, Size, Hashes } = parsed.data;
  return { path: Path, bytes: Size, hashes: Hashes ?? {} };
}
