import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LegInstruction, LegPaid } from '../../src/contract/index.js';
import { account, counter, legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { topUpId } from '../../src/domain/top-up.js';
import { UnitOfWork } from '../../src/engine/base/unit-of-work.js';
import { releaseHold } from '../../src/engine/operator/release-hold.js';
import { noteForeign } from '../../src/engine/recovery/foreign-fills.js';
import { markRestored } from '../../src/engine/recovery/restored.js';
import { DESTINATION, NOW, ORIGIN, quoteBody } from './support/quotes.js';
import { Scene } from './support/scene.js';
import { SIGNER } from './support/scripted-chain.js';

let scene: Scene;
let body: QuoteBody;

/** What the coin takes of a deposit of 100,000, its gas of 100 included. */
const PART = 5_100n;
const COIN = `coin-${DESTINATION}`;

/** A hundredth stays with the pot, a hundred is for gas and 5,000 for the coin: what is left converts one to one. */
function withTopUp(n: number, overrides: Partial<QuoteBody> = {}): Partial<QuoteBody> {
  const { terms } = quoteBody(n);
  return {
    amountOut: '93900',
    minimumAmount: '93000',
    terms: { ...terms, topUp: { value: '5000', gas: '100' } },
    topUp: {
      ...{ currency: COIN, symbol: 'COIN', decimals: 6, amount: '5000', minimumAmount: '4950', usd: '1' },
      spreadBps: 0,
    },
    features: ['gas_top_up'],
    ...overrides,
  };
}

const isCoin = (leg: LegInstruction) => leg.kind === 'fill' && leg.orderId === topUpId(body.orderId);
const coins = () => scene.destination.prepared.flatMap(({ legs }) => legs).filter(isCoin);
const topUp = () => scene.leg(legId.topUp(body.orderId));
const fill = () => scene.leg(legId.fill(body.orderId));
const excess = (name = 'deposit') => scene.leg(legId.excess(`901:${name}:0`));
const status = async () => (await scene.request(body)).status;
const reserved = () => scene.pot(counter.reserved(DESTINATION, SIGNER, COIN));
const wait = (ms: number) => {
  scene.now += ms;
};

async function paidIn(overrides: Partial<QuoteBody> = {}, amount?: bigint): Promise<void> {
  body = await scene.quote(1, withTopUp(1, overrides));
  await scene.sees([scene.deposit(body, 'deposit', amount === undefined ? {} : { amount })]);
}

async function filled(options: { final?: boolean } = {}): Promise<void> {
  await scene.pays(scene.destination);
  scene.destination.lands(`${SIGNER}:0`, 501, options);
  await scene.tracks(scene.destination);
}

/** What the chain says of the top-up alone. */
function refusing(reason: 'TRANSFER_FAILED' | 'ORDER_ALREADY_FILLED'): void {
  scene.destination.checkAnswer = (leg: LegInstruction) =>
    leg.legId.startsWith('topup:') ? { ok: false, kind: 'refused', reason, message: 'no' } : { ok: true, plan: '{}' };
}

beforeEach(async () => {
  scene = await Scene.open();
});

afterEach(async () => {
  await scene.close();
});

describe('native coin beside an output', () => {
  it('is reserved with the output, and settles its own part of the deposit', async () => {
    await paidIn();
    expect(await fill()).toMatchObject({ state: 'owed', amount: 93_900n, covers: 100_000n - PART });
    expect(await topUp()).toMatchObject({
      ...{ kind: 'topUp', state: 'owed', amount: 5_000n, covers: PART, recipient: 'recipient', currency: COIN },
      ...{ orderId: topUpId(body.orderId), deadlineAt: body.deadlineAt + 600_000 },
    });
    expect(await reserved()).toBe(98_900n);
  });

  it('goes out once the output is on the chain, and the request is a success with both', async () => {
    await paidIn();
    wait(6_000);
    await scene.pays(scene.destination);
    expect(scene.destination.prepared.flatMap(({ legs }) => legs)).toMatchObject([{ legId: `fill:${body.orderId}` }]);
    scene.destination.lands(`${SIGNER}:0`, 501, { final: true });
    await scene.tracks(scene.destination);
    expect(await status()).toBe('submitted');
    await scene.settles(scene.destination);
    expect(scene.destination.prepared.at(-1)?.legs).toMatchObject([
      { kind: 'fill', orderId: topUpId(body.orderId), amount: 5_000n, recipient: 'recipient', currency: COIN },
    ]);
    expect(await status()).toBe('submitted');
    scene.destination.lands(`${SIGNER}:1`, 502, { final: true });
    await scene.tracks(scene.destination);
    expect(await status()).toBe('success');
    expect((await topUp())?.state).toBe('done');
    expect(JSON.parse((await scene.request(body)).actual ?? '{}')).toMatchObject({ amountOut: '93900', topUp: '5000' });
    const [view] = await scene.store.views([body.requestId]);
    expect(view?.transactions.filter(({ role }) => role === 'fill')).toHaveLength(2);
    expect(await scene.pot(account.paid(DESTINATION, COIN))).toBe(98_900n);
    expect(await scene.pot(account.owed(ORIGIN, `coin-${ORIGIN}`))).toBe(0n);
    await scene.finalises(101);
    await scene.idle();
    expect(await scene.depositRow({ fundingKey: '901:deposit:0' })).toMatchObject({ collectable: 100_000n });
  });

  it('takes app fees of the whole deposit', async () => {
    const { terms } = quoteBody(1);
    const appFees = [{ recipient: 'shop', bps: 1_000 }];
    await paidIn({
      terms: { ...terms, topUp: { value: '5000', gas: '100' }, appFees },
      amountOut: '83900',
      minimumAmount: '83000',
    });
    await filled({ final: true });
    expect(await scene.pot(account.appFees(ORIGIN, 'shop', `coin-${ORIGIN}`))).toBe(-10_000n);
  });

  it('waits with its output for inventory', async () => {
    scene.destination.token = 'token';
    const { topUp: promise } = withTopUp(1);
    await paidIn({ topUp: { ...promise, currency: 'token' } as QuoteBody['topUp'] & object });
    expect(await fill()).toMatchObject({ state: 'short', reason: 'SOLVER_BALANCE_TOO_LOW' });
    expect(await topUp()).toMatchObject({ state: 'short' });
    expect(await scene.pot(counter.reserved(DESTINATION, SIGNER, 'token'))).toBe(0n);
    wait(700_000);
    await scene.settles(scene.destination);
    expect(await fill()).toMatchObject({ state: 'void', covers: 100_000n });
    expect(await topUp()).toMatchObject({ state: 'void', covers: 0n });
    expect(await scene.leg('refund:901:deposit:0')).toMatchObject({ covers: 100_000n });
    await scene.finalises(101);
    await scene.idle();
  });
});

describe('a deposit whose output is not delivered', () => {
  it('goes back whole, and no coin goes out', async () => {
    await paidIn();
    scene.destination.checkAnswer = () => ({ ok: false, kind: 'refused', reason: 'TRANSFER_FAILED', message: 'no' });
    await scene.pays(scene.destination);
    expect(await scene.leg('refund:901:deposit:0')).toMatchObject({ state: 'blocked', covers: 100_000n });
    expect(await topUp()).toMatchObject({ state: 'void', covers: 0n });
    expect(await reserved()).toBe(0n);
    wait(60_000);
    await scene.pays(scene.destination);
    expect(scene.destination.prepared).toEqual([]);
  });

  it.each(['owed', 'short'] as const)('goes back once where both are given up in one round: %s', async (state) => {
    const { topUp: promise } = withTopUp(1);
    if (state === 'short') scene.destination.token = 'token';
    await paidIn(state === 'short' ? { topUp: { ...promise, currency: 'token' } as QuoteBody['topUp'] & object } : {});
    expect((await topUp())?.state).toBe(state);
    wait(700_000);
    await scene.settles(scene.destination);
    expect(await fill()).toMatchObject({ state: 'void', covers: 100_000n });
    expect(await topUp()).toMatchObject({ state: 'void', covers: 0n, reason: 'its fill was given up' });
    expect(await scene.leg('refund:901:deposit:0')).toMatchObject({ covers: 100_000n });
    expect(await excess()).toBeUndefined();
    expect(await reserved()).toBe(0n);
    await scene.finalises(101);
    await scene.idle();
  });

  it('goes back without the part of coin that went out before a reorg took the output for good', async () => {
    await paidIn();
    await filled();
    await scene.settles(scene.destination);
    scene.destination.lands(`${SIGNER}:1`, 502, { final: true });
    await scene.tracks(scene.destination);
    expect(await status()).toBe('success');
    scene.destination.evidence.set(`${SIGNER}:0`, { state: 'spentByOther', final: true });
    await scene.tracks(scene.destination);
    expect(await status()).toBe('failure');
    expect(await scene.leg('refund:901:deposit:0')).toMatchObject({ covers: 100_000n - PART });
    await scene.finalises(101);
    await scene.idle();
    scene.errors.length = 0;
  });

  it('gives the coin back later where it was under way', async () => {
    await paidIn();
    await filled();
    await scene.settles(scene.destination);
    scene.destination.lands(`${SIGNER}:0`, 503, { final: true, ok: false });
    await scene.tracks(scene.destination);
    expect(await scene.leg('refund:901:deposit:0')).toMatchObject({ covers: 100_000n - PART });
    scene.destination.lands(`${SIGNER}:1`, 502, { final: true, ok: false });
    await scene.tracks(scene.destination);
    wait(10_000);
    await scene.settles(scene.destination);
    expect(await topUp()).toMatchObject({ state: 'closed', reason: 'unfilled' });
    expect(await excess()).toMatchObject({ state: 'blocked', covers: PART });
    await scene.finalises(101);
    await scene.idle();
    scene.errors.length = 0;
  });
});

describe('coin that cannot be delivered', () => {
  it('goes back out of the deposit, and the request is a success', async () => {
    await paidIn();
    await filled({ final: true });
    refusing('TRANSFER_FAILED');
    await scene.settles(scene.destination);
    expect(await topUp()).toMatchObject({ state: 'void', reason: 'TRANSFER_FAILED', covers: PART });
    expect(await status()).toBe('success');
    expect(await excess()).toMatchObject({ state: 'blocked', covers: PART, recipient: 'refund-recipient' });
    await scene.finalises(101);
    await scene.pays(scene.origin);
    scene.origin.lands(`${SIGNER}:0`, 110, { final: true });
    await scene.tracks(scene.origin);
    // Its network fee comes off it.
    expect(await excess()).toMatchObject({ state: 'done', amount: PART - 10n });
    expect(await status()).toBe('success');
    expect(await scene.pot(account.owed(ORIGIN, `coin-${ORIGIN}`))).toBe(0n);
    await scene.idle();
  });

  it('bears what failing to deliver it cost', async () => {
    await paidIn();
    await filled({ final: true });
    for (let n = 1; n <= 3; n += 1) {
      await scene.settles(scene.destination);
      scene.destination.lands(`${SIGNER}:${n}`, 501 + n, { final: true, ok: false });
      await scene.tracks(scene.destination);
      wait(60_000);
    }
    await scene.settles(scene.destination);
    expect(await topUp()).toMatchObject({ state: 'closed', reason: 'TRANSACTION_REVERTED', spent: 21n });
    await scene.finalises(101);
    await scene.pays(scene.origin);
    expect(await excess()).toMatchObject({ state: 'bound', amount: PART - 10n - 21n });
  });

  it('is tried again only as long as its part bears what that costs', async () => {
    const { terms } = quoteBody(1);
    const { topUp: promise } = withTopUp(1);
    await paidIn({
      amountOut: '98988',
      terms: { ...terms, topUp: { value: '5', gas: '7' } },
      topUp: { ...promise, amount: '5', minimumAmount: '4' } as QuoteBody['topUp'] & object,
    });
    await filled({ final: true });
    await scene.settles(scene.destination);
    scene.destination.lands(`${SIGNER}:1`, 502, { final: true, ok: false });
    await scene.tracks(scene.destination);
    wait(60_000);
    await scene.settles(scene.destination);
    // Of 12, one took 7.
    expect(await topUp()).toMatchObject({ state: 'closed', reason: 'TRANSACTION_REVERTED', covers: 12n, spent: 7n });
    expect(await excess()).toMatchObject({ covers: 12n });
    expect(coins()).toHaveLength(1);
  });

  it('is held where what was paid on top goes back already', async () => {
    await paidIn({}, 120_000n);
    expect(await excess()).toMatchObject({ covers: 20_000n });
    await filled({ final: true });
    refusing('TRANSFER_FAILED');
    await scene.settles(scene.destination);
    expect(await topUp()).toMatchObject({ state: 'held', covers: PART });
    expect(await status()).toBe('success');
    const [hold] = await scene.store.holds('open');
    expect(hold).toMatchObject({ amount: PART, reason: 'MANUAL_REFUND_REQUIRED' });
    expect(await scene.pot(account.held(ORIGIN, `coin-${ORIGIN}`))).toBe(-PART);
    await scene.finalises(101);
    await scene.idle();
    const id = hold?.id ?? '';
    expect(await releaseHold(scene.context, id)).toMatchObject({ ok: false, code: 'notSafe' });
    expect(await releaseHold(scene.context, id, 'somebody')).toMatchObject({ ok: true, state: 'owed' });
    refusingNothing();
    await scene.settles(scene.destination);
    await scene.settles(scene.destination);
    expect(scene.destination.prepared.at(-1)?.legs).toMatchObject([
      { orderId: topUpId(body.orderId), recipient: 'somebody', amount: 5_000n },
    ]);
  });

  it('does not wait for ever: past its time it goes back', async () => {
    await paidIn();
    await filled({ final: true });
    scene.destination.checkAnswer = () => ({ ok: false, kind: 'unavailable', reason: 'UNKNOWN', message: 'later' });
    await scene.settles(scene.destination);
    wait(630_000 + 600_000 + 1_000);
    await scene.settles(scene.destination);
    expect(await topUp()).toMatchObject({ state: 'void', reason: 'PROTOCOL_DEADLINE_EXPIRED' });
    expect(await status()).toBe('success');
  });

  it('is worth as much when it goes out, or goes back', async () => {
    await paidIn();
    await filled({ final: true });
    const { group } = scene.destination.facts.currency;
    const currency = scene.destination.currency.bind(scene.destination);
    scene.destination.currency = (address) => {
      const found = currency(address);
      return found && { ...found, group: 'dearer' };
    };
    scene.context.prices.price = (one) => ({ ok: true, usd: one.group === group ? '1' : '1.005', at: scene.now });
    await scene.settles(scene.destination);
    // 5,000 buys no more by now.
    expect((await topUp())?.amount).toBe(4_975n);
    expect(await reserved()).toBe(4_975n);
    scene.context.prices.price = (one) => ({ ok: true, usd: one.group === group ? '1' : '1.05', at: scene.now });
    await scene.settles(scene.destination);
    expect(await topUp()).toMatchObject({ state: 'void', reason: 'SLIPPAGE' });
    expect(await reserved()).toBe(0n);
  });
});

describe('a deposit that leaves the chain', () => {
  it('keeps coin back that is not signed, until it returns', async () => {
    await paidIn();
    await filled();
    const deposit = scene.deposit(body, 'deposit');
    await scene.sees([{ ...deposit, state: 'vanished' }]);
    expect((await topUp())?.state).toBe('suspended');
    expect(await reserved()).toBe(0n);
    await scene.pays(scene.destination);
    expect(scene.destination.prepared).toHaveLength(1);
    await scene.sees([{ ...deposit, block: { height: 104, id: 'b-104', timestamp: NOW } }]);
    expect(await topUp()).toMatchObject({ state: 'owed' });
    expect(await reserved()).toBe(5_000n);
    expect(await status()).toBe('submitted');
    wait(6_000);
    await scene.settles(scene.destination);
    scene.destination.lands(`${SIGNER}:1`, 502);
    await scene.tracks(scene.destination);
    expect(await status()).toBe('success');
  });

  it('gives its order to another transfer, coin and all', async () => {
    await paidIn();
    await filled();
    await scene.sees([{ ...scene.deposit(body, 'deposit'), state: 'vanished' }]);
    await scene.sees([scene.deposit(body, 'other', { block: { height: 105, id: 'b-105', timestamp: NOW } })]);
    expect(await fill()).toMatchObject({ fundingKey: '901:other:0' });
    expect(await topUp()).toMatchObject({ state: 'owed', fundingKey: '901:other:0' });
    wait(6_000);
    await scene.settles(scene.destination);
    scene.destination.lands(`${SIGNER}:1`, 502, { final: true });
    scene.destination.lands(`${SIGNER}:0`, 501, { final: true });
    await scene.tracks(scene.destination);
    expect(await status()).toBe('success');
    await scene.finalises(106);
    await scene.idle();
  });
});

describe('a deposit that leaves the chain after a reorg took its output, whose message ran out', () => {
  /** The coin is signed; neither the deposit nor the output is left. */
  async function coinAlone(landed: 'landed' | 'under way'): Promise<void> {
    await paidIn();
    scene.destination.tells(async (_signer, _ledger, start) => ({ sent: [], pending: false, position: start }));
    scene.destination.unfilled = false;
    await filled();
    await scene.settles(scene.destination);
    scene.destination.evidence.set(`${SIGNER}:0`, { state: 'spentByOther', final: true });
    await scene.tracks(scene.destination);
    expect((await fill())?.state).toBe('owed');
    if (landed === 'landed') scene.destination.lands(`${SIGNER}:1`, 502, { final: true });
    await scene.tracks(scene.destination);
    expect(await status()).toBe('pending');
    await scene.sees([{ ...scene.deposit(body, 'deposit'), state: 'vanished' }]);
    expect((await fill())?.state).toBe('suspended');
    expect((await topUp())?.state).toBe(landed === 'landed' ? 'done' : 'bound');
  }

  /** The output alone is paid anew, and all is as if the coin had come after it. */
  async function paidOnce(name: string): Promise<void> {
    expect(await fill()).toMatchObject({ state: 'owed', fundingKey: `901:${name}:0`, covers: 100_000n - PART });
    expect(await topUp()).toMatchObject({ fundingKey: `901:${name}:0`, covers: PART, key: `${SIGNER}:1` });
    wait(60_000);
    await scene.pays(scene.destination);
    scene.destination.lands(`${SIGNER}:1`, 502, { final: true });
    scene.destination.lands(`${SIGNER}:2`, 504, { final: true });
    await scene.tracks(scene.destination);
    wait(60_000);
    await scene.pays(scene.destination);
    expect(await status()).toBe('success');
    expect(coins()).toHaveLength(1);
    expect(await reserved()).toBe(0n);
    expect(await scene.pot(account.paid(DESTINATION, COIN))).toBe(98_900n);
    expect(await scene.pot(account.owed(ORIGIN, `coin-${ORIGIN}`))).toBe(0n);
    await scene.finalises(200);
    await scene.idle();
    expect(await scene.depositRow({ fundingKey: `901:${name}:0` })).toMatchObject({ collectable: 100_000n });
    scene.errors.length = 0;
  }

  it.each(['landed', 'under way'] as const)('is paid no second coin when it returns (%s)', async (landed) => {
    await coinAlone(landed);
    await scene.sees([scene.deposit(body, 'deposit', { block: { height: 105, id: 'b-105', timestamp: NOW } })]);
    await paidOnce('deposit');
  });

  it.each(['landed', 'under way'] as const)(
    'leaves its order no second coin for another transfer (%s)',
    async (landed) => {
      await coinAlone(landed);
      await scene.sees([scene.deposit(body, 'other', { block: { height: 105, id: 'b-105', timestamp: NOW } })]);
      await paidOnce('other');
    },
  );
});

describe('a reorg of the destination', () => {
  it('takes the coin back out of the books, and the same bytes bring it again', async () => {
    await paidIn();
    await filled({ final: true });
    await scene.settles(scene.destination);
    scene.destination.lands(`${SIGNER}:1`, 502);
    await scene.tracks(scene.destination);
    expect(await status()).toBe('success');
    scene.destination.evidence.set(`${SIGNER}:1`, { state: 'unspent', inPool: true });
    await scene.tracks(scene.destination);
    expect(await reserved()).toBe(5_000n);
    expect(JSON.parse((await scene.request(body)).actual ?? '{}')).not.toHaveProperty('topUp');
    expect(await status()).toBe('success');
    scene.destination.lands(`${SIGNER}:1`, 503, { final: true });
    await scene.tracks(scene.destination);
    expect(await scene.pot(account.paid(DESTINATION, COIN))).toBe(98_900n);
  });

  it('is no success with the coin alone', async () => {
    await paidIn();
    await filled();
    await scene.settles(scene.destination);
    scene.destination.evidence.set(`${SIGNER}:0`, { state: 'unspent', inPool: true });
    scene.destination.lands(`${SIGNER}:1`, 502);
    await scene.tracks(scene.destination);
    expect(await status()).toBe('submitted');
    scene.destination.lands(`${SIGNER}:0`, 503);
    await scene.tracks(scene.destination);
    expect(await status()).toBe('success');
  });
});

describe('a ledger that lost a part of itself', () => {
  const paidBefore = (change: Partial<LegPaid> = {}): LegPaid => ({
    ...{ hash: '0xlost', block: { height: 400, id: 'block-400', timestamp: 400_000 }, final: true, sender: SIGNER },
    ...{ currency: COIN, recipient: 'recipient', moved: 5_000n },
    ...change,
  });

  async function restoredWhileOwed(): Promise<void> {
    await paidIn();
    await filled({ final: true });
    await markRestored(scene.store, scene.now);
  }

  it('finds the coin that was paid, and pays none', async () => {
    await restoredWhileOwed();
    scene.destination.paid.set(legId.topUp(body.orderId), paidBefore());
    await scene.pays(scene.destination);
    expect(await topUp()).toMatchObject({ state: 'done' });
    expect(scene.destination.prepared).toHaveLength(1);
    expect(await status()).toBe('success');
  });

  it('holds a deposit whose coin it finds paid, where its output never comes to be', async () => {
    await paidIn();
    const unit = new UnitOfWork();
    const found = { hash: '0xlost', final: true, filled: [topUpId(body.orderId)] };
    await noteForeign(scene.context, unit, [found], false, DESTINATION);
    await scene.store.apply(unit.toChangeSet('test.found'));
    wait(700_000);
    await scene.settles(scene.destination);
    expect(await scene.leg('refund:901:deposit:0')).toMatchObject({ covers: 100_000n });
    await scene.finalises(101);
    await scene.pays(scene.origin);
    expect(await scene.leg('refund:901:deposit:0')).toMatchObject({ state: 'held' });
    expect(scene.origin.prepared).toEqual([]);
  });

  it('asks for the coin as well before it pays a deposit back', async () => {
    await paidIn();
    scene.now += 1_000;
    await markRestored(scene.store, scene.now);
    const coin = topUpId(body.orderId);
    scene.destination.unfilledForGood = async (orderId) => orderId !== coin;
    scene.destination.paid.set(legId.topUp(body.orderId), paidBefore());
    wait(700_000);
    await scene.settles(scene.destination);
    await scene.finalises(101);
    await scene.pays(scene.origin);
    expect(await scene.leg('refund:901:deposit:0')).toMatchObject({ state: 'held', covers: 100_000n });
    expect(scene.origin.prepared).toEqual([]);
  });

  it('holds it where its part went back already', async () => {
    await restoredWhileOwed();
    scene.origin.paid.set(legId.excess('901:deposit:0'), paidBefore({ currency: `coin-${ORIGIN}`, moved: PART }));
    await scene.pays(scene.destination);
    expect(await topUp()).toMatchObject({ state: 'held' });
    expect(scene.destination.prepared).toHaveLength(1);
  });

  it('pays it where the chain keeps it from being paid twice, and never pays its part back', async () => {
    await restoredWhileOwed();
    refusing('TRANSFER_FAILED');
    await scene.pays(scene.destination);
    expect(await topUp()).toMatchObject({ state: 'held', reason: 'maybePaid' });
    expect(await excess()).toBeUndefined();
  });

  it.each(['goes on', 'is owed anew'])(
    'never pays its part back either where another transfer %s with it',
    async (how) => {
      await paidIn();
      if (how === 'goes on') await filled();
      await markRestored(scene.store, scene.now);
      wait(6_000);
      await scene.settles(scene.destination);
      expect(await topUp()).toMatchObject({ reason: 'maybePaid' });
      await scene.sees([{ ...scene.deposit(body, 'deposit'), state: 'vanished' }]);
      expect(await topUp()).toMatchObject({ state: 'suspended', reason: 'maybePaid' });
      wait(10_000);
      const block = { height: 105, id: 'b-105', timestamp: scene.now };
      await scene.sees([scene.deposit(body, 'other', { block })]);
      expect(await topUp()).toMatchObject({ fundingKey: '901:other:0', reason: 'maybePaid' });
      if (how === 'is owed anew') await filled();
      refusing('TRANSFER_FAILED');
      wait(6_000);
      await scene.pays(scene.destination);
      expect(await topUp()).toMatchObject({ state: 'held', reason: 'maybePaid' });
      expect(await excess('other')).toBeUndefined();
      scene.errors.length = 0;
    },
  );

  it('holds it where no contract keeps it from being paid twice', async () => {
    const { facts } = scene.destination;
    scene.destination.facts = { ...facts, guarantees: { ...facts.guarantees, fillOnce: false } };
    await restoredWhileOwed();
    await scene.pays(scene.destination);
    expect(await topUp()).toMatchObject({ state: 'held' });
    expect(scene.destination.prepared).toHaveLength(1);
  });
});

function refusingNothing(): void {
  scene.destination.checkAnswer = () => ({ ok: true, plan: '{}' });
}
