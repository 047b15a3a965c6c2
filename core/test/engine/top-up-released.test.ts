import { describe, expect, it } from 'vitest';
import { account, legId } from '../../src/domain/accounts.js';
import { releaseHold } from '../../src/engine/operator/release-hold.js';
import { ORIGIN } from './support/quotes.js';
import { SIGNER } from './support/scripted-chain.js';
import {
  coins,
  excess,
  filled,
  openScenes,
  PART,
  paidIn,
  refusing,
  refusingNothing,
  reserved,
  scene,
  status,
  topUp,
  wait,
} from './support/top-ups.js';

openScenes();

/** Past the deadline of coin and output. */
const tooLate = () => wait(630_000 + 600_000 + 1_000);

describe('coin that an operator releases', () => {
  /** On hold because its id was filled otherwise; the rest stays. */
  async function heldByItself(): Promise<string> {
    await paidIn();
    await filled({ final: true });
    refusing('ORDER_ALREADY_FILLED');
    await scene.settles(scene.destination);
    const [hold] = await scene.store.holds('open');
    expect(await topUp()).toMatchObject({ state: 'held' });
    await scene.finalises(101);
    refusingNothing();
    return hold?.id ?? '';
  }

  it('goes to whom an operator names on the chain of the deposit, once, where it is released too late', async () => {
    const id = await heldByItself();
    tooLate();
    const named = expect.stringContaining(`on ${scene.origin.facts.displayName}`);
    expect(await releaseHold(scene.context, id)).toMatchObject({ ok: false, code: 'notSafe', message: named });
    expect(await releaseHold(scene.context, id, 'somebody')).toMatchObject({
      ...{ ok: true, state: 'owed', legId: legId.excess('901:deposit:0') },
    });
    expect(await releaseHold(scene.context, id, 'another')).toMatchObject({ ok: true, state: 'inProgress' });
    expect(await topUp()).toMatchObject({ state: 'void', reason: 'MANUAL_ADMIN_REFUND' });
    await scene.settles(scene.destination);
    await scene.pays(scene.origin);
    scene.origin.lands(`${SIGNER}:0`, 110, { final: true });
    await scene.tracks(scene.origin);
    await scene.pays(scene.origin);
    expect(scene.origin.prepared.map(({ legs }) => legs)).toMatchObject([[{ kind: 'excess', recipient: 'somebody' }]]);
    expect(coins()).toEqual([]);
    expect(await releaseHold(scene.context, id, 'another')).toMatchObject({ ok: true, state: 'alreadyDone' });
    expect(await status()).toBe('success');
    expect(await scene.pot(account.held(ORIGIN, `coin-${ORIGIN}`))).toBe(0n);
    expect(await scene.pot(account.owed(ORIGIN, `coin-${ORIGIN}`))).toBe(0n);
    await scene.idle();
  });

  it('is held again where it was released in time and came too late, and is no one else’s', async () => {
    const id = await heldByItself();
    expect(await releaseHold(scene.context, id, 'somebody')).toMatchObject({ ok: true, state: 'owed' });
    scene.destination.checkAnswer = () => ({
      ...{ ok: false, kind: 'refused', reason: 'PROTOCOL_DEADLINE_EXPIRED', message: 'DeadlinePassed()' },
    });
    tooLate();
    await scene.settles(scene.destination);
    await scene.settles(scene.destination);
    expect(await topUp()).toMatchObject({ state: 'held', recipient: 'somebody', reason: 'PROTOCOL_DEADLINE_EXPIRED' });
    expect(await excess()).toBeUndefined();
    expect(await reserved()).toBe(0n);
    const [again] = await scene.store.holds('open');
    expect(again?.id).not.toBe(id);
    expect(await releaseHold(scene.context, again?.id ?? '', 'somebody')).toMatchObject({ ok: true, state: 'owed' });
    expect(await excess()).toMatchObject({ state: 'owed', recipient: 'somebody', covers: PART });
    await scene.idle();
  });

  it('is no leg’s to pay where its time is over and what was paid on top goes back', async () => {
    await paidIn({}, 120_000n);
    await filled({ final: true });
    refusing('TRANSFER_FAILED');
    await scene.settles(scene.destination);
    const [hold] = await scene.store.holds('open');
    tooLate();
    expect(await releaseHold(scene.context, hold?.id ?? '', 'somebody')).toMatchObject({
      ...{ ok: false, code: 'notApplicable', message: expect.stringContaining('by hand') },
    });
    expect(await topUp()).toMatchObject({ state: 'held' });
    expect(await scene.pot(account.held(ORIGIN, `coin-${ORIGIN}`))).toBe(-PART);
  });

  it('stays whose an operator named where its output is abandoned afterwards', async () => {
    await paidIn();
    await filled();
    refusing('ORDER_ALREADY_FILLED');
    await scene.settles(scene.destination);
    refusingNothing();
    const [hold] = await scene.store.holds('open');
    expect(await releaseHold(scene.context, hold?.id ?? '', 'somebody')).toMatchObject({ ok: true, state: 'owed' });
    scene.destination.evidence.set(`${SIGNER}:0`, { state: 'spentByOther', final: true });
    await scene.tracks(scene.destination);
    expect(await scene.leg(legId.refund('901:deposit:0'))).toMatchObject({ covers: 100_000n - PART });
    await scene.settles(scene.destination);
    await scene.settles(scene.destination);
    expect(coins()).toMatchObject([{ recipient: 'somebody', amount: 5_000n }]);
    scene.errors.length = 0;
  });
});
