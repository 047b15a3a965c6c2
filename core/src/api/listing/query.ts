import type { Schema } from '../route.js';

const id: Schema = { type: 'string', minLength: 1, maxLength: 256 };
const chain: Schema = { type: 'integer', minimum: 0 };
const time: Schema = { type: 'integer', minimum: 0, maximum: 100_000_000_000 };

/** Filters of interface.md, `GET /requests/v3`, that are served. Times are Unix seconds. */
export interface ListingQuery {
  readonly limit: number;
  readonly continuation?: string;
  readonly user?: string;
  readonly id?: string;
  readonly orderId?: string;
  readonly depositTxHash?: string;
  readonly fillTxHash?: string;
  readonly refundTxHash?: string;
  readonly originChainId?: number;
  readonly destinationChainId?: number;
  readonly chainId?: number;
  readonly recipient?: string;
  readonly status?: 'success' | 'failure' | 'refund' | 'pending' | 'depositing';
  readonly sortBy: 'createdAt' | 'updatedAt' | 'amountUsd';
  readonly sortDirection?: 'asc' | 'desc';
  readonly startTimestamp?: number;
  readonly endTimestamp?: number;
  readonly includeChildRequests: boolean;
  readonly includeTotal: boolean;
}

/** Filters of interface.md that are not built yet: they answer 400, never silently everything. */
export const NOT_BUILT = [
  'term',
  'privateChainsToInclude',
  'depositAddress',
  'failReason',
  'refundFailReason',
  'apiKey',
  'referrer',
  'requestType',
  'currencyInChainId',
  'currencyOutChainId',
  'currencyInAddress',
  'currencyOutAddress',
  'currencyInSymbol',
  'currencyOutSymbol',
  'startBlock',
  'endBlock',
  'amountUsdMin',
  'amountUsdMax',
  'appFeesAmountUsdMin',
  'appFeesAmountUsdMax',
  'fillTimeMin',
  'fillTimeMax',
  'features',
  'includeAuthenticatedData',
  'filters',
] as const;

export const LISTING_QUERY: Schema = {
  type: 'object',
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 50, default: 20 },
    continuation: { type: 'string', minLength: 1, maxLength: 1024 },
    user: id,
    id,
    orderId: id,
    depositTxHash: id,
    fillTxHash: id,
    refundTxHash: id,
    originChainId: chain,
    destinationChainId: chain,
    chainId: chain,
    recipient: id,
    status: { type: 'string', enum: ['success', 'failure', 'refund', 'pending', 'depositing'] },
    sortBy: { type: 'string', enum: ['createdAt', 'updatedAt', 'amountUsd'], default: 'createdAt' },
    sortDirection: { type: 'string', enum: ['asc', 'desc'] },
    startTimestamp: time,
    endTimestamp: time,
    includeChildRequests: { type: 'boolean', default: false },
    includeTotal: { type: 'boolean', default: false },
    ...Object.fromEntries(NOT_BUILT.map((name) => [name, { type: 'string' }])),
  },
};
