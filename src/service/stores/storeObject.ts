import * as z from 'zod/mini';

/** Describes an object of a store. */
export interface StoreObject {
  readonly path: string;
  readonly bytes: number;
  /** Hex, by the names of the algorithms; empty if the store has none for the object. */
  readonly hashes: Readonly<Record<string, string>>;
}

const listedObjectSchema = z.object({
  Path: z.string(),
  Size: z.number(),
  Hashes: z.nullish(z.record(z.string(), z.string())),
});

/** Converts an object as rclone describes it; undefined if it isn't one. */
export function toStoreObject(item: unknown): StoreObject | undefined {
  const parsed = z.safeParse(listedObjectSchema, item);
  if (!parsed.success) return undefined;
  const { Path, Size, Hashes } = parsed.data;
  return { path: Path, bytes: Size, hashes: Hashes ?? {} };
}
