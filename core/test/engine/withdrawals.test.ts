import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LegPaid } from '../../src/contract/index.js';
import { account, counter } from '../../src/domain/accounts.js';
import { creditPosting } from '../../src/domain/app-balance.js';
import { withdrawalLegId, withdrawalOrderId } from '../../src/domain/withdrawal.js';
import type { WithdrawalAsk } from '../../src/engine/operator/outcomes.js';
import { withdraw } from '../../src/engine/operator/withdraw.js';
import { markRestored } from '../../src/engine/recovery/restored.js';
import { DESTINATION, NOW, ORIGIN } from './support/quotes.js';
import { Scene } from './support/scene.js';
import { SIGNER } from './support/scripted-chain.js';
import { COIN, EARNED, Shop } from './support/shop.js';

const ID = 'profit-1';
const LEG = withdrawalLegId(ID);
const ASK: WithdrawalAsk = { id: ID, chainId: ORIGIN, currency: COIN, amount: 400_000n, recipient: 'safe' };
const HELD = 1_000_000n;
/** Highest fee of a fill on the scripted chain, which stays. */
const RESERVED_FEE = 10n;

let scene: Scene;
let promised: bigint;

beforeEach(async () => {
  scene = await Scene.open();
  promised = 0n;
});

afterEach(async () => {
  scene.errors.length = 0;
  await scene.close();
});

const ask = (change: Partial<WithdrawalAsk> = {}) => withdraw(scene.context, () => promised, { ...ASK, ...change });
const inventory = () => scene.pot(account.inventory(ORIGIN, SIGNER, COIN));
const reserved = () => scene.pot(counter.reserved(ORIGIN, SIGNER, COIN));

async function settles(): Promise<void> {
  for (let round = 0; round < 3; round += 1) await scene.settles(scene.origin);
}

async function post(from: string, to: string, amount: bigint): Promise<void> {
  const line = { groupId: `test:${from}:${to}`, requestId: null, legId: null, createdAt: NOW };
  const lines = [
    { ...line, account: from, amount: -amount },
    { ...line, account: to, amount },
  ];
  const outcome = await scene.store.apply({ name: 'test', changes: [{ op: 'post', lines }] });
  if (!outcome.ok) throw new Error('it was not posted');
}

describe('a withdrawal', () => {
  it('is reserved at once, paid by the filling lane under its own id, and booked', async () => {
    expect(await ask()).toMatchObject({ ok: true, state: 'owed', legId: LEG, amount: 400_000n });
    expect([await inventory(), await reserved()]).toEqual([HELD, 400_000n]);
    expect(scene.woken).toContain(ORIGIN);
    await settles();
    expect(scene.origin.prepared.map(({ legs }) => legs)).toMatchObject([
      [{ kind: 'fill', legId: LEG, orderId: withdrawalOrderId('solver', ID), recipient: 'safe', amount: 400_000n }],
    ]);
    scene.origin.lands(`${SIGNER}:0`, 120, { final: true });
    await scene.tracks(scene.origin);
    expect(await scene.leg(LEG)).toMatchObject({ state: 'done', kind: 'withdrawal' });
    expect(await scene.pot(account.withdrawn(ORIGIN, COIN))).toBe(400_000n);
    expect(await inventory()).toBe(HELD - 400_000n - (await scene.pot(account.gas(ORIGIN, COIN))));
    await scene.idle();
  });

  it('is paid once, however often and at the same time it is sent', async () => {
    const first = await Promise.all([ask(), ask(), ask()]);
    expect(first.map((one) => one.ok && one.state).sort()).toEqual(['inProgress', 'inProgress', 'owed']);
    await settles();
    expect(await ask()).toMatchObject({ ok: true, state: 'inProgress' });
    scene.origin.lands(`${SIGNER}:0`, 120, { final: true });
    await scene.tracks(scene.origin);
    expect(await ask()).toMatchObject({ ok: true, state: 'alreadyDone', amount: 400_000n });
    expect(await ask({ amount: null })).toMatchObject({ ok: true, state: 'alreadyDone', amount: 400_000n });
    await settles();
    expect(scene.origin.prepared).toHaveLength(1);
  });

  it('is another one under the same id only by mistake', async () => {
    await ask();
    for (const change of [
      { recipient: 'other' },
      { amount: 1n },
      { chainId: DESTINATION, currency: `coin-${DESTINATION}` },
    ])
      expect(await ask(change)).toMatchObject({ ok: false, code: 'notApplicable', field: 'withdrawalId' });
    expect(await reserved()).toBe(400_000n);
  });

  it('returns to the inventory where its chain refuses it, and its id is used up', async () => {
    scene.origin.checkAnswer = () => ({ ok: false, kind: 'refused', reason: 'EXECUTION_REVERTED', message: 'no' });
    await ask();
    await settles();
    expect(await scene.leg(LEG)).toMatchObject({ state: 'void' });
    expect(await reserved()).toBe(0n);
    expect(await ask()).toMatchObject({ ok: false, code: 'notApplicable' });
    await scene.idle();
  });

  it('is undone with its block by a reorg, and paid again by the same bytes alone', async () => {
    await ask();
    await settles();
    scene.origin.lands(`${SIGNER}:0`, 120, { final: false });
    await scene.tracks(scene.origin);
    expect(await scene.pot(account.withdrawn(ORIGIN, COIN))).toBe(400_000n);
    scene.origin.evidence.delete(`${SIGNER}:0`);
    await scene.tracks(scene.origin);
    expect([await scene.pot(account.withdrawn(ORIGIN, COIN)), await reserved()]).toEqual([0n, 400_000n]);
    await settles();
    expect(scene.origin.prepared).toHaveLength(1);
  });
});

