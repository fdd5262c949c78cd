/**
 * A UTF-8 decoder that removes a byte order mark. Shared by all calls, because it has no state outside streaming mode.
 */
const utf8 = new TextDecoder();

/** Decodes the chunks of a body as UTF-8, and removes a byte order mark. */
export function decodeText(chunks: readonly Uint8Array[]): string {
  return utf8.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
}

/** Reads a body as UTF-8 text. Resolves to undefined if the body exceeds `maxBytes`. Rejects with the network error. */
export async function readText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return decodeText(chunks);
}
