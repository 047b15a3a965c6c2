import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonRpcCall, JsonRpcFault, JsonRpcPlan, JsonRpcReply } from './json-rpc-faults.js';

/** A call with what became of it. */
export interface RecordedCall extends JsonRpcCall {
  readonly fault: JsonRpcFault;
}

export interface JsonRpcFaultProxyOptions {
  /** Port to listen at on loopback; default any free one. */
  readonly port?: number;
}

interface Call {
  readonly id: unknown;
  readonly wire: { readonly method: string; readonly params: readonly unknown[] };
  readonly call: JsonRpcCall;
  readonly fault: JsonRpcFault;
}

interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}

const JSON_TYPE = { 'content-type': 'application/json' } as const;

/**
 * Stands between a client and an HTTP JSON-RPC server, single calls and batches alike, and plays the faults of a plan.
 * Websockets of the same port are tunnelled untouched. Counts and keeps every call.
 *
 * ```ts
 * const proxy = await jsonRpcFaultProxy('http://127.0.0.1:8545');
 * proxy.plan = only('submit', first(2, 'dropAfter')); // sent, but the reply is lost, twice
 * ```
 */
export class JsonRpcFaultProxy {
  /** Decides about each call from now on. */
  plan: JsonRpcPlan = () => 'pass';
  /** False: websockets are refused. See `cutSockets` for open ones. */
  sockets = true;
  readonly calls: RecordedCall[] = [];
  readonly #target: URL;
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #counts = new Map<string, number>();
  readonly #tunnels = new Set<Duplex>();

