import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OpenOrders } from '../../src/capabilities/deposit-addresses/open-orders.js';
import { paysRecovery } from '../../src/capabilities/deposit-addresses/recovery.js';
import { screenDepositors } from '../../src/capabilities/deposit-addresses/screen-depositors.js';
import { sweepNow } from '../../src/capabilities/deposit-addresses/sweep-now.js';
import type { DepositObservation, Party } from '../../src/contract/index.js';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { Patience } from '../../src/engine/base/patience.js';
import { decideNow } from '../../src/engine/deposits/ingest.js';
import { releaseHold } from '../../src/engine/operator/release-hold.js';
import { apiError } from '../../src/errors/api-error.js';
import { Addresses } from './support/addresses.js';
import { DESTINATION, NOW, ORIGIN, quoteBody } from './support/quotes.js';
import { Scene } from './support/scene.js';

const EXCHANGE = 'exchange';

let scene: Scene;
let addresses: Addresses;
let asked: Party[];
const blocked = new Set<string>();
let isDown = false;

beforeEach(async () => {
  blocked.clear();
  isDown = false;
  asked = [];
  const screener = {
    id: 'list',
    screen: async (parties: readonly Party[]) => {
      if (isDown) throw new Error('down');
      asked.push(...parties);
      return parties.map(({ address }) =>
        blocked.has(address) ? { blocked: true as const, reason: 'listed' } : { blocked: false as const },
      );
    },
  };
  const custodians = new Map([[ORIGIN, new Map([[EXCHANGE, { needsMemo: true }]])]]);
  scene = await Scene.open({ custodians }, [screener]);
  addresses = await Addresses.on(scene);
});

afterEach(async () => {
  await scene.close();
});

/** As the worker of the chain does. */
async function screens(): Promise<void> {
  const cleared = await screenDepositors(scene.context, scene.origin, new Patience(scene.context.clock));
  await decideNow(scene.context, ORIGIN, cleared, scene.session);
  await scene.books();
}

const refundOf = (seen: DepositObservation) => scene.leg(legId.refund(seen.fundingKey));
const hold = async () => (await scene.store.holds('open'))[0];
const payees = () => scene.origin.prepared.flatMap(({ legs }) => legs.map(({ kind, recipient }) => [kind, recipient]));

