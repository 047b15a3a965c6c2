import { expect } from 'vitest';
import { hashKey } from '../../../core/src/api/key-format.js';
import { memoryStore } from '../../../core/src/testing/index.js';
import { apiKeyRow } from '../../../core/src/testing/store-fixtures.js';
import { chainDouble, NATIVE, OTHER_TOKEN, TOKEN } from '../../../core/test/api/support/chain-double.js';
import { hash, requestOf } from '../../../core/test/api/support/rows.js';
import { API_KEY, withKey } from '../../../core/test/api/support/running-api.js';
import { finds, invalid } from './asks.js';
import type { Ask, Row } from './table.js';
import { DEPOSIT_ADDRESS, DEPOSITOR, OTHER_KEY, SEEDS, SENDER, WALLET, type World } from './world.js';

const LIST = 'GET /requests/v3';
const ALL = [...SEEDS];
const but = (...left: readonly string[]) => ALL.filter((seed) => !left.includes(seed));
const mixed = (text: string) => text.toUpperCase().replace('0X', '0x');
const groups = (...filters: readonly object[]) => ({ filters: JSON.stringify(filters) });
const refused = (query: Ask['query'], status: number, field?: string): Ask => ({
  call: LIST,
  ...(query === undefined ? {} : { query }),
  status,
  has: { statusCode: status, ...(field === undefined ? {} : { errorData: { field } }) },
});
const _shows = (query: NonNullable<Ask['query']>, has: unknown): Ask => ({ call: LIST, query, has });

