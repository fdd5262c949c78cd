import { Readable } from 'node:stream';

type Chunks = readonly Uint8Array[];

/** Decodes UTF-8 and removes a byte order mark. Can be shared, because it never decodes in streaming mode. */
const utf8 = new TextDecoder();

/** Reads a body as UTF-8 text; undefined if it exceeds `maxBytes`. Rejects with the network error. */
export async function readText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string | undefined> {
  const chunks =
    body instanceof Readable ? await readWithListeners(body, maxBytes) : await readByIterating(body, maxBytes);
  return chunks && utf8.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
}

/** Reads a body with event listeners, because async iteration is slow for small responses. */
async function readWithListeners(body: Readable, maxBytes: number): Promise<Chunks | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  return await new Promise((resolve, reject) => {
    body.on('data', (chunk: Uint8Array) => {
      size += chunk.byteLength;
      chunks.push(chunk);
      if (size <= maxBytes) return;
      resolve(undefined);
      body.destroy();
    });
    body.once('end', () => resolve(chunks));
    body.on('error', reject);
  });
}

async function readByIterating(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Chunks | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return chunks;
}
