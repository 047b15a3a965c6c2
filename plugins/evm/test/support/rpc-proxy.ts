import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ProxiedCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What happens to a call: passed on, its reply lost after it took effect, never delivered, or answered as told. */
export type Fault =
  | 'pass'
  | 'dropAfter'
  | 'dropBefore'
  | { readonly status: number }
  | { readonly error: { readonly code: number; readonly message: string } }
  | { readonly result: unknown };

export interface RpcProxy {
  readonly url: string;
  /** Decides for each call; the first answer other than `pass` in a batch decides for the whole batch. */
  plan: (call: ProxiedCall) => Fault;
  close(): Promise<void>;
}

/** A JSON-RPC proxy before a real node, with faults on demand. */
export async function startProxy(target: string): Promise<RpcProxy> {
  const proxy = { plan: (_: ProxiedCall): Fault => 'pass' };
  const server: Server = createServer((request, response) => {
    void (async () => {
      const body = await read(request);
      const parsed: unknown = JSON.parse(body);
      const calls = (Array.isArray(parsed) ? parsed : [parsed]) as (ProxiedCall & { id: unknown })[];
      const fault = calls.map((call) => proxy.plan(call)).find((one) => one !== 'pass') ?? 'pass';
      if (fault === 'dropBefore') return request.socket.destroy();
      if (typeof fault === 'object' && 'status' in fault) return response.writeHead(fault.status).end('trouble');
      if (typeof fault === 'object') {
        const answers = calls.map(({ id }) => ({ jsonrpc: '2.0', id, ...fault }));
        return response.end(JSON.stringify(Array.isArray(parsed) ? answers : answers[0]));
      }
      const headers = { 'content-type': 'application/json' };
      const answer = await (await fetch(target, { method: 'POST', headers, body })).text();
      if (fault === 'dropAfter') return request.socket.destroy();
      return response.writeHead(200, headers).end(answer);
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  });
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
