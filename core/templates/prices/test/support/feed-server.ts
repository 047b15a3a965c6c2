import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A price feed that can stop answering or return invalid prices. It writes what `src/reading.ts` parses: change both together. */
export interface FeedServer {
  readonly url: string;
  requests(): number;
  publish(name: string, usd: string): void;
  silence(on: boolean): void;
  garble(on: boolean): void;
  close(): Promise<void>;
}

/** Invalid prices. */
const INVALID = ['-1', '0', '1e3', 'NaN', null, 7, ''];

export async function openFeed(start: Readonly<Record<string, string>>): Promise<FeedServer> {
  const prices: Record<string, string> = { ...start };
  let [asked, silent, garbled] = [0, false, false];
  const server = createServer((_, response) => {
    asked += 1;
    if (silent) return void response.destroy();
    if (!garbled) return void response.end(JSON.stringify(prices));
    const some = INVALID[asked % INVALID.length];
    const invalid = Object.fromEntries(Object.keys(prices).map((name) => [name, some]));
    response.end(asked % 2 === 0 ? '<html>' : JSON.stringify(invalid));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/prices`,
    requests: () => asked,
    publish: (name, usd) => {
      prices[name] = usd;
    },
    silence: (on) => {
      silent = on;
    },
    garble: (on) => {
      garbled = on;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
