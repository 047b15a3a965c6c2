import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import type { Arrival } from './webhook-receiver.js';

/** Behaviour after a whole post. Milliseconds where it waits. */
const ANSWERS = {
  takes: (socket: Socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'),
  refuses: (socket: Socket) => socket.write('HTTP/1.1 500 Internal Server Error\r\nContent-Length: 7\r\n\r\nnot now'),
  redirects: (socket: Socket) =>
    socket.write('HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n'),
  hangs: () => undefined,
  /** Sends FIN and continues to read. */
  'half-closes': (socket: Socket) => socket.end(),
  'half-closes within the answer': (socket: Socket) =>
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf of it'),
  resets: (socket: Socket) => socket.resetAndDestroy(),
  /** A head, then an endless slow body. */
  drips: (socket: Socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    const timer = setInterval(() => socket.write('1\r\n.\r\n'), 50);
    socket.once('close', () => clearInterval(timer));
  },
  'is slow': (socket: Socket) => {
    const answer = [...'HTTP/1.1 204 No Content\r\n\r\n'];
    const timer = setInterval(() => {
      const next = answer.shift();
      if (next === undefined) clearInterval(timer);
      else socket.write(next);
    }, 20);
    socket.once('close', () => clearInterval(timer));
  },
} as const;

export type Manner = keyof typeof ANSWERS;

/** A raw TCP receiver that allows half-open connections. */
export class OddReceiver {
  manner: Manner = 'takes';
  /** Whole posts, whatever the response. */
  readonly arrivals: Arrival[] = [];
  connections = 0;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer({ allowHalfOpen: true }, (socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      socket.on('error', () => undefined);
      let text = '';
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString('latin1');
        for (let post = firstOf(text); post !== undefined; post = firstOf(text)) {
          text = text.slice(post.length);
          this.arrivals.push(post.arrival);
          ANSWERS[this.manner](socket);
        }
      });
      socket.once('end', () => socket.end());
    });
  }

  static async start(): Promise<OddReceiver> {
    const receiver = new OddReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/`;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

/** The first complete post. Every byte is one character. */
function firstOf(text: string): { readonly arrival: Arrival; readonly length: number } | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [first = '', ...lines] = text.slice(0, headEnd).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const length = headEnd + 4 + Number(headers['content-length'] ?? 0);
  if (text.length < length) return undefined;
  const body = Buffer.from(text.slice(headEnd + 4, length), 'latin1').toString('utf8');
  return { arrival: { path: first.split(' ')[1] ?? '', headers, body }, length };
}
