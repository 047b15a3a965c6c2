import type { Shape } from './shape.js';

export interface Preset extends Shape {
  readonly url: string;
}

export const PRESETS = {
  /** `GET /simple/price`; ids are CoinGecko's (`ethereum`). */
  coingecko: {
    url: 'https://api.coingecko.com/api/v3',
    path: '/simple/price?ids={ids}&vs_currencies=usd&include_last_updated_at=true&precision=full',
    batch: 100,
    price: '/{id}/usd',
    at: '/{id}/last_updated_at',
    atUnit: 'seconds',
  },
  /** `GET /prices/current/{coins}`; ids are `<chain>:<address>` or `coingecko:<id>`. */
  defillama: {
    url: 'https://coins.llama.fi',
    path: '/prices/current/{ids}',
    batch: 50,
    price: '/coins/{id}/price',
    at: '/coins/{id}/timestamp',
    atUnit: 'seconds',
    confidence: { at: '/coins/{id}/confidence', least: '0.9' },
  },
  /** `GET /products/{id}/ticker`, one request per product; ids are products (`ETH-USD`). The last trade. */
  coinbase: {
    url: 'https://api.exchange.coinbase.com',
    path: '/products/{id}/ticker',
    batch: 1,
    price: '/price',
    at: '/time',
    atUnit: 'iso',
  },
  /** `GET /api/v3/ticker/price`; ids are symbols (`ETHUSDT`), priced in their second half. No time. */
  binance: {
    url: 'https://api.binance.com',
    path: '/api/v3/ticker/price?symbols={json}',
    batch: 100,
    list: '',
    listId: '/symbol',
    price: '/price',
  },
  /** `GET /0/public/Ticker`; ids are pairs as in the answer (`XETHZUSD`). The last trade. No time. */
  kraken: {
    url: 'https://api.kraken.com',
    path: '/0/public/Ticker?pair={ids}',
    batch: 50,
    price: '/result/{id}/c/0',
    error: '/error',
  },
} as const satisfies Record<string, Preset>;

export type PresetName = keyof typeof PRESETS;
