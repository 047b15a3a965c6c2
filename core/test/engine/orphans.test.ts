import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { legId } from '../../src/domain/accounts.js';
import { releaseHold } from '../../src/engine/operator/release-hold.js';
import { DESTINATION, NOW } from './support/quotes.js';
import { Scene } from './support/scene.js';

/** Transfers without a promise: the chain proves their owner. */
let scene: Scene;

afterEach(async () => {
  await scene.close();
});

beforeEach(async () => {
  scene = await Scene.open({ custodians: new Map([[901, new Map([['exchange', { needsMemo: true }]])]]) });
});

const KEY = '901:a:0';

async function orphan(change: object = {}): Promise<void> {
  await scene.sees([scene.deposit(null, 'a', change)]);
  await scene.finalises(150);
  await scene.pays(scene.origin);
}

const held = async () => (await scene.store.holds('open')).map(({ reason }) => reason);

describe('a transfer without an order', () => {
  it('is refunded to any client that is proven to have paid', async () => {
    await orphan();
    expect(scene.origin.prepared[0]?.legs[0]).toMatchObject({ kind: 'refund', recipient: 'depositor' });
  });

  it('is held where the chain does not prove one party, until an operator says whom to pay', async () => {
    scene.origin.paidByOne = false;
    await orphan();
    expect(scene.origin.prepared).toEqual([]);
    expect(await held()).toEqual(['MANUAL_REFUND_REQUIRED']);
    const [hold] = await scene.store.holds('open');
    expect(await releaseHold(scene.context, hold?.id ?? '')).toMatchObject({ ok: false, code: 'notSafe' });
    await scene.pays(scene.origin);
    expect(scene.origin.prepared).toEqual([]);
    expect(await releaseHold(scene.context, hold?.id ?? '', 'somebody')).toMatchObject({ ok: true });
    await scene.pays(scene.origin);
    expect(scene.origin.prepared[0]?.legs[0]).toMatchObject({ recipient: 'somebody', amount: 100_000n });
  });

  it('is refunded to the account that it names itself', async () => {
    scene.origin.paidByOne = false;
    scene.origin.facts = { ...scene.origin.facts, namesDepositors: true };
    await orphan();
    expect(scene.origin.prepared[0]?.legs[0]?.recipient).toBe('depositor');
  });

  it('is held where it names no one on a chain whose transfers may name one', async () => {
    scene.origin.paidByOne = false;
    scene.origin.facts = { ...scene.origin.facts, namesDepositors: true };
    Object.assign(scene.origin, { namesDepositor: (fundingKey: string) => fundingKey !== KEY });
    await orphan();
    expect(scene.origin.prepared).toEqual([]);
    expect(await held()).toEqual(['MANUAL_REFUND_REQUIRED']);
  });

  it('is held where it came from an account that keeps the money of many', async () => {
    await orphan({ depositor: 'exchange' });
    expect(scene.origin.prepared).toEqual([]);
    expect(await held()).toEqual(['REFUND_RECIPIENT_IS_VASP']);
  });
});

describe('a transfer on another chain than its order is for', () => {
  const elsewhere = { chainId: DESTINATION, currency: 'coin-902', fundingKey: '902:x:0' };

  async function strayed(): Promise<void> {
    const body = await scene.quote(1);
    await scene.headWith(510, [
      scene.deposit(body, 'x', { ...elsewhere, state: 'final', block: { height: 505, id: 'b', timestamp: NOW } }),
    ]);
    await scene.pays(scene.destination);
  }

  it('is refunded there to any client that paid, never to an address of the other chain', async () => {
    await strayed();
    expect(scene.destination.prepared[0]?.legs[0]).toMatchObject({ kind: 'refund', recipient: 'depositor' });
  });

  it('is held where that is not proven, also where transfers name their depositors', async () => {
    scene.destination.paidByOne = false;
    scene.destination.facts = { ...scene.destination.facts, namesDepositors: true };
    await strayed();
    expect(scene.destination.prepared).toEqual([]);
    expect(await held()).toEqual(['MANUAL_REFUND_REQUIRED']);
    expect((await scene.leg(legId.refund('902:x:0')))?.state).toBe('held');
  });
});

it('a refund of an order goes to the recipient that it names, no matter who paid', async () => {
  scene.origin.paidByOne = false;
  const body = await scene.quote(1, { forceRefund: true });
  await scene.sees([scene.deposit(body, 'a', { depositor: 'exchange' })]);
  await scene.finalises(150);
  await scene.pays(scene.origin);
  expect(scene.origin.prepared[0]?.legs[0]).toMatchObject({ recipient: 'refund-recipient' });
  expect(await scene.depositRow({ fundingKey: KEY })).toMatchObject({ decision: 'refund' });
});
