import { describe, expect, it } from 'vitest';
import { account, counter } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { topUpId } from '../../src/domain/top-up.js';
import { releaseHold } from '../../src/engine/operator/release-hold.js';
import { DESTINATION, ORIGIN, quoteBody } from './support/quotes.js';
import { SIGNER } from './support/scripted-chain.js';
import {
  body,
  COIN,
  coins,
  excess,
  fill,
  filled,
  openScenes,
  PART,
  paidIn,
  raiseCoinPrice,
  refusing,
  refusingNothing,
  reserved,
  scene,
  status,
  topUp,
  wait,
  withTopUp,
} from './support/top-ups.js';

openScenes();

describe('native coin in addition to an output', () => {
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

  it.each(['owed', 'short'] as const)('goes back once where both are abandoned in one round: %s', async (state) => {
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

  it('goes back without the part of coin that went out before a reorg took the output permanently', async () => {
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
    // Net of its fee.
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
    raiseCoinPrice('1.005');
    await scene.settles(scene.destination);
    // 5,000 buys no more by now.
    expect((await topUp())?.amount).toBe(4_975n);
    expect(await reserved()).toBe(4_975n);
    raiseCoinPrice('1.05');
    await scene.settles(scene.destination);
    expect(await topUp()).toMatchObject({ state: 'void', reason: 'SLIPPAGE' });
    expect(await reserved()).toBe(0n);
  });
});
