/** How the bytes of a request are sent. */
export type Wire =
  | 'whole'
  /** With event loop turns between the pieces. */
  | 'pieces'
  /** Chunked body. */
  | 'chunks'
  /** A second request in the same bytes. */
  | 'pipelined'
  /** A body shorter than announced; then FIN. */
  | 'short'
  /** An invalid chunk size. */
  | 'badChunks'
  /** Two lengths. */
  | 'twoLengths';

export interface FuzzRequest {
  readonly operation: string;
  readonly method: string;
  /** As on the request line, without the query. */
  readonly path: string;
  /** `name=value`, encoded as sent. */
  readonly query: readonly string[];
  /** In addition to connection and length. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** One character per byte where it is not text. */
  readonly body: string | null;
  readonly isBytes?: boolean;
  readonly wire: Wire;
}

/** Values of the running service by kind; `~kind.n~` in a request is replaced by one. */
export type Words = Readonly<Record<string, readonly string[]>>;

const NAME = /~(\w+)\.(\d+)~/g;

export function withWords(text: string, words: Words): string {
  return text.replace(NAME, (all, kind: string, index: string) => {
    const [same, other] = [words[kind], words[kind.toLowerCase()]];
    const known = same ?? other;
    const word = known?.[Number(index) % Math.max(1, known.length)];
    if (word === undefined) return all;
    // A placeholder in capitals gives the word in capitals.
    return same === undefined ? word.toUpperCase() : word;
  });
}

export function targetOf(request: FuzzRequest): string {
  return request.query.length === 0 ? request.path : `${request.path}?${request.query.join('&')}`;
}

/** Instead of a header: the request has no Host. */
export const NO_HOST = '(no host)';

const AFTER = 'GET /lives HTTP/1.1\r\nHost: fuzz\r\n\r\n';

/** In the pieces to send. */
export function bytesOf(request: FuzzRequest, words: Words): readonly Buffer[] {
  const { wire, body } = request;
  const content = body === null ? undefined : Buffer.from(withWords(body, words), request.isBytes ? 'latin1' : 'utf8');
  const lines = [`${request.method} ${targetOf(request)} HTTP/1.1`];
  if (!request.headers.some(([name]) => name.toLowerCase() === 'host' || name === NO_HOST)) lines.push('Host: fuzz');
  for (const [name, value] of request.headers) if (name !== NO_HOST) lines.push(`${name}: ${value}`);
  const size = content?.length ?? 0;
  if (wire === 'chunks' || wire === 'badChunks') lines.push('Transfer-Encoding: chunked');
  else if (wire === 'short') lines.push(`Content-Length: ${size + 10}`);
  else if (content !== undefined) lines.push(`Content-Length: ${size}`);
  if (wire === 'twoLengths') lines.push(`Content-Length: ${size + 1}`);
  // Bytes above 0x7f stay single bytes in a head.
  const head = Buffer.from(withWords(`${lines.join('\r\n')}\r\n\r\n`, words), 'latin1');
  const whole = Buffer.concat([head, framed(content ?? Buffer.alloc(0), wire)]);
  return wire === 'pieces' ? inPieces(whole) : [whole];
}

function framed(content: Buffer, wire: Wire): Buffer {
  if (wire === 'badChunks') return Buffer.concat([Buffer.from('zz\r\n'), content, Buffer.from('\r\n0\r\n\r\n')]);
  if (wire === 'pipelined') return Buffer.concat([content, Buffer.from(AFTER)]);
  if (wire !== 'chunks') return content;
  const chunk = (part: Buffer) =>
    Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]);
  const half = Math.ceil(content.length / 2);
  const parts = [content.subarray(0, half), content.subarray(half)].filter((part) => part.length > 0);
  return Buffer.concat([...parts.map(chunk), Buffer.from('0\r\n\r\n')]);
}

function inPieces(whole: Buffer): readonly Buffer[] {
  const third = Math.max(1, Math.floor(whole.length / 3));
  return [whole.subarray(0, third), whole.subarray(third, 2 * third), whole.subarray(2 * third)];
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const KNOWN_METHODS = new Set([
  'GET',
  'POST',
  'HEAD',
  'OPTIONS',
  'PUT',
  'DELETE',
  'PATCH',
  'TRACE',
  'PROPFIND',
  'M-SEARCH',
]);
const ONCE = new Set(['host', 'content-length', 'transfer-encoding']);
const MAX_HEADER = 8_000;

/** Valid and whole HTTP, so a response is due; otherwise the connection may close. */
export function isProper({ method, path, query, headers, wire }: FuzzRequest): boolean {
  if (wire === 'short' || wire === 'badChunks' || wire === 'twoLengths' || !KNOWN_METHODS.has(method)) return false;
  if (!/^\/[!-~]*$/.test([path, ...query].join('&'))) return false;
  return headers.every(
    ([name, value]) =>
      TOKEN.test(name) &&
      !ONCE.has(name.toLowerCase()) &&
      name !== 'expect' &&
      value.length < MAX_HEADER &&
      [...value].every((one) => one === '\t' || (one >= ' ' && one !== '\x7f')),
  );
}
