import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { bytesOf, FaultServer, type HttpReply } from './fault-server.js';
import type { JsonRpcCall, JsonRpcFault, JsonRpcReply } from './json-rpc-faults.js';

export interface RecordedCall extends JsonRpcCall {
  readonly fault: JsonRpcFault;
}

export interface JsonRpcFaultProxyOptions {
  /** Loopback port; default any free one. */
  readonly port?: number;
}

interface Call {
  readonly id: unknown;
  readonly wire: { readonly method: string; readonly params: readonly unknown[] };
  readonly call: JsonRpcCall;
  readonly fault: JsonRpcFault;
}

/**
 * A proxy before an HTTP JSON-RPC server, for single calls and batches, that records every call and plays a plan's
 * faults. Websockets on the same port are tunnelled untouched.
 *
 * ```ts
 * const proxy = await jsonRpcFaultProxy('http://127.0.0.1:8545');
 * proxy.plan = only('submit', first(2, 'dropAfter')); // sent, but the reply is lost, twice
 * ```
 */
export class JsonRpcFaultProxy extends FaultServer<JsonRpcCall, JsonRpcFault> {
  /** False: websockets are refused. See `cutSockets` for open ones. */
  sockets = true;
  readonly #tunnels = new Set<Duplex>();

  constructor(target: string) {
    super(target);
    this.server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.#tunnel(incoming, socket, head),
    );
  }

  get wsUrl(): string {
    return this.url.replace('http', 'ws');
  }

  override heal(): void {
    super.heal();
    this.sockets = true;
  }

  cutSockets(): void {
    for (const socket of this.#tunnels) socket.destroy();
  }

  override async close(): Promise<void> {
    this.cutSockets();
    await super.close();
  }

  protected async serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const parsed = JSON.parse((await bytesOf(incoming)).toString('utf8')) as unknown;
    const batch = Array.isArray(parsed);
    const calls = (batch ? parsed : [parsed]).map((one) => this.#read(one as Record<string, unknown>));
    const faults = calls.map(({ fault }) => fault);
    await this.play(faults, incoming, outgoing, () => this.#answer(calls, batch));
  }

  #read(wire: Record<string, unknown>): Call {
    const method = String(wire['method']);
    const params = (wire['params'] ?? []) as readonly unknown[];
    const call = this.record({ method, params });
    const { fault } = call;
    const asked = typeof fault === 'object' && 'ask' in fault ? fault.ask : { method, params };
    return { id: wire['id'], wire: asked, call, fault };
  }

  async #answer(calls: readonly Call[], batch: boolean): Promise<HttpReply> {
    const passed = calls.filter(({ fault }) => answeredHere(fault) === undefined);
    const payload = passed.map(({ id, wire }) => ({ jsonrpc: '2.0', id, ...wire }));
    const upstream =
      payload.length === 0 ? undefined : await this.forward('POST', '', JSON.stringify(batch ? payload : payload[0]));
    const changes = calls.some(({ fault }) => answeredHere(fault) !== undefined || rewriteOf(fault) !== undefined);
    if (upstream !== undefined && !changes) return upstream;
    const replies = repliesOf(upstream?.body);
    const answers = calls.map(({ id, fault, call }) => {
      const reply = answeredHere(fault) ??
        replies.get(id) ?? { error: { code: -32603, message: 'the node did not answer this call' } };
      return { jsonrpc: '2.0', id, ...(rewriteOf(fault)?.(reply, call) ?? reply) };
    });
    return { status: upstream?.status ?? 200, body: JSON.stringify(batch ? answers : answers[0]) };
  }

  #tunnel(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (!this.sockets) return void socket.destroy();
    const upstream: Socket = connect(Number(this.target.port || 80), this.target.hostname, () => {
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
      // JSON-RPC 1.0 servers send a null error on success.
      const failed = 'error' in reply && (reply.error as unknown) !== null;
      return [reply.id, failed ? { error: reply.error } : { result: 'result' in reply ? reply.result : null }];
    }),
  );
}