  constructor(target: string) {
    this.#target = new URL(target);
    if (this.#target.protocol !== 'http:') throw new Error(`only http: can be proxied, not ${this.#target.protocol}`);
    this.#server = createServer((incoming, outgoing) => {
      this.#serve(incoming, outgoing).catch(() => incoming.socket.resetAndDestroy());
    });
    this.#server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.#tunnel(incoming, socket, head),
    );
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

  get wsUrl(): string {
    return this.url.replace('http', 'ws');
  }

  /** Calls seen so far, of one method or of all. */
  count(method?: string): number {
    return method === undefined ? this.calls.length : (this.#counts.get(method) ?? 0);
  }

  /** Calls that did not simply pass. */
  faulted(): readonly RecordedCall[] {
    return this.calls.filter(({ fault }) => fault !== 'pass');
  }

  /** Plays no faults any more; open calls that hang stay so. */
  heal(): void {
    this.plan = () => 'pass';
    this.sockets = true;
  }

  /** Ends all open websockets. */
  cutSockets(): void {
    for (const socket of this.#tunnels) socket.destroy();
  }

  /** Ends all connections to the server, for which some servers wait when they end. The next call opens a new one. */
  cutServer(): void {
    this.#agent.destroy();
  }

  async close(): Promise<void> {
    this.cutSockets();
    this.#server.closeAllConnections();
    this.cutServer();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const parsed = JSON.parse((await bytesOf(incoming)).toString('utf8')) as unknown;
    const batch = Array.isArray(parsed);
    const calls = (batch ? parsed : [parsed]).map((one) => this.#record(one as Record<string, unknown>));
    const faults = calls.map(({ fault }) => fault);
    if (faults.includes('dropBefore')) return void incoming.socket.resetAndDestroy();
    if (faults.includes('hang')) return;
    const refusal = faults.find((fault) => typeof fault === 'object' && 'status' in fault);
    if (typeof refusal === 'object' && 'status' in refusal) {
      const { status, retryAfterSeconds, body = 'trouble' } = refusal;
      const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
      return void outgoing.writeHead(status, headers).end(body);
    }
    const delays = faults.map((fault) => (typeof fault === 'object' && 'delayMs' in fault ? fault.delayMs : 0));
    const delay = delays.reduce((longest, one) => (one > longest ? one : longest), 0);
    if (delay > 0) await sleep(delay);
    const answer = await this.#answer(calls, batch);
    if (faults.includes('dropAfter')) return void incoming.socket.resetAndDestroy();
    outgoing.writeHead(answer.status, answer.headers).end(answer.body);
  }

  #record(wire: Record<string, unknown>): Call {
    const method = String(wire['method']);
    const params = (wire['params'] ?? []) as readonly unknown[];
    const nth = (this.#counts.get(method) ?? 0) + 1;
    this.#counts.set(method, nth);
    const call: JsonRpcCall = { method, params, nth, at: performance.now() };
    const fault = this.plan(call);
    this.calls.push({ ...call, fault });
    const asked = typeof fault === 'object' && 'ask' in fault ? fault.ask : { method, params };
    return { id: wire['id'], wire: asked, call, fault };
  }

  async #answer(calls: readonly Call[], batch: boolean): Promise<HttpAnswer> {
    const passed = calls.filter(({ fault }) => answeredHere(fault) === undefined);
    const payload = passed.map(({ id, wire }) => ({ jsonrpc: '2.0', id, ...wire }));
    const upstream =
      payload.length === 0 ? undefined : await this.#forward(JSON.stringify(batch ? payload : payload[0]));
    const changes = calls.some(({ fault }) => answeredHere(fault) !== undefined || rewriteOf(fault) !== undefined);
    if (upstream !== undefined && !changes) return upstream;
    const replies = repliesOf(upstream?.body);
    const answers = calls.map(({ id, fault, call }) => {
      const reply = answeredHere(fault) ??
        replies.get(id) ?? { error: { code: -32603, message: 'the node did not answer this call' } };
      return { jsonrpc: '2.0', id, ...(rewriteOf(fault)?.(reply, call) ?? reply) };
    });
    return { status: upstream?.status ?? 200, headers: JSON_TYPE, body: JSON.stringify(batch ? answers : answers[0]) };
  }

  #forward(body: string): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const headers = { ...JSON_TYPE, 'content-length': Buffer.byteLength(body) };
      const upstream = request(this.#target, { method: 'POST', agent: this.#agent, headers }, (response) => {
        bytesOf(response).then(
          (bytes) => resolve({ status: response.statusCode ?? 502, headers: JSON_TYPE, body: bytes }),
          reject,
        );
      });
      upstream.on('error', reject);
      upstream.end(body);
    });
  }

  #tunnel(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (!this.sockets) return void socket.destroy();
    const upstream: Socket = connect(Number(this.#target.port || 80), this.#target.hostname, () => {
      const headers = Object.entries(incoming.headers).map(([name, value]) => `${name}: ${String(value)}`);
      upstream.write(`GET ${incoming.url} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.setNoDelay(true);
    this.#tunnels.add(socket);
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
    socket.on('close', () => {
      this.#tunnels.delete(socket);
      upstream.destroy();
    });
  }
}

/** Starts a proxy on loopback before `target`, an `http:` URL. Close it when done. */
export async function jsonRpcFaultProxy(
  target: string,
  options: JsonRpcFaultProxyOptions = {},
): Promise<JsonRpcFaultProxy> {
  const proxy = new JsonRpcFaultProxy(target);
  await proxy.listen(options.port);
  return proxy;
}

function answeredHere(fault: JsonRpcFault): JsonRpcReply | undefined {
  return typeof fault === 'object' && ('result' in fault || 'error' in fault) ? fault : undefined;
}

function rewriteOf(fault: JsonRpcFault) {
  return typeof fault === 'object' && 'rewrite' in fault ? fault.rewrite : undefined;
}

function repliesOf(body: Buffer | string | undefined): Map<unknown, JsonRpcReply> {
  if (body === undefined) return new Map();
  const parsed = JSON.parse(body.toString()) as unknown;
  const list = (Array.isArray(parsed) ? parsed : [parsed]) as ({ id: unknown } & JsonRpcReply)[];
  return new Map(
    list.map((reply) => {
      // Servers of the first version tell of no error with a null.
      const failed = 'error' in reply && (reply.error as unknown) !== null;
      return [reply.id, failed ? { error: reply.error } : { result: 'result' in reply ? reply.result : null }];
    }),
  );
}

async function bytesOf(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
