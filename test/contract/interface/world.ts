import type { ApiDeps } from '../../../core/src/api/index.js';
import { hashKey } from '../../../core/src/api/key-format.js';
import type { RequestRow } from '../../../core/src/contract/index.js';
import { featureBits, REQUEST_FEATURES } from '../../../core/src/domain/features.js';
import { REQUEST_TYPES } from '../../../core/src/domain/request-type.js';
import { FAIL_REASONS, REFUND_FAIL_REASONS } from '../../../core/src/errors/fail-reasons.js';
import { apiKeyRow } from '../../../core/src/testing/store-fixtures.js';
import { address, NATIVE, OTHER_TOKEN } from '../../../core/test/api/support/chain-double.js';
import { depositOf, hash, refundLegOf, requestOf, transactionOf } from '../../../core/test/api/support/rows.js';
import { type RunningApi, runningApi, USER } from '../../../core/test/api/support/running-api.js';
import { addSponsor } from '../../../core/test/api/support/sponsor.js';

/** Requests in the listing, by what distinguishes each. Number n was made on the n-th day of 2021. */
export const SEEDS = [
  'success',
  'refund',
  'failure',
  'pending',
  'depositing',
  'submitted',
  'waiting',
  'fallback',
  'child',
  'reorged',
] as const;
export type Seed = (typeof SEEDS)[number];

export const WALLET = address('5');
export const SENDER = address('4');
export const DEPOSITOR = address('6');
export const DEPOSIT_ADDRESS = address('7');
export const OTHER_KEY = 'another-key-for-tests-0123456789';

const DAY_S = 86_400;
const START_S = Date.UTC(2021, 0, 1) / 1_000;
/** Unix seconds. */
export const dayOf = (seed: Seed): number => START_S + (SEEDS.indexOf(seed) + 1) * DAY_S;
/** After all seeds, before all others. */
export const END_S: number = START_S + 40 * DAY_S;

export interface World {
  readonly api: RunningApi;
  readonly seeds: Readonly<Record<Seed, RequestRow>>;
  readonly by: ReadonlyMap<string, string>;
  open(change: Partial<ApiDeps>): Promise<RunningApi>;
  close(): Promise<void>;
}

export const DESCRIBED = {
  fee: '2100000000000',
  feeUsd: '0.0042',
  data: { from: WALLET, to: address('d'), data: '0x', value: '0' },
  stateChanges: [{ address: WALLET, change: { kind: 'token', balanceDiff: '-100000000' } }],
};
export const FAILED_CALL = { from: address('f'), to: address('e'), data: '0xab', value: '0' };

export async function createWorld(): Promise<World> {
  const api = await runningApi();
  const opened: RunningApi[] = [api];
  const keys = [
    apiKeyRow(7, { id: 'key-other', hash: hashKey(OTHER_KEY), integratorId: 'integrator-2', scopes: '["*"]' }),
    apiKeyRow(8, { id: 'key-sibling', integratorId: 'integrator-1', name: null }),
  ];
  const changes = keys.map((row) => ({ op: 'insert', table: 'apiKeys', row }) as const);
  const outcome = await api.store.apply({ name: 'test.keys', changes });
  if (!outcome.ok) throw new Error(JSON.stringify(outcome));
  await addSponsor(api);
  const seeds = await sow(api);
  const by = await sowValues(api, seeds.success);
  return {
    api,
    seeds,
    by,
    open: async (change) => {
      const other = await runningApi(change);
      opened.push(other);
      return other;
    },
    close: async () => {
      for (const one of opened) {
        await one.api.close();
        await one.close();
      }
    },
  };
}

