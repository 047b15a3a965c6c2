import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallPlan, FaultCall, HttpFault } from './faults.js';

export interface HttpReply {
  readonly status: number;
  readonly body: Buffer | string;
}

const JSON_TYPE = { 'content-type': 'application/json' } as const;

/**
 * An HTTP proxy on loopback that records every call and plays faults of whole exchanges. Subclasses know the content.
 */
export abstract class FaultServer<C extends FaultCall, F extends string | object> {
  plan: CallPlan<C, F> = () => 'pass';
  readonly calls: (C & { readonly fault: F | 'pass' })[] = [];
  protected readonly target: URL;
  protected readonly server: Server;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #counts = new Map<string, number>();

  constructor(target: string) {
    this.target = new URL(target);
    if (this.target.protocol !== 'http:') throw new Error(`only http: can be proxied, not ${this.target.protocol}`);
    this.server = createServer((incoming, outgoing) => {
      this.serve(incoming, outgoing).catch(() => incoming.socket.resetAndDestroy());
    });
  }

  async listen(port = 0): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, '127.0.0.1', resolve);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Calls so far, of one method or all. */
  count(method?: string): number {
    return method === undefined ? this.calls.length : (this.#counts.get(method) ?? 0);
  }

  /** Calls that did not simply pass. */
  faulted(): readonly (C & { readonly fault: F | 'pass' })[] {
    return this.calls.filter(({ fault }) => fault !== 'pass');
  }

  /** Stops the faults; hanging calls stay open. */
  heal(): void {
    this.plan = () => 'pass';
  }

  /** Ends all server connections, which some servers await at shutdown. The next call reconnects. */
  cutServer(): void {
    this.#agent.destroy();
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.cutServer();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  protected abstract serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void>;

  protected record(call: Omit<C, 'nth' | 'at'>): C & { readonly fault: F | 'pass' } {
    const nth = (this.#counts.get(call.method) ?? 0) + 1;
    this.#counts.set(call.method, nth);
    const whole = { ...call, nth, at: performance.now() } as unknown as C;
    const recorded = { ...whole, fault: this.plan(whole) };
    this.calls.push(recorded);
    return recorded;
  }

  protected async play(
    faults: readonly (F | 'pass')[],
    { socket }: IncomingMessage,
    outgoing: ServerResponse,
    answer: () => Promise<HttpReply>,
  ): Promise<void> {
    const all = faults as readonly (HttpFault | object)[];
    if (all.includes('dropBefore')) return void socket.resetAndDestroy();
    if (all.includes('hang')) return;
    const refusal = all.find((fault): fault is Refusal => typeof fault === 'object' && 'status' in fault);
    if (refusal !== undefined) {
      const { status, retryAfterSeconds, body = 'trouble' } = refusal;
      const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
      return void outgoing.writeHead(status, headers).end(body);
    }
    const delays = all.map((fault) => (typeof fault === 'object' && 'delayMs' in fault ? Number(fault.delayMs) : 0));
    const delay = Math.max(0, ...delays);
    if (delay > 0) await sleep(delay);
    const { status, body } = await answer();
    if (all.includes('dropAfter')) return void socket.resetAndDestroy();
    outgoing.writeHead(status, JSON_TYPE).end(body);
  }

  /** @param path below the target's own. */
  protected forward(method: string, path: string, body: string): Promise<HttpReply> {
    return new Promise((resolve, reject) => {
      const headers = { ...JSON_TYPE, 'content-length': Buffer.byteLength(body) };
      const url = path === '' ? this.target : this.target.href.replace(/\/$/, '') + path;
      const upstream = request(url, { method, agent: this.#agent, headers }, (response) => {
        bytesOf(response).then((bytes) => resolve({ status: response.statusCode ?? 502, body: bytes }), reject);
      });
      upstream.on('error', reject);
      upstream.end(body);
    });
  }
}

type Refusal = Extract<HttpFault, { readonly status: number }>;

export async function bytesOf(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
