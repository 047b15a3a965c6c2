import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CallPlan, type FaultCall, faultPlans, type HttpFault } from './faults.js';

/** One request as it reached the proxy. */
export interface RestCall extends FaultCall {
  /** With its query. */
  readonly path: string;
  /** Empty where there is none. */
  readonly body: string;
}

export interface RestReply {
  readonly status: number;
  /** JSON text, as a rule. */
  readonly body: string;
}

/** What becomes of a request. */
export type RestFault =
  | HttpFault
  /** Passed on; the caller gets what this makes of the node's reply. */
  | { readonly rewrite: (reply: RestReply, call: RestCall) => RestReply }
  /** Passed on as another path, whose answer the caller takes for its own. */
  | { readonly ask: string };

export type RestPlan = CallPlan<RestCall, RestFault>;

/** The plans of `RestFaultProxy`. */
export const restFaults = faultPlans<RestCall, RestFault>();

/**
 * Stands between a client and an HTTP server that is asked by paths, and plays the faults of a plan. Counts and keeps every request.
 *
 * ```ts
 * const { first, only: those } = restFaults;
 * const proxy = await restFaultProxy('http://127.0.0.1:4700');
 * proxy.plan = those('POST /transactions', first(2, 'dropAfter')); // sent, but the reply is lost, twice
 * ```
 */
export class RestFaultProxy {
  /** Decides about each request from now on. */
  plan: RestPlan = () => 'pass';
  readonly calls: (RestCall & { readonly fault: RestFault })[] = [];
  readonly #target: string;
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #counts = new Map<string, number>();

  constructor(target: string) {
    if (new URL(target).protocol !== 'http:') throw new Error(`only http: can be proxied, not ${target}`);
    this.#target = target.replace(/\/$/, '');
    this.#server = createServer((incoming, outgoing) => {
      this.#serve(incoming, outgoing).catch(() => incoming.socket.resetAndDestroy());
    });
  }

  async listen(port = 0): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', resolve);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Requests seen so far, of one method (`GET /blocks`) or of all. */
  count(method?: string): number {
    return method === undefined ? this.calls.length : (this.#counts.get(method) ?? 0);
  }

  /** Plays no faults any more; open requests that hang stay so. */
  heal(): void {
    this.plan = () => 'pass';
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#agent.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const call = this.#record(incoming.method ?? 'GET', incoming.url ?? '/', await textOf(incoming));
    const { fault } = call;
    if (fault === 'dropBefore') return void incoming.socket.resetAndDestroy();
    if (fault === 'hang') return;
    if (typeof fault === 'object' && 'status' in fault) {
      const { status, retryAfterSeconds, body = 'trouble' } = fault;
      const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
      return void outgoing.writeHead(status, headers).end(body);
    }
    if (typeof fault === 'object' && 'delayMs' in fault) await sleep(fault.delayMs);
    const path = typeof fault === 'object' && 'ask' in fault ? fault.ask : call.path;
    const reply = await this.#forward(incoming.method ?? 'GET', path, call.body);
    if (fault === 'dropAfter') return void incoming.socket.resetAndDestroy();
    const { status, body } = typeof fault === 'object' && 'rewrite' in fault ? fault.rewrite(reply, call) : reply;
    outgoing.writeHead(status, { 'content-type': 'application/json' }).end(body);
  }

  #record(verb: string, path: string, body: string): RestCall & { readonly fault: RestFault } {
    const method = `${verb} ${/^\/[^/?]*/.exec(path)?.[0] ?? '/'}`;
    const nth = (this.#counts.get(method) ?? 0) + 1;
    this.#counts.set(method, nth);
    const call: RestCall = { method, path, body, nth, at: performance.now() };
    const recorded = { ...call, fault: this.plan(call) };
    this.calls.push(recorded);
    return recorded;
  }

  #forward(method: string, path: string, body: string): Promise<RestReply> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const upstream = request(this.#target + path, { method, agent: this.#agent, headers }, (response) => {
        textOf(response).then((text) => resolve({ status: response.statusCode ?? 502, body: text }), reject);
      });
      upstream.on('error', reject);
      upstream.end(body);
    });
  }
}

/** Starts a proxy on loopback before `target`, an `http:` URL. Close it when done. */
export async function restFaultProxy(
  target: string,
  options: { readonly port?: number } = {},
): Promise<RestFaultProxy> {
  const proxy = new RestFaultProxy(target);
  await proxy.listen(options.port);
  return proxy;
}

async function textOf(stream: AsyncIterable<unknown>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