async function sow(api: RunningApi): Promise<World['seeds']> {
  const made: Partial<Record<Seed, RequestRow>> = {};
  const add = async (seed: Seed, ask: object, row: Partial<RequestRow>) => {
    const createdAt = dayOf(seed) * 1_000;
    const times = { createdAt, updatedAt: createdAt + 500 };
    const recipient = `0x${(SEEDS.indexOf(seed) + 0x100).toString(16).padStart(40, '0')}`;
    const status = seed === 'child' || seed === 'reorged' ? 'failure' : seed;
    made[seed] = await requestOf(api, { user: WALLET, recipient, ...ask }, { status, ...times, amountUsd: 1, ...row });
    return made[seed];
  };
  const filled = JSON.stringify({ amountIn: '100000000', currencyIn: address('a'), amountOut: '98000000' });
  const success = await add(
    'success',
    { appFees: [{ recipient: USER, fee: '100' }], referrer: 'shop', slippageTolerance: '75' },
    { keyId: 'key-1', actual: filled, fillTimeMs: 900, amountUsd: 100_000_000, referrer: 'shop' },
  );
  await transactionOf(api, success.id, 'deposit', 800, { entry: JSON.stringify(DESCRIBED) });
  await transactionOf(api, success.id, 'fill', 801);
  await depositOf(api, success, 800);
  const refund = await add(
    'refund',
    { referrer: 'shop', refundTo: WALLET },
    { failReason: 'SLIPPAGE', keyId: 'key-other', amountUsd: 5_000_000, referrer: 'shop' },
  );
  await transactionOf(api, refund.id, 'deposit', 810);
  await transactionOf(api, refund.id, 'refund', 811);
  await refundLegOf(api, refund, 99_000_000n);
  const failure = await add(
    'failure',
    {},
    {
      failReason: 'TRANSACTION_REVERTED',
      refundFailReason: 'MANUAL_REFUND_REQUIRED',
      failed: JSON.stringify({ txHash: hash(821), block: 821, call: FAILED_CALL }),
      keyId: 'key-sibling',
      sender: SENDER,
    },
  );
  await transactionOf(api, failure.id, 'failed', 821);
  await add(
    'pending',
    {
      originChainId: 2,
      destinationChainId: 1,
      originCurrency: NATIVE,
      destinationCurrency: NATIVE,
      amount: '1000000000000000',
    },
    { fillTimeMs: 61_000, amountUsd: null },
  );
  await add(
    'depositing',
    { originCurrency: OTHER_TOKEN, destinationCurrency: OTHER_TOKEN, amount: '5000000000000000000' },
    { depositAddress: DEPOSIT_ADDRESS, depositor: DEPOSITOR, amountUsd: 5_000_001, sender: null },
  );
  await add('submitted', {}, { sender: null });
  for (const seed of ['waiting', 'fallback'] as const) await add(seed, {}, {});
  await add('child', {}, { parentRequestId: success.id, orderId: success.orderId, failReason: 'DOUBLE_SPEND' });
  const reorged = await add('reorged', {}, { failReason: 'DEPOSIT_REORGED' });
  await transactionOf(api, reorged.id, 'deposit', 860, { status: 'failure' });
  return made as World['seeds'];
}

async function sowValues(api: RunningApi, like: RequestRow): Promise<Map<string, string>> {
  const values: readonly (readonly [string, Partial<RequestRow>])[] = [
    ...FAIL_REASONS.filter((one) => one !== 'N/A').map(
      (failReason) => [`failReason ${failReason}`, { failReason }] as const,
    ),
    ...REFUND_FAIL_REASONS.map((refundFailReason) => [`refund ${refundFailReason}`, { refundFailReason }] as const),
    ...REQUEST_TYPES.map((requestType) => [`type ${requestType}`, { requestType }] as const),
    ...REQUEST_FEATURES.map((name) => [`feature ${name}`, { features: featureBits([name]) }] as const),
  ];
  const createdAt = Date.UTC(2022, 0, 1);
  const plain = { ...like, keyId: null, referrer: null, features: 0, fillTimeMs: null, amountUsd: null, appFeesUsd: 0 };
  const rows = values.map(([, row], n): RequestRow => {
    const [id, orderId] = [hash(0x10_0000 + n), hash(0x20_0000 + n)];
    const times = { createdAt: createdAt + n, updatedAt: createdAt + n };
    const who = { user: address('3'), sender: address('3'), requestType: 'Send' };
    return { ...plain, ...who, ...times, id, orderId, status: 'failure', failReason: null, ...row };
  });
  const changes = rows.map((row) => ({ op: 'insert', table: 'requests', row }) as const);
  const outcome = await api.store.apply({ name: 'test.values', changes });
  if (!outcome.ok) throw new Error(JSON.stringify(outcome));
  return new Map(values.map(([name], n) => [name, rows[n]?.id ?? '']));
}
