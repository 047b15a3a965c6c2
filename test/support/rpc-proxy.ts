import { Agent, createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
  /** `performance.now()` when the proxy had read the whole call. */
  readonly at: number;
}

/** What becomes of a call: passed on, lost on the way there, or lost on the way back (the node acted on it). */
export type Fate = 'pass' | 'dropBefore' | 'dropAfter';

/** Stands between a service and its node: counts calls, tells when each came, and loses the ones a test wants lost. */
export class RpcProxy {
  readonly calls: RpcCall[] = [];
  fate: (call: RpcCall) => Fate = () => 'pass';
  private readonly server: Server;
  private readonly target: URL;
  private readonly agent = new Agent({ keepAlive: true });

  private constructor(target: string) {
    this.target = new URL(target);
    this.server = createServer((incoming, outgoing) => {
      void this.serve(incoming).then(
        (answer) => {
          if (answer === undefined) incoming.socket.destroy();
          else outgoing.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
        },
        () => incoming.socket.destroy(),
      );
    });
    this.server.on('upgrade', (incoming: IncomingMessage, socket, head) => {
      const upstream = connect(Number(this.target.port), this.target.hostname, () => {
        const headers = Object.entries(incoming.headers).map(([name, value]) => `${name}: ${String(value)}`);
        upstream.write(`GET ${incoming.url} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
        upstream.write(head);
        upstream.pipe(socket).pipe(upstream);
      });
      upstream.setNoDelay(true);
      upstream.on('error', () => socket.destroy());
      socket.on('error', () => upstream.destroy());
    });
  }

  static async start(target: string): Promise<RpcProxy> {
    const proxy = new RpcProxy(target);
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  count(method?: string): number {
    return method === undefined ? this.calls.length : this.calls.filter((call) => call.method === method).length;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.agent.destroy();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private async serve(incoming: IncomingMessage): Promise<{ status: number; body: Buffer } | undefined> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const at = performance.now();
    const parsed = JSON.parse(body.toString('utf8')) as
      | { method: string; params?: unknown[] }
      | { method: string; params?: unknown[] }[];
    const calls = [parsed].flat().map(({ method, params }): RpcCall => ({ method, params: params ?? [], at }));
    this.calls.push(...calls);
    const fates = calls.map((call) => this.fate(call));
    if (fates.includes('dropBefore')) return undefined;
    const answer = await this.forward(body);
    return fates.includes('dropAfter') ? undefined : answer;
  }

  private forward(body: Buffer): Promise<{ status: number; body: Buffer }> {
    return new Promise((resolve, reject) => {
      const upstream = request(
        this.target,
        {
          method: 'POST',
          agent: this.agent,
          headers: { 'content-type': 'application/json', 'content-length': body.length },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => resolve({ status: response.statusCode ?? 502, body: Buffer.concat(chunks) }));
          response.on('error', reject);
        },
      );
      upstream.on('error', reject);
      upstream.end(body);
    });
  }
}