describe('what may be withdrawn', () => {
  it('is all that is free, and not a unit more', async () => {
    expect(await ask({ amount: HELD - RESERVED_FEE + 1n })).toMatchObject({
      ok: false,
      code: 'notSafe',
      field: 'amount',
    });
    expect(await ask({ amount: null })).toMatchObject({ ok: true, amount: HELD - RESERVED_FEE });
    expect(await ask({ id: 'more', amount: 1n })).toMatchObject({ ok: false, field: 'amount' });
    expect(await ask({ id: 'more', amount: null })).toMatchObject({ ok: false, field: 'amount' });
  });

  it('is nothing that is reserved for a payment', async () => {
    await ask();
    expect(await ask({ id: 'next', amount: HELD - RESERVED_FEE - 400_000n + 1n })).toMatchObject({
      ok: false,
      field: 'amount',
    });
    expect(await ask({ id: 'next', amount: HELD - RESERVED_FEE - 400_000n })).toMatchObject({ ok: true });
  });

  it('is nothing that undecided deposits will claim', async () => {
    promised = 900_000n;
    expect(await ask()).toMatchObject({ ok: false, field: 'amount' });
    promised = HELD - RESERVED_FEE - 400_000n;
    expect(await ask()).toMatchObject({ ok: true });
  });

  it('is nothing that integrators earned, or depositors are owed without their depository', async () => {
    const shop = new Shop(scene);
    await shop.earn(1);
    const free = HELD - RESERVED_FEE - EARNED;
    expect(await ask({ amount: free + 1n })).toMatchObject({ ok: false, field: 'amount' });
    const depository = await scene.pot(account.depository(ORIGIN, COIN));
    await post(account.depository(ORIGIN, COIN), account.unclaimed(ORIGIN, COIN), depository);
    await post(account.held(ORIGIN, COIN), account.unclaimed(ORIGIN, COIN), 70n);
    expect(await ask({ amount: free - 69n })).toMatchObject({ ok: false, field: 'amount' });
    expect(await ask({ amount: free - 70n })).toMatchObject({ ok: true });
  });

  it('is nothing that came from a depository and is not final', async () => {
    const shop = new Shop(scene);
    await shop.earn(1);
    const key = await scene.store.openKeys(DESTINATION, SIGNER, 5);
    expect(key).toEqual([]);
    const fact = {
      ...{ legId: 'collect:1', requestId: null, kind: 'collect', chainId: ORIGIN, signer: SIGNER, currency: COIN },
      ...{ moved: '50000', covers: '0', originChainId: ORIGIN, originCurrency: COIN },
    };
    const inclusion = { groupId: 'key:1', hash: '0x1', blockId: 'b', fee: '0', native: COIN, movements: [fact] };
    const row = {
      ...{ id: `${ORIGIN}:k`, version: 1, chainId: ORIGIN, signer: SIGNER, key: 'k', state: 'open' as const },
      ...{ includedHash: '0x1', includedHeight: 1, inclusion: JSON.stringify(inclusion), attemptCount: 1 },
      ...{ firstSentAt: NOW, lastSentAt: NOW, lastSentHeight: 1, closing: false, createdAt: NOW },
    };
    await scene.store.apply({ name: 'test', changes: [{ op: 'insert', table: 'keys', row }] });
    const free = HELD - RESERVED_FEE - EARNED - 50_000n;
    expect(await ask({ amount: free + 1n })).toMatchObject({ ok: false, field: 'amount' });
    expect(await ask({ amount: free })).toMatchObject({ ok: true });
  });

  it('leaves what integrators have in app balances', async () => {
    const meta = { groupId: 'credit', requestId: null, legId: null, createdAt: NOW };
    // Both chains hold 1 dollar each, at 6 digits.
    const lines = creditPosting(meta, 'shop', 1_200_000n);
    await scene.store.apply({ name: 'credit', changes: [{ op: 'post', lines }] });
    expect(await ask({ amount: 800_000n })).toMatchObject({ ok: false, code: 'notSafe' });
    expect(await ask({ amount: 799_000n })).toMatchObject({ ok: true });
  });

  it('leaves it also where two are asked for at once, on different chains', async () => {
    const meta = { groupId: 'credit', requestId: null, legId: null, createdAt: NOW };
    await scene.store.apply({
      name: 'credit',
      changes: [{ op: 'post', lines: creditPosting(meta, 'shop', 1_200_000n) }],
    });
    const both = await Promise.all([
      ask({ id: 'one', amount: 500_000n }),
      ask({ id: 'two', amount: 500_000n, chainId: DESTINATION, currency: `coin-${DESTINATION}` }),
    ]);
    expect(both.map((one) => (one.ok ? one.state : one.code)).sort()).toEqual(['notSafe', 'owed']);
  });
});

