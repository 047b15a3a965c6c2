import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PresetName } from '../../src/shapes/presets.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface FeedServer {
  readonly url: string;
  /** All requests, path and query decoded. */
  readonly asked: { readonly path: string; readonly headers: IncomingMessage['headers'] }[];
  instead: Handler | undefined;
  stop(): Promise<void>;
}

export async function serve(handler: Handler): Promise<FeedServer> {
  const feed = { url: '', asked: [], instead: undefined } as unknown as FeedServer & { url: string };
  const server = createServer((request, response) => {
    feed.asked.push({ path: decodeURIComponent(request.url ?? ''), headers: request.headers });
    (feed.instead ?? handler)(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  feed.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  feed.stop = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return feed;
}

/** Decimal texts by provider id, written to the JSON as they are, without floats. */
export type Prices = Record<string, string>;

/** Answers as the public feed's documentation shows, for known ids. */
export function serveShape(shape: PresetName, prices: Prices, now: () => number = Date.now): Promise<FeedServer> {
  return serve((request, response) => {
    const body = bodyOf(shape, new URL(request.url ?? '', 'http://feed'), prices, now());
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(body ?? '{"message":"NotFound"}');
  });
}

function bodyOf(shape: PresetName, url: URL, prices: Prices, now: number): string | undefined {
  const seconds = Math.floor(now / 1000);
  const known = (ids: readonly string[]) => ids.filter((id) => prices[id] !== undefined);
  const joined = (entries: readonly string[]) => `{${entries.join(',')}}`;
  const listed = (text: string | null | undefined) => decodeURIComponent(text ?? '').split(',');
  switch (shape) {
    case 'coingecko': {
      const ids = known(listed(url.searchParams.get('ids')));
      return joined(ids.map((id) => `"${id}":{"usd":${prices[id]},"last_updated_at":${seconds}}`));
    }
    case 'defillama': {
      const ids = known(listed(url.pathname.split('/').at(-1)));
      const coin = (id: string) =>
        `"${id}":{"decimals":18,"symbol":"X","price":${prices[id]},"timestamp":${seconds},"confidence":0.99}`;
      return `{"coins":${joined(ids.map(coin))}}`;
    }
    case 'coinbase': {
      const price = prices[url.pathname.split('/').at(-2) ?? ''];
      const time = new Date(now).toISOString().replace('Z', '123Z');
      return price && `{"trade_id":1,"price":"${price}","size":"0.1","time":"${time}","bid":"1","ask":"2"}`;
    }
    case 'binance': {
      const ids = known(JSON.parse(url.searchParams.get('symbols') ?? '[]') as string[]);
      return `[${ids.map((id) => `{"symbol":"${id}","price":"${prices[id]}"}`).join(',')}]`;
    }
    case 'kraken': {
      const ids = listed(url.searchParams.get('pair'));
      const stranger = ids.find((id) => prices[id] === undefined);
      if (stranger !== undefined) return '{"error":["EQuery:Unknown asset pair"]}';
      const ticker = (id: string) => `"${id}":{"a":["9","1","1.0"],"c":["${prices[id]}","0.05"],"o":"1"}`;
      return `{"error":[],"result":${joined(ids.map(ticker))}}`;
    }
  }
}
