import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  /** Lower-case names; the last of several. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** `closed`: no response before the end. `silent`: timeout. */
export type Outcome = {
  readonly answers: readonly RawAnswer[];
  readonly end?: 'closed' | 'silent';
  readonly left: number;
};

const HEAD_END = Buffer.from('\r\n\r\n');

export class Connection {
  readonly #at: { readonly host: string; readonly port: number };
  #socket: Socket | undefined;
  #buffer: Buffer = Buffer.alloc(0);
  #wake: () => void = () => {};

  constructor(at: { readonly host: string; readonly port: number }) {
    this.#at = at;
  }

  /**
   * @param expected responses; fewer when one closes the connection.
   * @param bodiless responses have heads only (HEAD).
   * @param thenEnd the client sends FIN after these bytes.
   */
  async exchange(
    pieces: readonly Buffer[],
    {
      expected,
      bodiless,
      thenEnd,
      withinMs,
    }: { expected: number; bodiless: boolean; thenEnd: boolean; withinMs: number },
  ): Promise<Outcome> {
    const socket = await this.#open();
    for (const [at, piece] of pieces.entries()) {
      if (at > 0) await new Promise(setImmediate);
      socket.write(piece);
    }
    if (thenEnd) socket.end();
    const answers: RawAnswer[] = [];
    const until = performance.now() + withinMs;
    while (answers.length < expected) {
      const isEnded = socket.destroyed || socket.readableEnded;
      const found = take(this.#buffer, bodiless && answers.length === 0, isEnded);
      if (found) {
        this.#buffer = found.rest;
        if (found.answer.status < 200) continue;
        answers.push(found.answer);
        if (found.answer.headers['connection'] === 'close') break;
        continue;
      }
      if (isEnded) return this.#end(answers, 'closed');
      if (performance.now() >= until) return this.#end(answers, 'silent');
      await this.#changed(until);
    }
    const left = this.#buffer.length;
    if (left > 0 || thenEnd || answers.at(-1)?.headers['connection'] === 'close') this.close();
    return { answers, left };
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
    this.#buffer = Buffer.alloc(0);
  }

  #end(answers: readonly RawAnswer[], end: 'closed' | 'silent'): Outcome {
    const left = this.#buffer.length;
    this.close();
    return { answers, end, left };
  }

  #changed(until: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(1, until - performance.now()));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #open(): Promise<Socket> {
    const known = this.#socket;
    if (known && !known.destroyed && !known.readableEnded && known.writable) return known;
    this.close();
    const socket = connect({ ...this.#at, noDelay: true });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    socket.on('data', (bytes) => {
      this.#buffer = this.#buffer.length === 0 ? bytes : Buffer.concat([this.#buffer, bytes]);
      this.#wake();
    });
    for (const event of ['end', 'close', 'error'] as const) socket.on(event, () => this.#wake());
    this.#socket = socket;
    return socket;
  }
}

interface Taken {
  readonly answer: RawAnswer;
  readonly rest: Buffer;
}

/** The first complete response; undefined while there is none. */
function take(bytes: Buffer, bodiless: boolean, isEnded: boolean): Taken | undefined {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1] ?? 0);
  const headers: Record<string, string> = Object.create(null);
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  const from = end + HEAD_END.length;
  const whole = (to: number, body = bytes.subarray(from, to)) => ({
    answer: { status, headers, body },
    rest: bytes.subarray(to),
  });
  if (bodiless || status < 200 || status === 204 || status === 304) return whole(from);
  // Endless, and closes its connection: the bytes so far are the response.
  if (headers['content-type']?.startsWith('text/event-stream')) return whole(bytes.length);
  if (headers['transfer-encoding'] === 'chunked') return chunks(bytes, from, whole);
  const length = headers['content-length'];
  if (length !== undefined) return bytes.length < from + Number(length) ? undefined : whole(from + Number(length));
  return isEnded ? whole(bytes.length) : undefined;
}

function chunks(bytes: Buffer, from: number, whole: (to: number, body: Buffer) => Taken): Taken | undefined {
  const parts: Buffer[] = [];
  let at = from;
  for (;;) {
    const line = bytes.indexOf('\r\n', at);
    if (line < 0) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16);
    const next = line + 2 + size + 2;
    if (bytes.length < next) return undefined;
    if (size === 0) return whole(next, Buffer.concat(parts));
    parts.push(bytes.subarray(line + 2, line + 2 + size));
    at = next;
  }
}
