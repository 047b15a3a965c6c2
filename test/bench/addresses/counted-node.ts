import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface CountedCall {
  readonly method: string;
  /** Milliseconds, `performance.now`. */
  readonly at: number;
  /** Characters of the calldata of an `eth_call`. */
  readonly calldata: number;
}

export interface CountedNode {
  readonly url: string;
  readonly calls: readonly CountedCall[];
  close(): Promise<void>;
}

/** A proxy before a node that counts calls, also within batches, and passes bodies on as they are. */
export async function countedNode(target: string): Promise<CountedNode> {
  const calls: CountedCall[] = [];
  const agent = new Agent({ keepAlive: true });
  const server = createServer((incoming, outgoing) => {
    void passOn(incoming, outgoing).catch(() => incoming.socket.destroy());
  });
  async function passOn(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const at = performance.now();
    const parsed = JSON.parse(body.toString('latin1')) as Wire | readonly Wire[];
    for (const { method, params } of [parsed].flat()) calls.push({ method, at, calldata: calldataOf(params) });
    const { host: _, ...headers } = incoming.headers;
    const upstream = request(target, { method: 'POST', agent, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    upstream.on('error', () => incoming.socket.destroy());
    upstream.end(body);
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    close: async () => {
      server.closeAllConnections();
      agent.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

interface Wire {
  readonly method: string;
  readonly params?: readonly unknown[];
}

function calldataOf(params: readonly unknown[] = []): number {
  const [call] = params as readonly { readonly data?: unknown }[];
  return typeof call === 'object' && typeof call?.data === 'string' ? call.data.length : 0;
}