describe('a transfer to a deposit address', () => {
  it('is decided once its depositor was cleared, at sight', async () => {
    const body = await addresses.promised(1, 'strict');
    const seen = addresses.transfer(body, 'a');
    await scene.sees([seen]);
    expect(await scene.depositRow(seen)).toMatchObject({ decision: 'waiting' });
    await screens();
    expect(asked).toEqual([{ chainId: ORIGIN, address: 'depositor', role: 'depositor' }]);
    expect(await scene.depositRow(seen)).toMatchObject({ decision: 'fill' });
    await screens();
    expect(asked).toHaveLength(1);
  });

  it('waits while screeners do not answer, and is asked about again in another process', async () => {
    const body = await addresses.promised(1, 'strict');
    const seen = addresses.transfer(body, 'a');
    isDown = true;
    await scene.sees([seen]);
    await screens();
    await scene.finalises(101);
    expect(await scene.depositRow(seen)).toMatchObject({ decision: 'waiting' });
    isDown = false;
    await screens();
    expect(await scene.depositRow(seen)).toMatchObject({ decision: 'fill' });
  });

  it('is decided at once where its chain names no depositor', async () => {
    const body = await addresses.promised(1, 'strict');
    const seen = addresses.transfer(body, 'a', { depositor: '' });
    await scene.sees([seen]);
    expect(await scene.depositRow(seen)).toMatchObject({ decision: 'fill' });
  });

  it.each(['strict', 'open'] as const)(
    'of a blocked depositor to a %s address is held where it is: not filled, not swept, not refunded',
    async (type) => {
      const body = await addresses.promised(1, type, { recoveryAddress: 'recovery' });
      const seen = addresses.transfer(body, 'a');
      blocked.add('depositor');
      await scene.sees([seen]);
      await screens();
      const quote = async () => quoteBody(7);
      await new OpenOrders(scene.context, quote).round(scene.context, scene.origin);
      expect(await scene.depositRow(seen)).toMatchObject({ decision: 'hold' });
      expect(await scene.requestOf(seen)).toMatchObject({ status: 'pending', failReason: 'BLOCKED_WALLET' });
      expect(await refundOf(seen)).toMatchObject({ state: 'blocked' });
      await scene.finalises(101);
      await scene.pays(scene.origin);
      await scene.pays(scene.destination);
      expect(await scene.requestOf(seen)).toMatchObject({
        ...{ status: 'failure', failReason: 'BLOCKED_WALLET', refundFailReason: 'MANUAL_REFUND_REQUIRED' },
      });
      expect(await hold()).toMatchObject({ fundingKey: seen.fundingKey, amount: seen.amount });
      expect(await addresses.sweepOf(body, seen)).toBeUndefined();
      expect([...payees(), ...scene.destination.prepared]).toEqual([]);
      const events = await scene.store.eventsOf((await scene.requestOf(seen)).id, 0);
      expect(events.at(-1)?.payload).toContain('BLOCKED_WALLET');
      await scene.idle();
    },
  );

  it('of a blocked depositor is swept and paid once an operator names a recipient', async () => {
    const body = await addresses.promised(1, 'strict');
    const seen = addresses.transfer(body, 'a');
    blocked.add('depositor');
    await scene.sees([seen]);
    await screens();
    await scene.finalises(101);
    await scene.pays(scene.origin);
    const { id = '' } = (await hold()) ?? {};
    const asked = await sweepNow(scene.context, ORIGIN, body.depositAddress?.address ?? '');
    expect(asked).toMatchObject({ ok: false, code: 'notSafe', message: expect.stringContaining('a screener blocks') });
    expect(await addresses.sweepOf(body, seen)).toBeUndefined();
    expect(await releaseHold(scene.context, id)).toMatchObject({ ok: false, code: 'notSafe' });
    expect(await releaseHold(scene.context, id, 'court')).toMatchObject({ ok: true, state: 'owed' });
    await scene.pays(scene.origin);
    expect(payees()).toEqual([]);
    await addresses.swept(103);
    scene.now += 3_000;
    await scene.pays(scene.origin);
    expect(payees()).toEqual([
      ['sweep', expect.anything()],
      ['refund', 'court'],
    ]);
    scene.origin.lands(scene.origin.prepared.at(-1)?.key ?? '', 105, { final: true });
    await scene.tracks(scene.origin);
    expect(await scene.requestOf(seen)).toMatchObject({ status: 'refund' });
  });

  it('of a blocked depositor that a reorg removes leaves nothing held', async () => {
    const body = await addresses.promised(1, 'strict');
    const seen = addresses.transfer(body, 'a');
    blocked.add('depositor');
    await scene.sees([seen]);
    await screens();
    await scene.sees([], { rewoundTo: 100 });
    expect(await refundOf(seen)).toMatchObject({ state: 'suspended' });
    expect(await hold()).toBeUndefined();
    await scene.sees([addresses.transfer(body, 'a', { block: { height: 104, id: 'b-104', timestamp: 1 } })]);
    await scene.finalises(104);
    await scene.pays(scene.origin);
    expect(await refundOf(seen)).toMatchObject({ state: 'held' });
  });
});

