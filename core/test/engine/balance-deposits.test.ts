import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { available } from '../../src/capabilities/sponsorship/app-balance.js';
import { balanceChanges } from '../../src/capabilities/sponsorship/credit.js';
import { checkBalances, isLow } from '../../src/capabilities/sponsorship/low-balances.js';
import { screenPayers } from '../../src/capabilities/sponsorship/screen-payers.js';
import type { DepositObservation, Party, Screener } from '../../src/contract/index.js';
import { account, legId } from '../../src/domain/accounts.js';
import { balanceDepositId, balanceValue } from '../../src/domain/app-balance.js';
import { Patience } from '../../src/engine/base/patience.js';
import { decideNow } from '../../src/engine/deposits/ingest.js';
import { collectChain } from '../../src/engine/pots/collect.js';
import { markRestored } from '../../src/engine/recovery/restored.js';
import { insert, integratorRow } from '../../src/testing/store-fixtures.js';
import { ORIGIN } from './support/quotes.js';
import { Scene } from './support/scene.js';

const WHO = 'integrator-1';
const ID = balanceDepositId(WHO);
const COLLECTABLE = { decision: 'credit', collectable: 100_000n };
const CREDIT = {
  kind: 'credit',
  ...{ id: 'credit', integratorId: WHO, requestId: null, chainId: null, currency: null },
  ...{ transactionHash: null, reason: 'test', createdAt: 1 },
} as const;
const ALLOWED = { balanceCurrencies: new Map([[ORIGIN, ['COIN']]]) };

let scene: Scene;

async function opened(policy: object = ALLOWED, screeners: readonly Screener[] = []): Promise<void> {
  await scene?.close();
  scene = await Scene.open(policy, screeners);
  const row = { ...integratorRow(1), id: WHO, fundingAddress: 'linked' };
  await scene.store.apply({ name: 'integrator', changes: [insert('integrators', row)] });
}

beforeEach(() => opened());
afterEach(async () => {
  await scene.close();
});

const balance = () => available(scene.store, WHO);
const pay = (name: string, change: Partial<DepositObservation> = {}) =>
  scene.sees([scene.deposit(null, name, { orderId: ID, ...change })]);
const rowOf = (name: string) => scene.depositRow({ fundingKey: `901:${name}:0` });
const statusOf = async (name: string) => (await scene.store.request((await rowOf(name)).requestId))?.status;
const refundOf = (name: string) => scene.leg(legId.refund(`901:${name}:0`));

it('a balance is low, and alerts, until a deposit lifts it to what the operator asks for', async () => {
  await opened({ ...ALLOWED, lowBalanceMicroUsd: 100_000n });
  await scene.store.apply({ name: 'credit', changes: balanceChanges({ ...CREDIT, amount: 99_999n }) });
  await checkBalances(scene.context);
  expect([...scene.alerts]).toEqual([`app-balance-low:${WHO}`]);
  await pay('a');
  await scene.finalises(101);
  await checkBalances(scene.context);
  expect([...scene.alerts]).toEqual([]);
  expect(isLow({}, 0n)).toBe(false);
});

describe('a deposit under the id of an integrator', () => {
  it('is credited what comes of it where the token charges a fee on transfer, as it has to be collected', async () => {
    scene.origin.transferFee = () => ({ arriving: (sent) => (sent * 9n) / 10n, sentFor: (amount) => amount });
    await pay('a');
    await scene.finalises(101);
    expect([await balance(), await rowOf('a')]).toMatchObject([90_000n, COLLECTABLE]);
  });

  it('is credited once it is final, once for ever, and collected as what was filled is', async () => {
    await pay('a');
    expect([await balance(), await statusOf('a'), (await rowOf('a')).decision]).toEqual([0n, 'pending', 'waiting']);
    await scene.finalises(101);
    expect([await balance(), await statusOf('a')]).toEqual([100_000n, 'success']);
    expect(await rowOf('a')).toMatchObject(COLLECTABLE);
    // The watcher reports it again, as after a restart.
    await scene.sees([scene.deposit(null, 'a', { orderId: ID, state: 'final' })]);
    expect(await balance()).toBe(100_000n);
    const events = await scene.store.balanceEvents(WHO, {}, 9);
    expect(events).toMatchObject([{ kind: 'deposit', amount: 100_000n, chainId: 901, transactionHash: 'a' }]);
    expect(await refundOf('a')).toBeUndefined();
    scene.origin.depositoryBalance = 100_000n;
    expect(await collectChain(scene.context, scene.origin)).toBe(true);
    await scene.settles(scene.origin);
    expect(scene.origin.prepared.map(({ legs }) => legs[0]?.amount)).toEqual([100_000n]);
    expect(await scene.pot(account.owed(ORIGIN, scene.origin.coin))).toBe(0n);
  });

  it('may come any number of times, from anyone', async () => {
    await pay('a');
    await pay('b', { amount: 7n, depositor: 'another' });
    await scene.finalises(150);
    expect(await balance()).toBe(100_007n);
    expect([await statusOf('a'), await statusOf('b')]).toEqual(['success', 'success']);
  });

  it('is credited although a stranger paid something else under the same id before', async () => {
    await opened({ balanceCurrencies: new Map([[ORIGIN, ['OTHER']]]) });
    await pay('a', { depositor: 'stranger' });
    await scene.finalises(150);
    expect(await refundOf('a')).toMatchObject({ recipient: 'stranger' });
    Object.assign(scene.context.policy, ALLOWED);
    await pay('b');
    await scene.finalises(200);
    expect([await balance(), await statusOf('b')]).toEqual([100_000n, 'success']);
  });

  it('is not credited where it was reorged out, and is where it came back', async () => {
    await pay('a');
    await scene.sees([], { rewoundTo: 100 });
    await scene.finalises(150);
    expect([await balance(), await statusOf('a')]).toEqual([0n, 'failure']);
    await pay('a', { block: { height: 160, id: 'b', timestamp: scene.now } });
    expect(await balance()).toBe(0n);
    await scene.finalises(160);
    expect([await balance(), await statusOf('a')]).toEqual([100_000n, 'success']);
  });

  it('goes back where its currency is none that balances are topped up with, or the id is unknown', async () => {
    await opened({ balanceCurrencies: new Map([[ORIGIN, ['OTHER']]]) });
    await pay('a');
    await scene.finalises(150);
    expect(await balance()).toBe(0n);
    expect(await refundOf('a')).toMatchObject({ state: 'owed', amount: 100_000n, recipient: 'depositor' });
    await opened();
    await pay('b', { orderId: balanceDepositId('unknown') });
    await scene.finalises(150);
    expect(await balance()).toBe(0n);
    expect(await refundOf('b')).toMatchObject({ state: 'owed', amount: 100_000n, recipient: 'depositor' });
    await opened({});
    await pay('c');
    await scene.finalises(150);
    expect([await balance(), (await refundOf('c'))?.state]).toEqual([0n, 'owed']);
  });
});

