import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface KeyProxy {
  readonly url: string;
  close(): Promise<void>;
}

/** What an integrator puts before the service for clients that send no key: passes everything on, with its key. */
export async function keyProxy(target: string, apiKey: string): Promise<KeyProxy> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const reply = await fetch(new URL(request.url ?? '/', target), {
      method: request.method ?? 'GET',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    });
    response.writeHead(reply.status, { 'content-type': 'application/json' });
    response.end(Buffer.from(await reply.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
