import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Party } from '@causeway/core';

/** A local screening service with a list of blocked parties. */
export interface ListServer {
  readonly url: string;
  /** Keys of blocked parties, made by `nameOf`. */
  readonly blocked: Set<string>;
  /** While true, it fails, returns too few verdicts, or drops the connection. */
  away: boolean;
  stop(): Promise<void>;
}

export function nameOf({ chainId, address }: Pick<Party, 'chainId' | 'address'>): string {
  return `${chainId}:${address}`;
}

/** Accepts `[{ chainId, address }, …]` and returns `[true, false, …]` (blocked or not): adapt it to the format of your service. */
export async function listServer(): Promise<ListServer> {
  const blocked = new Set<string>();
  let asked = 0;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      asked += 1;
      if (served.away && asked % 3 === 0) return void response.destroy();
      if (served.away) return void response.writeHead(asked % 3 === 1 ? 500 : 200).end('[]');
      const parties = JSON.parse(body) as readonly Party[];
      response.end(JSON.stringify(parties.map((party) => blocked.has(nameOf(party)))));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const served: ListServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    blocked,
    away: false,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return served;
}