describe('a deposit without an id', () => {
  it('is credited to the integrator that its payer is linked to, and refunded to other payers', async () => {
    await pay('a', { orderId: null, depositor: 'linked' });
    await pay('b', { orderId: null, depositor: 'stranger' });
    await scene.finalises(150);
    expect(await balance()).toBe(100_000n);
    expect(await refundOf('b')).toMatchObject({ recipient: 'stranger' });
  });

  it('of a linked address that pays for an order is the order’s', async () => {
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a', { depositor: 'linked' })]);
    await scene.finalises(150);
    expect([await balance(), (await rowOf('a')).decision]).toEqual([0n, 'fill']);
  });

  it('credits no one where its payer holds the money of many', async () => {
    await opened({ ...ALLOWED, custodians: new Map([[ORIGIN, new Map([['linked', { needsMemo: true }]])]]) });
    await pay('a', { orderId: null, depositor: 'linked' });
    await scene.finalises(150);
    expect(await balance()).toBe(0n);
  });
});

describe('with screeners', () => {
  const blocked = new Set<string>();
  let isDown = false;
  const screener: Screener = {
    id: 'list',
    screen: async (parties: readonly Party[]) => {
      if (isDown) throw new Error('down');
      return parties.map(({ address }) =>
        blocked.has(address) ? { blocked: true as const, reason: 'listed' } : { blocked: false as const },
      );
    },
  };
  const screens = async () => {
    const cleared = await screenPayers(scene.context, scene.origin, new Patience(scene.context.clock));
    await decideNow(scene.context, ORIGIN, cleared, scene.session);
  };

  it('is credited once its payer was cleared, and held where that is blocked', async () => {
    await opened(ALLOWED, [screener]);
    isDown = true;
    blocked.add('villain');
    await pay('a');
    await pay('b', { depositor: 'villain' });
    await scene.finalises(150);
    await screens();
    expect(await balance()).toBe(0n);
    isDown = false;
    await screens();
    expect(await balance()).toBe(100_000n);
    expect((await rowOf('b')).decision).toBe('hold');
    await scene.pays(scene.origin);
    expect((await scene.store.holds('open')).map(({ reason }) => reason)).toEqual(['MANUAL_REFUND_REQUIRED']);
  });
});

it('counts currencies of any decimals in micro-USD, rounded down', () => {
  expect([balanceValue(1_999_999_999_999n, 18), balanceValue(5n, 6), balanceValue(123n, 2)]).toEqual([
    1n,
    5n,
    1_230_000n,
  ]);
});

it('a plain transfer of the linked address from before a restore, which a lost mapping may have named, is held', async () => {
  scene.now += 1_000;
  await markRestored(scene.store, scene.now);
  const linked = { orderId: null, depositor: 'linked' };
  await pay('mapped', { ...linked, sentBy: { account: 'linked', nonce: '7' } });
  await pay('other', linked);
  await scene.finalises(150);
  await scene.pays(scene.origin);
  expect((await rowOf('other')).decision).toBe('credit');
  expect(await refundOf('mapped')).toMatchObject({ state: 'held' });
  expect(await balance()).toBe(100_000n);
});
