/** The whole of a body as text, without a byte order mark; undefined as soon as it is longer, and the rest is never read. */
export async function readBody(body: AsyncIterable<Uint8Array>, mostBytes: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early ends the connection.
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > mostBytes) return undefined;
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks, size));
}
