import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';

export interface Arrival {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Reported {
  readonly id: string;
  readonly sequence: number;
  readonly event: string;
  readonly data: { readonly requestId: string; readonly status: string };
}

export class WebhookReceiver {
  status = 204;
  /** Path prefix; empty: none. */
  refuses = '';
  arrivals: Arrival[] = [];
  /** Accepted or not. */
  posts: { readonly path: string; readonly at: number }[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const path = request.url ?? '';
        const isRefused = this.refuses !== '' && path.startsWith(this.refuses);
        const status = isRefused ? 503 : this.status;
        const isTaken = status === 204;
        this.posts.push({ path, at: Date.now() });
        const body = Buffer.concat(chunks).toString('utf8');
        if (isTaken) this.arrivals.push({ path, headers: request.headers, body });
        response.writeHead(status).end(isTaken ? undefined : 'not now');
      });
    });
  }

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** In order of arrival. */
  reported(path: string, requestId: string): Arrival[] {
    return this.arrivals.filter((one) => one.path === path && reportedIn(one).data.requestId === requestId);
  }

  get refused(): number {
    return this.posts.length - this.arrivals.length;
  }

  forget(): void {
    this.status = 204;
    this.refuses = '';
    this.arrivals = [];
    this.posts = [];
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

export function reportedIn({ body }: Arrival): Reported {
  return JSON.parse(body) as Reported;
}

/**
 * Verifies with the public libraries.
 *
 * @throws for a signature with another secret.
 */
export function verify(secret: string, { headers, body }: Arrival): void {
  const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  for (const library of [new Webhook(secret), new SvixWebhook(secret)]) library.verify(body, texts);
}
