import { readFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { RangeSource } from '../../src/core/tables/parquetBytes.ts';

const folder = join(import.meta.dirname, '..', 'fixtures', 'parquet');

/** Reads one of the Parquet files in test/fixtures/parquet. */
export function readParquet(name: string): Buffer {
  return readFileSync(join(folder, `${name}.parquet`));
}

/** A file in memory that counts the reads and the bytes that are read of it. */
export class CountedSource implements RangeSource {
  readonly totalBytes: number;
  private readonly content: Buffer;
  bytesRead = 0;
  reads = 0;

  constructor(content: Buffer) {
    this.content = content;
    this.totalBytes = content.length;
  }

  read(offset: number, limit: number): Promise<Uint8Array> {
    const bytes = this.content.subarray(offset, offset + limit);
    this.bytesRead += bytes.length;
    this.reads++;
    return Promise.resolve(bytes);
  }
}

/** Writes a large file, of which only the beginnings of its columns and dictionaries, and its footer, are on disk. */
export async function writeSparseParquet(name: 'wide' | 'large-rows' | 'default', path: string): Promise<void> {
  const text = gunzipSync(readFileSync(join(folder, `${name}.json.gz`))).toString();
  const { totalBytes, pieces } = JSON.parse(text) as { totalBytes: number; pieces: Record<string, string> };
  const file = await fs.open(path, 'w');
  await file.truncate(totalBytes);
  for (const [offset, piece] of Object.entries(pieces)) {
    const bytes = Buffer.from(piece, 'base64');
    await file.write(bytes, 0, bytes.length, Number(offset));
  }
  await file.close();
}
