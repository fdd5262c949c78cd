import { Readable } from 'node:stream';

/** Without a byte order mark; without state between two texts. */
const utf8 = new TextDecoder();

/** Reads a body as UTF-8 text; undefined when it is larger than `mostBytes`. Rejects with the network's error. */
export async function readText(body: AsyncIterable<Uint8Array>, mostBytes: number): Promise<string | undefined> {
  const chunks = body instanceof Readable ? await listen(body, mostBytes) : await iterate(body, mostBytes);
  return chunks && utf8.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
}

/** To iterate over a stream costs more than all else of a small answer; to listen does not. */
async function listen(body: Readable, mostBytes: number): Promise<readonly Uint8Array[] | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  return await new Promise((resolve, reject) => {
    body.on('data', (chunk: Uint8Array) => {
      size += chunk.byteLength;
      chunks.push(chunk);
      if (size <= mostBytes) return;
      resolve(undefined);
      body.destroy();
    });
    body.once('end', () => {
      resolve(chunks);
    });
    body.on('error', reject);
  });
}

async function iterate(body: AsyncIterable<Uint8Array>, mostBytes: number): Promise<readonly Uint8Array[] | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > mostBytes) return undefined;
    chunks.push(chunk);
  }
  return chunks;
}
