import { afterEach, beforeEach, expect, it } from 'vitest';
import { NotYetError, TooMuchToDescribeError } from '../../src/contract/index.js';
import { Describer } from '../../src/engine/rounds/describe.js';
import { Scene } from './support/scene.js';

let scene: Scene;
let asked: number;

beforeEach(async () => {
  scene = await Scene.open();
  asked = 0;
});
afterEach(() => scene.close());

/** The first of them fails. */
async function deposited(error: () => Error): Promise<void> {
  const seen = scene.deposit(await scene.quote(1), 'd1');
  await scene.sees([seen]);
  const { chainId } = seen;
  const entry = {
    type: 'onchain',
    fee: '0',
    block: 5,
    timestamp: 1,
    status: 'success',
    data: null,
    stateChanges: [],
  } as const;
  scene.origin.describeTransaction = (txHash) => {
    if (txHash !== seen.transactionHash) return Promise.resolve({ ...entry, txHash, chainId });
    asked += 1;
    return Promise.reject(error());
  };
}

async function roundsOverAnHour(before: () => Promise<void> = () => Promise.resolve()): Promise<void> {
  const describer = new Describer(scene.context);
  for (let n = 0; n < 60; n += 1) {
    await before();
    await describer.round();
    scene.now += 60_000;
  }
}

const left = async () => (await scene.store.undescribed(10)).length;

async function entry(): Promise<unknown> {
  const filter = { all: [], hiddenChains: [] };
  const search = { filter, sortBy: 'createdAt', direction: 'asc', limit: 1, total: false } as const;
  const [row] = (await scene.store.search(search)).rows;
  const [transaction] = row?.transactions ?? [];
  return { ...transaction, entry: JSON.parse(transaction?.entry ?? 'null') };
}

it('a transaction too large to read is asked for once, and its record says so', async () => {
  await deposited(() => new TooMuchToDescribeError('8 MiB'));
  await roundsOverAnHour();
  expect(asked).toBe(1);
  expect(await left()).toBe(0);
  expect(await entry()).toMatchObject({ status: 'success', block: 101, entry: { truncated: true } });
});

it('a transaction that is not described while others are is given up after a few tries', async () => {
  await deposited(() => new Error('no answer within 3000 ms'));
  let others = 1;
  await roundsOverAnHour(async () => {
    others += 1;
    if (others < 20) await scene.sees([scene.deposit(await scene.quote(others), `d${others}`)]);
  });
  expect(asked).toBeGreaterThan(10);
  expect(asked).toBeLessThan(20);
  expect(await left()).toBe(0);
  expect(await entry()).toMatchObject({ entry: { truncated: true } });
});

it('where a chain that is healthy otherwise describes none, all are described once it does', async () => {
  await deposited(() => new Error('transaction indexing is in progress'));
  await roundsOverAnHour();
  expect(asked).toBe(60);
  expect(await left()).toBe(1);
});

it('neither an outage of the chain nor a provider that throttles costs a record', async () => {
  await deposited(() => new Error('no provider'));
  const status = scene.origin.status();
  scene.origin.status = () => ({ ...status, healthy: false, reason: 'down' }) as never;
  await roundsOverAnHour();
  scene.origin.status = () => status;
  scene.origin.describeTransaction = () => Promise.reject(new NotYetError('throttled'));
  await roundsOverAnHour();
  expect(asked).toBe(60);
  expect(await left()).toBe(1);
});