/** Parameters that a request must match: owner, identifiers, outcome. */
export const MATCHES: readonly Row[] = [
  {
    name: 'limit',
    type: 'number',
    default: '20',
    rule: 'page size, 1 to 50',
    asks: [
      ...(
        [
          [{}, 20],
          [{ limit: 1 }, 1],
          [{ limit: 50 }, 50],
        ] as const
      ).map(([query, length]) => ({
        call: LIST as `GET /${string}`,
        query,
        judge: ({ body }: { body: { requests: object[] } }) => expect(body.requests).toHaveLength(length),
      })),
      ...invalid('limit', 0, 51, -1, 1.5, 'all', ''),
    ],
  },
  {
    name: 'continuation',
    type: 'string',
    rule: 'cursor of the answer before; absent on the last page',
    asks: invalid('continuation', 'x', 'e30'),
    shows: async ({ api, seeds }) => {
      const seen: string[] = [];
      let query = `user=${WALLET}&limit=3`;
      for (let pages = 0; query !== '' && pages < 10; pages += 1) {
        const { body } = await api.call('GET', `/requests/v3?${query}`, withKey);
        seen.push(...body.requests.map(({ id }: { id: string }) => id));
        const next = body.continuation as string | undefined;
        query = next === undefined ? '' : `user=${WALLET}&limit=3&continuation=${encodeURIComponent(next)}`;
      }
      expect(seen).toEqual([...ALL].reverse().map((seed) => seeds[seed].id));
    },
  },
  {
    name: 'user',
    type: 'string',
    rule: 'matches sender or deposit-address depositor',
    asks: [
      finds({ user: mixed(WALLET) }, ...ALL),
      finds({ user: SENDER }, 'failure'),
      finds({ user: DEPOSITOR }, 'depositing'),
      finds({ user: NATIVE }),
      ...invalid('user', ''),
    ],
  },
  {
    name: 'term',
    type: 'string',
    rule: 'broad search across request id, wallet, deposit address and all transaction hashes',
    asks: [
      finds(({ seeds }) => ({ term: seeds.refund.id }), 'refund'),
      finds({ term: WALLET }, ...ALL),
      finds({ term: DEPOSIT_ADDRESS }, 'depositing'),
      finds({ term: mixed(hash(800)) }, 'success'),
      finds({ term: hash(801) }, 'success'),
      finds({ term: hash(811) }, 'refund'),
      finds({ term: hash(821) }, 'failure'),
      finds({ term: 'nothing' }),
    ],
  },
  {
    name: 'id',
    type: 'string',
    rule: 'request id',
    asks: [
      finds(({ seeds }) => ({ id: mixed(seeds.pending.id) }), 'pending'),
      finds({ id: hash(1) }),
      ...invalid('id', ''),
    ],
  },
  {
    name: 'orderId',
    type: 'string',
    rule: 'order id of the protocol',
    asks: [
      finds(({ seeds }) => ({ orderId: seeds.refund.orderId }), 'refund'),
      finds(({ seeds }) => ({ orderId: seeds.success.orderId }), 'success', 'child'),
      finds({ orderId: hash(1) }),
    ],
  },
  {
    name: 'depositTxHash, fillTxHash, refundTxHash',
    type: 'string',
    rule: 'single-field hash look-ups',
    asks: [
      finds({ depositTxHash: mixed(hash(800)) }, 'success'),
      finds({ depositTxHash: hash(801) }),
      finds({ fillTxHash: hash(801) }, 'success'),
      finds({ fillTxHash: hash(800) }),
      finds({ refundTxHash: hash(811) }, 'refund'),
      finds({ refundTxHash: hash(810) }),
    ],
  },
  {
    name: 'originChainId, destinationChainId',
    type: 'number',
    rule: 'exact',
    asks: [
      finds({ originChainId: 2 }, 'pending'),
      finds({ destinationChainId: 2 }, ...but('pending')),
      ...invalid('originChainId', 'alpha', -1),
      ...invalid('destinationChainId', 1.5),
    ],
  },
  {
    name: 'chainId',
    type: 'number',
    rule: 'either direction; overridden by originChainId and destinationChainId',
    asks: [
      finds({ chainId: 2 }, ...ALL),
      finds({ chainId: 3 }),
      finds({ chainId: 3, originChainId: 2 }, 'pending'),
      finds({ chainId: 3, destinationChainId: 1 }, 'pending'),
      ...invalid('chainId', 'alpha'),
    ],
  },
  {
    name: 'privateChainsToInclude',
    type: 'string',
    rule: 'comma-separated UUIDs of private chains that the key was granted',
    asks: [
      ...invalid('privateChainsToInclude', 'x', ''),
      refused({ privateChainsToInclude: '6f1c2c9a-0d4e-4c58-9a8e-0123456789ab' }, 403),
    ],
    shows: privateChains,
  },
  {
    name: 'depositAddress',
    type: 'string',
    rule: 'exact',
    asks: [finds({ depositAddress: mixed(DEPOSIT_ADDRESS) }, 'depositing'), finds({ depositAddress: WALLET })],
  },
  {
    name: 'recipient',
    type: 'string',
    rule: 'exact',
    asks: [
      finds(({ seeds }) => ({ recipient: mixed(seeds.waiting.recipient) }), 'waiting'),
      finds({ recipient: NATIVE }),
    ],
  },
  {
    name: 'status',
    type: 'string enum',
    rule: 'success, failure, refund, pending, depositing',
    asks: [
      finds({ status: 'success' }, 'success'),
      finds({ status: 'failure' }, 'failure', 'child', 'reorged'),
      finds({ status: 'refund' }, 'refund', 'fallback'),
      finds({ status: 'pending' }, 'pending'),
      finds({ status: 'depositing' }, 'depositing'),
      ...invalid('status', 'waiting', 'submitted', 'Success', 'done', ''),
    ],
  },
  {
    name: 'failReason',
    type: 'string enum',
    rule: 'any value of the failReason enum',
    asks: [finds({ failReason: 'SLIPPAGE' }, 'refund'), ...invalid('failReason', 'slippage', 'MINE', '')],
  },
  {
    name: 'refundFailReason',
    type: 'string enum',
    rule: 'any value of the refundFailReason enum',
    asks: [
      finds({ refundFailReason: 'MANUAL_REFUND_REQUIRED' }, 'failure'),
      ...invalid('refundFailReason', 'SLIPPAGE', ''),
    ],
  },
  {
    name: 'apiKey',
    type: 'string',
    rule: 'single key or comma-separated list; matches any',
    asks: [
      finds({ apiKey: API_KEY }, 'success'),
      finds({ apiKey: `${OTHER_KEY}, ${API_KEY}` }, 'success', 'refund'),
      // The id of another integrator's key is less secret than the key.
      finds({ apiKey: `key-other, ${API_KEY}` }, 'success'),
      finds({ apiKey: 'nobody' }),
      ...invalid('apiKey', '', ',', 'a,,b'),
    ],
  },
  {
    name: 'referrer',
    type: 'string',
    rule: 'exact; paired with apiKey, all of whose keys belong to the caller; also inside filters',
    asks: [
      finds({ referrer: 'shop', apiKey: 'key-1,key-sibling' }, 'success'),
      finds({ referrer: 'SHOP', apiKey: 'key-1' }),
      finds({ apiKey: 'key-1,key-sibling', ...groups({ 'not:referrer': 'shop' }) }, 'failure'),
      finds({ apiKey: 'key-1,key-sibling', ...groups({ referrer: 'shop' }) }, 'success'),
      refused({ referrer: 'shop' }, 400, 'referrer'),
      refused({ referrer: '', apiKey: 'key-1' }, 400, 'referrer'),
      refused({ apiKey: 'key-1', ...groups({ referrer: '' }) }, 400),
      refused({ referrer: 'shop', apiKey: 'key-1,key-other' }, 403),
    ],
  },
  {
    name: 'requestType',
    type: 'string',
    rule: 'case-insensitive',
    asks: [
      finds({ requestType: 'bRIDGE' }, ...ALL),
      finds({ requestType: 'same-chain swap' }),
      ...invalid('requestType', 'Swap', ''),
    ],
  },
  {
    name: 'currencyInChainId, currencyOutChainId',
    type: 'number',
    rule: 'exact',
    asks: [
      finds({ currencyInChainId: 2 }, 'pending'),
      finds({ currencyOutChainId: 1 }, 'pending'),
      ...invalid('currencyInChainId', 'alpha'),
      ...invalid('currencyOutChainId', -1),
    ],
  },
  {
    name: 'currencyInAddress, currencyOutAddress',
    type: 'string',
    rule: 'exact',
    asks: [
      finds({ currencyInAddress: NATIVE }, 'pending'),
      finds({ currencyInAddress: mixed(TOKEN) }, ...but('pending', 'depositing')),
      finds({ currencyOutAddress: mixed(OTHER_TOKEN) }, 'depositing'),
    ],
  },
  {
    name: 'currencyInSymbol, currencyOutSymbol',
    type: 'string',
    rule: 'case-insensitive, across all chains',
    asks: [
      finds({ currencyInSymbol: 'eTh' }, 'pending'),
      finds({ currencyOutSymbol: 'dai' }, 'depositing'),
      finds({ currencyInSymbol: 'usdc' }, ...but('pending', 'depositing')),
    ],
  },
];

async function privateChains({ open }: World): Promise<void> {
  const UUID = '6f1c2c9a-0d4e-4c58-9a8e-0123456789ab';
  const store = memoryStore({ clock: { monotonic: () => 0 }, hiddenChains: () => [2] });
  await store.open();
  const row = apiKeyRow(1, { hash: hashKey(API_KEY), scopes: '["*"]', privateChains: JSON.stringify([UUID]) });
  await store.apply({ name: 'test.keys', changes: [{ op: 'insert', table: 'apiKeys', row }] });
  const [a, b] = [chainDouble(1, 'alpha'), chainDouble(2, 'beta')];
  const hidden = { ...b.adapter, facts: { ...b.adapter.facts, private: UUID } };
  const api = await open({
    store,
    chains: new Map([
      [1, a.adapter],
      [2, hidden],
    ]),
  });
  const call: typeof api.call = (method, path, options) => api.call(method, path, { ...options, ...withKey });
  const { id } = await requestOf({ ...api, store, call } as never);
  const found = async (query: string) =>
    (await call('GET', `/requests/v3?${query}`)).body.requests.map((one: { id: string }) => one.id);
  expect(await found('')).toEqual([]);
  expect(await found(`privateChainsToInclude=${UUID}`)).toEqual([id]);
}