describe('a refund from a deposit address', () => {
  const poor = async () => apiError('UNSUPPORTED_ROUTE');

  it.each([
    ['strict', 'recipient', 'refund-recipient'],
    ['strict', 'user', 'refund-recipient'],
    ['open', 'recipient', 'refund-recipient'],
    ['open', 'recipient', null],
  ] as const)(
    'from a %s address goes to the recovery address where its %s is blocked later (refundTo %s)',
    async (type, who, refundTo) => {
      const body = await addresses.promised(1, type, { recoveryAddress: 'recovery', refundTo });
      const seen = addresses.transfer(body, 'a');
      await scene.sees([seen]);
      await screens();
      blocked.add(who);
      if (type === 'open')
        await new OpenOrders(scene.context, async () => apiError('SANCTIONED_WALLET_ADDRESS')).round(
          scene.context,
          scene.origin,
        );
      await scene.pays(scene.destination);
      await scene.finalises(101);
      await addresses.swept(103);
      await scene.pays(scene.origin);
      await scene.pays(scene.origin);
      expect(payees()).toEqual([
        ['sweep', expect.anything()],
        ['refund', 'recovery'],
      ]);
      scene.origin.lands(scene.origin.prepared.at(-1)?.key ?? '', 105, { final: true });
      await scene.tracks(scene.origin);
      expect(await scene.requestOf(seen)).toMatchObject({ status: 'refund', failReason: 'BLOCKED_WALLET' });
      expect(scene.destination.prepared).toEqual([]);
    },
  );

  it('never goes to the recovery address on another chain, where it may be no account of its client', async () => {
    const body = await addresses.promised(1, 'strict', { recoveryAddress: 'recovery' });
    await scene.sees([addresses.transfer(body, 'a')]);
    const request = await scene.request(body);
    const isRecovery = (chainId: number) => paysRecovery({ chainId, recipient: 'recovery' }, request);
    expect([ORIGIN, DESTINATION].map(isRecovery)).toEqual([true, false]);
  });

  it('is held where the recovery address is blocked too, or there is none', async () => {
    for (const [n, recoveryAddress] of ['recovery', null].entries()) {
      const body = await addresses.promised(n + 1, 'strict', { recoveryAddress });
      const seen = addresses.transfer(body, `a${n}`);
      await scene.sees([seen]);
      await screens();
      for (const who of ['recipient', 'recovery']) blocked.add(who);
      await scene.pays(scene.destination);
      await scene.finalises(101 + n);
      await addresses.swept(103);
      await scene.pays(scene.origin);
      await scene.pays(scene.origin);
      expect(await refundOf(seen)).toMatchObject({ state: 'held', reason: 'blocked' });
      blocked.clear();
    }
    expect(payees().filter(([kind]) => kind === 'refund')).toEqual([]);
  });

  it('is held where it would go to a custodian that needs a memo, listed since the quote', async () => {
    const body = await addresses.promised(1, 'open', { refundTo: EXCHANGE, refundRecipient: EXCHANGE });
    const seen = addresses.transfer(body, 'a');
    await scene.sees([seen]);
    await screens();
    await new OpenOrders(scene.context, poor).round(scene.context, scene.origin);
    await scene.finalises(101);
    await scene.pays(scene.origin);
    expect(await scene.requestOf(seen)).toMatchObject({
      status: 'failure',
      refundFailReason: 'REFUND_RECIPIENT_IS_VASP',
    });
    const { id = '' } = (await hold()) ?? {};
    expect(await releaseHold(scene.context, id, 'owner')).toMatchObject({ ok: true });
    await addresses.swept(103);
    await scene.pays(scene.origin);
    expect(payees().at(-1)).toEqual(['refund', 'owner']);
  });
});

describe('a transfer that is held because gas would take all of it', () => {
  const place = (height: number) => ({ block: { height, id: `a-${height}`, timestamp: NOW } });
  const poor = () => new OpenOrders(scene.context, async () => apiError('UNSUPPORTED_ROUTE'));

  /** Cleared at sight, swept, and worth less than its refund. */
  async function little(body: QuoteBody): Promise<DepositObservation> {
    const seen = addresses.transfer(body, 'little', { amount: 16n, depositor: 'little-depositor', ...place(101) });
    await scene.sees([seen]);
    await screens();
    await poor().round(scene.context, scene.origin);
    await scene.finalises(101);
    await scene.settles(scene.origin);
    await addresses.swept(102);
    expect(await refundOf(seen)).toMatchObject({ state: 'held', reason: 'AMOUNT_TOO_LOW_TO_REFUND' });
    return seen;
  }

  async function refunds(seen: DepositObservation, height: number): Promise<void> {
    await scene.sees([seen]);
    await screens();
    await poor().round(scene.context, scene.origin);
    await scene.finalises(height);
    for (let n = 0; n < 3; n += 1) {
      await scene.settles(scene.origin);
      scene.now += 3_000;
    }
    if ((await addresses.sweepOf(body, seen)) !== undefined) await addresses.swept(height + 1);
    scene.now += 3_000;
    await scene.pays(scene.origin);
    await scene.pays(scene.origin);
  }

  let body: QuoteBody;

  beforeEach(async () => {
    body = await addresses.promised(1, 'open');
  });

  it('is not mixed with what a blocked account pays later', async () => {
    const first = await little(body);
    blocked.add('depositor');
    const dirty = addresses.transfer(body, 'dirty', { amount: 1_000n, ...place(110) });
    await refunds(dirty, 110);
    expect(await refundOf(dirty)).toMatchObject({ state: 'held', reason: 'blocked', covers: 1_000n, joined: null });
    expect(await refundOf(first)).toMatchObject({ state: 'held' });
  });

  it('is not paid with a later one where its own depositor was blocked since', async () => {
    const first = await little(body);
    blocked.add('little-depositor');
    const later = addresses.transfer(body, 'later', { amount: 1_000n, ...place(110) });
    await refunds(later, 110);
    expect(payees().filter(([kind]) => kind === 'refund')).toEqual([]);
    expect(await refundOf(later)).toMatchObject({ state: 'held', reason: 'blocked' });
    expect(await refundOf(first)).toMatchObject({ state: 'joined' });
  });
});
