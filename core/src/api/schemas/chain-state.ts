import { flag, integer, list, named, object, text } from '../schema.js';
import { CHAIN_ID, UNITS } from './common.js';

export const CHAIN_HEALTH = named('ChainHealth', object({ healthy: flag() }));

/** `GET /chains/liquidity`. */
export const LIQUIDITY = named(
  'Liquidity',
  object({
    liquidity: list(
      object({
        chainId: CHAIN_ID,
        currencyId: text(),
        symbol: text(),
        address: text(),
        decimals: integer({ minimum: 0 }),
        balance: UNITS,
        amountUsd: text({ description: 'US dollars; `0` if no price is known.' }),
      }),
    ),
  }),
);

export const SWAP_SOURCES = named('SwapSources', object({ sources: list(text()) }));

/** `GET /config/v2`. Amounts in the smallest unit. */
export const ROUTE_CONFIG = named(
  'RouteConfig',
  object({
    enabled: flag({ description: 'Whether quotes of this route are available now.' }),
    user: object(
      { maxBridgeAmount: text({ pattern: '^[0-9]+$', description: 'Maximum input, origin currency.' }) },
      { balance: text({ pattern: '^[0-9]+$', description: 'Origin currency; absent while unknown.' }) },
    ),
    fee: text({ pattern: '^[0-9]+$', description: 'Service fee, basis points of the input.' }),
    solver: object({
      address: text({ description: 'Account that pays on the destination chain.' }),
      balance: UNITS,
      capacityPerRequest: text({ pattern: '^[0-9]+$', description: 'Maximum of one request, destination currency.' }),
    }),
    supportsExternalLiquidity: flag({ description: 'Whether quotes of this route may take `useExternalLiquidity`.' }),
  }),
);