describe('a withdrawal is refused', () => {
  it.each([
    [{ id: 'a:b' }, 'withdrawalId'],
    [{ id: '' }, 'withdrawalId'],
    [{ id: 'x'.repeat(65) }, 'withdrawalId'],
    [{ chainId: 5 }, 'chainId'],
    [{ currency: 'other' }, 'currency'],
    [{ amount: 0n }, 'amount'],
    [{ recipient: `depository-${ORIGIN}` }, 'recipient'],
    [{ recipient: SIGNER }, 'recipient'],
  ] as const)('for %o, naming the field', async (change, field) => {
    expect(await ask(change)).toMatchObject({ ok: false, code: 'invalid', field });
    expect(await reserved()).toBe(0n);
  });

  it('while its chain is paused, halted or not compared with the ledger', async () => {
    scene.context.pauses.set(`chain:${ORIGIN}`, null);
    expect(await ask()).toMatchObject({ ok: false, code: 'notSafe' });
    scene.context.pauses.clear();
    scene.uncompared.add(ORIGIN);
    expect(await ask()).toMatchObject({ ok: false, code: 'notSafe' });
    scene.uncompared.clear();
    const [lane] = (await scene.store.lanes()).filter(({ chainId }) => chainId === ORIGIN);
    const set = { halted: 'unknown sends' };
    const key = { id: lane?.id ?? '' };
    await scene.store.apply({
      name: 'halt',
      changes: [{ op: 'update', table: 'lanes', key, version: lane?.version ?? 0, set }],
    });
    expect(await ask()).toMatchObject({ ok: false, code: 'notSafe' });
    expect(await scene.leg(LEG)).toBeUndefined();
  });
});

describe('a ledger that lost a withdrawal (G15)', () => {
  const lost = (change: Partial<LegPaid> = {}) =>
    scene.origin.paid.set(LEG, {
      ...{ hash: '0xlost', block: { height: 140, id: 'b140', timestamp: scene.now }, final: true, sender: SIGNER },
      ...{ currency: COIN, recipient: 'safe', moved: 400_000n, ...change },
    });

  it('finds it paid under its id when it is sent again, and pays nothing more', async () => {
    await markRestored(scene.store, scene.now - 30 * 86_400_000);
    lost();
    await ask();
    await settles();
    expect(await scene.leg(LEG)).toMatchObject({ state: 'done' });
    expect(scene.origin.prepared).toEqual([]);
    expect(await scene.pot(account.withdrawn(ORIGIN, COIN))).toBe(400_000n);
    await scene.idle();
  });

  it('holds it where the lost one went to another account', async () => {
    await markRestored(scene.store, scene.now - 30 * 86_400_000);
    lost({ recipient: 'other', moved: 300n });
    await ask();
    await settles();
    expect(await scene.leg(LEG)).toMatchObject({ state: 'held' });
    expect([...scene.alerts]).toContain(`withdrawal:${LEG}`);
    expect(await scene.pot(account.withdrawn(ORIGIN, COIN))).toBe(300n);
    expect(scene.origin.prepared).toEqual([]);
    expect(await ask()).toMatchObject({ ok: false, code: 'notSafe' });
  });
});
