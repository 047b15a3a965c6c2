import type { ListingQuery } from '../listing/query.js';
import { LISTING_QUERY } from '../listing/query.js';
import { object, oneOf, type Schema, type TypeOf, text } from '../schema.js';

const rows = LISTING_QUERY['properties'] as Readonly<Record<keyof ListingQuery, Schema>>;
/** Parameters with the same meaning and rules in both versions. */
const SAME = [
  ...['limit', 'continuation', 'user', 'id', 'orderId', 'originChainId', 'destinationChainId', 'chainId'],
  ...['startTimestamp', 'endTimestamp', 'startBlock', 'endBlock', 'referrer', 'depositAddress', 'status', 'apiKey'],
  ...['sortDirection', 'privateChainsToInclude'],
] as readonly (keyof ListingQuery)[];

export const LEGACY_QUERY = object(
  {},
  {
    hash: text({ minLength: 1, maxLength: 256, description: 'Hash of a deposit, a fill or a refund.' }),
    sortBy: oneOf(['createdAt', 'updatedAt'], { default: 'createdAt' }),
  },
);

type Legacy = TypeOf<typeof LEGACY_QUERY>;
export type LegacyQuery = Legacy & Omit<ListingQuery, 'filters' | 'sortBy'>;

export const LEGACY_PARAMETERS: Schema = {
  ...LEGACY_QUERY,
  properties: {
    ...(LEGACY_QUERY['properties'] as Readonly<Record<string, Schema>>),
    ...Object.fromEntries(SAME.map((name) => [name, rows[name]])),
  },
};

export function successorQuery({ hash, ...query }: LegacyQuery): ListingQuery {
  if (hash === undefined) return query;
  const filters = [{ depositTxHash: hash }, { fillTxHash: hash }, { refundTxHash: hash }];
  return { ...query, filters: JSON.stringify(filters) };
}
