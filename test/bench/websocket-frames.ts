/** One server frame (RFC 6455, 5.2): unmasked, and here never of 64-bit length. */
export function take(
  bytes: Buffer,
): { readonly code: number; readonly text: string; readonly end: number } | undefined {
  if (bytes.length < 2) return undefined;
  const short = bytes.readUInt8(1) & 127;
  const start = short === 126 ? 4 : 2;
  if (bytes.length < start) return undefined;
  const length = short === 126 ? bytes.readUInt16BE(2) : short;
  const end = start + length;
  if (bytes.length < end) return undefined;
  return { code: bytes.readUInt8(0) & 15, text: bytes.toString('utf8', start, end), end };
}

/** A masked client frame; the mask is zero. */
export function frameOf(text: string, code = 1): Buffer {
  const body = Buffer.from(text);
  const long = body.length > 125;
  const head = Buffer.alloc(long ? 8 : 6);
  head.writeUInt8(128 | code, 0);
  head.writeUInt8(128 | (long ? 126 : body.length), 1);
  if (long) head.writeUInt16BE(body.length, 2);
  return Buffer.concat([head, body]);
}
