import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { legId } from '../../src/domain/accounts.js';
import { claimMessage } from '../../src/domain/claim-message.js';
import { claimHold } from '../../src/engine/operator/claim-hold.js';
import { holdNamed } from '../../src/engine/operator/hold-view.js';
import { releaseHold } from '../../src/engine/operator/release-hold.js';
import { markRestored } from '../../src/engine/recovery/restored.js';
import { DESTINATION, NOW } from './support/quotes.js';
import { Scene } from './support/scene.js';
import { type ScriptedChain, SIGNER, signed } from './support/scripted-chain.js';

/** Without proof of a payer, the depositor claims a hold. */
let scene: Scene;

beforeEach(async () => {
  scene = await Scene.open({ custodians: new Map([[901, new Map([['exchange', { needsMemo: true }]])]]) });
  scene.origin.paidByOne = false;
});

afterEach(async () => {
  await scene.close();
});

const KEY = '901:a:0';
const REFUND = legId.refund(KEY);

async function orphan(change: object = {}): Promise<void> {
  await scene.sees([scene.deposit(null, 'a', change)]);
  await scene.finalises(150);
  await scene.pays(scene.origin);
}

async function theHold() {
  const [hold] = await scene.store.holds('open');
  if (!hold) throw new Error('nothing is held');
  return hold;
}

interface Said {
  readonly id?: string;
  readonly to?: string;
  readonly by?: string;
  readonly change?: Partial<Parameters<typeof claimMessage>[0]>;
}

async function signatureFor(id: string, { to = 'mine', by = 'depositor', change = {} }: Said): Promise<string> {
  const hold = await scene.store.hold(id);
  if (!hold) return 'none';
  return signed(by, claimMessage({ service: 'solver', holdId: hold.id, ...hold, recipient: to, ...change }));
}

async function claims(said: Said = {}) {
  const id = said.id ?? (await theHold()).id;
  return claimHold(scene.context, id, said.to ?? 'mine', await signatureFor(id, said));
}

async function lands(chain: ScriptedChain = scene.origin): Promise<void> {
  await scene.pays(chain);
  chain.lands('filler:0', 160, { final: true });
  await scene.tracks(chain);
}

describe('a depositor who signs for a hold', () => {
  it('is paid once, less gas, where the signature says, however often it is said', async () => {
    await orphan();
    const { id, requestId } = await theHold();
    expect(await claims({ id })).toMatchObject({ ok: true, state: 'owed', legId: REFUND, requestId });
    expect(await scene.leg(REFUND)).toMatchObject({ state: 'owed', releasedBy: 'depositor', recipient: 'mine' });
    await scene.books();
    expect(await claims({ id })).toMatchObject({ ok: true, state: 'inProgress', requestId });
    await lands();
    expect(scene.origin.prepared.map(({ legs }) => legs)).toMatchObject([
      [{ legId: REFUND, recipient: 'mine', amount: 99_990n, useKey: scene.origin.useKey(KEY, 'refund') }],
    ]);
    expect(await claims({ id })).toMatchObject({ ok: true, state: 'alreadyDone' });
    expect(scene.origin.ownAsked).toEqual(['a']);
    expect((await scene.requestOf({ fundingKey: KEY })).status).toBe('refund');
    expect(await scene.store.holds('open')).toEqual([]);
    expect(await scene.pot('held:901:coin-901')).toBe(0n);
    expect(await scene.pot('depository:901:coin-901')).toBe(10n);
    expect((await scene.depositRow({ fundingKey: KEY })).collectable).toBe(10n);
    await scene.idle();
  });

  it('may be one who keeps the money of many', async () => {
    await orphan({ depositor: 'exchange' });
    expect((await theHold()).reason).toBe('REFUND_RECIPIENT_IS_VASP');
    expect(await claims({ by: 'exchange' })).toMatchObject({ ok: true, state: 'owed' });
    await lands();
    expect(scene.origin.prepared[0]?.legs[0]?.recipient).toBe('mine');
  });

  it('is not paid to a custodian who could not know whose money it is, nor to an account that swallows it', async () => {
    await orphan();
    scene.origin.swallows = 'sink';
    for (const to of ['exchange', 'sink'])
      expect(await claims({ to })).toMatchObject({
        ok: false,
        code: 'invalid',
        message: expect.stringMatching(/memo|token account/),
      });
    expect(await claims()).toMatchObject({ ok: true, state: 'owed' });
  });

  it('may have paid on another chain than the one that the order is for', async () => {
    scene.destination.paidByOne = false;
    const body = await scene.quote(1);
    const elsewhere = { chainId: DESTINATION, currency: 'coin-902', fundingKey: '902:x:0' };
    const block = { height: 505, id: 'b', timestamp: NOW };
    await scene.headWith(510, [scene.deposit(body, 'x', { ...elsewhere, state: 'final', block })]);
    await scene.pays(scene.destination);
    expect(await claims()).toMatchObject({ ok: true, state: 'owed' });
    await lands(scene.destination);
    expect(scene.destination.prepared[0]?.legs[0]).toMatchObject({ kind: 'refund', recipient: 'mine' });
    expect(scene.destination.ownAsked).toEqual(['x']);
  });

  it('is paid once where two say so at once, and where an operator does so too', async () => {
    await orphan();
    const { id } = await theHold();
    const all = await Promise.all([claims({ id }), claims({ id }), releaseHold(scene.context, id, 'depositor')]);
    expect(all.filter((one) => one.ok && one.state === 'owed')).toHaveLength(1);
    await lands();
    await scene.pays(scene.origin);
    expect(scene.origin.prepared).toHaveLength(1);
  });

  it('is not informed that it goes to one while it goes to another', async () => {
    await orphan();
    const { id } = await theHold();
    await claims({ id });
    expect(await claims({ id, to: 'elsewhere' })).toMatchObject({ ok: false, code: 'notApplicable' });
    expect(await releaseHold(scene.context, id)).toMatchObject({ ok: true, state: 'inProgress' });
    expect(await scene.leg(REFUND)).toMatchObject({ recipient: 'mine', releasedBy: 'depositor' });
  });

  it('bears what its failures cost, and is an operator’s once it failed three times', async () => {
    await orphan();
    const { id } = await theHold();
    await claims({ id });
    for (const n of [0, 1, 2]) {
      await scene.pays(scene.origin);
      scene.origin.lands(`filler:${n}`, 160 + n, { final: true, ok: false });
      await scene.tracks(scene.origin);
      if (n < 2)
        expect(await scene.leg(REFUND)).toMatchObject({ releasedBy: 'depositor', reverts: n + 1, closings: 0 });
      scene.now += 60_000;
    }
    expect(scene.origin.prepared.map(({ legs }) => legs[0]?.amount)).toEqual([99_990n, 99_983n, 99_976n]);
    expect(await scene.leg(REFUND)).toMatchObject({ state: 'held', reason: 'MANUAL_REFUND_REQUIRED' });
    const again = await theHold();
    expect(await claims({ id: again.id })).toMatchObject({ ok: false, code: 'notApplicable' });
    expect(await claims({ id })).toMatchObject({ ok: true, state: 'inProgress' });
    expect((await holdNamed(scene.context, again.id, 'mine')).ok).toBe(true);
  });
});

describe('no one else', () => {
  beforeEach(() => orphan());

  it.each<[string, Said]>([
    ['another address', { by: 'stranger' }],
    ['another recipient', { change: { recipient: 'yours' } }],
    ['another hold', { change: { holdId: `hold:${REFUND}:99` } }],
    ['another service', { change: { service: 'somebody' } }],
    ['another chain', { change: { chainId: 902 } }],
    ['another amount', { change: { amount: 1n } }],
  ])('claims it with a signature of %s, nor makes the service ask its chain', async (_, said) => {
    expect(await claims(said)).toMatchObject({ ok: false, code: 'notSigned' });
    expect(scene.origin.ownAsked).toEqual([]);
    expect(await scene.leg(REFUND)).toMatchObject({ state: 'held', reason: 'unproven' });
  });

  it('claims it where the chain does not prove that all of it was theirs', async () => {
    scene.origin.ownMoney = false;
    expect(await claims()).toMatchObject({ ok: false, code: 'notSafe' });
    expect((await scene.leg(REFUND))?.state).toBe('held');
    expect(await releaseHold(scene.context, (await theHold()).id, 'mine')).toMatchObject({ ok: true, state: 'owed' });
  });

  it('claims it while the chain does not answer', async () => {
    scene.origin.ownMoney = new Error('no provider');
    expect(await claims()).toMatchObject({ ok: false, code: 'unavailable' });
    expect((await scene.leg(REFUND))?.state).toBe('held');
    scene.origin.ownMoney = true;
    expect(await claims()).toMatchObject({ ok: true, state: 'owed' });
  });

  it('claims it on a chain that proves nothing of the kind', async () => {
    delete scene.origin.isDepositorsMoney;
    expect(await claims()).toMatchObject({ ok: false, code: 'notApplicable' });
  });

  it('claims it on a chain that knows no signatures', async () => {
    scene.origin.capabilities = {};
    expect(await claims()).toMatchObject({ ok: false, code: 'notApplicable' });
  });

  it('is informed of a hold that is not there', async () => {
    expect(await claims({ id: 'hold:nothing:1' })).toMatchObject({ ok: false, code: 'notFound' });
  });

  it.each([
    ['no address', () => Object.assign(scene.origin, { parseAddress: () => ({ ok: false, reason: 'too short' }) })],
    ['a token contract', () => Object.assign(scene.origin, { isTokenContract: (text: string) => text === 'mine' })],
    ['the depository', () => Object.assign(scene.origin.facts, { depository: 'mine' })],
    ['the vault of the depository', () => Object.assign(scene.origin.facts, { depositoryVault: 'mine' })],
    ['the router', () => Object.assign(scene.origin.facts, { router: 'mine' })],
  ])('has it paid to %s', async (_, change) => {
    change();
    expect(await claims()).toMatchObject({ ok: false, code: 'invalid' });
    expect(await holdNamed(scene.context, (await theHold()).id, 'mine')).toMatchObject({ ok: false, code: 'invalid' });
    expect((await scene.leg(REFUND))?.state).toBe('held');
  });
});

describe('what the lost part of a ledger did', () => {
  it('is found before a claim is paid, and not done again', async () => {
    await orphan();
    scene.now += 1_000;
    await markRestored(scene.store, scene.now);
    scene.origin.paid.set(REFUND, {
      hash: '0xlost',
      block: { height: 140, id: 'b', timestamp: scene.now },
      final: true,
      sender: SIGNER,
      currency: scene.origin.coin,
      recipient: 'mine',
      moved: 99_990n,
    });
    expect(await claims()).toMatchObject({ ok: true, state: 'owed' });
    await scene.pays(scene.origin);
    expect(scene.origin.prepared).toEqual([]);
    expect(await scene.leg(REFUND)).toMatchObject({ state: 'done' });
  });

  it('is found under another leg, too', async () => {
    await orphan();
    scene.now += 1_000;
    await markRestored(scene.store, scene.now);
    scene.origin.paid.set(legId.excess(KEY), {
      hash: '0xlost',
      block: { height: 140, id: 'b', timestamp: scene.now },
      final: true,
      sender: SIGNER,
      currency: scene.origin.coin,
      recipient: 'mine',
      moved: 9_990n,
    });
    const { id } = await theHold();
    expect(await claims()).toMatchObject({ ok: true, state: 'owed' });
    await scene.pays(scene.origin);
    expect(scene.origin.prepared).toEqual([]);
    const again = await theHold();
    expect(again.id).not.toBe(id);
    expect(await claims({ id: again.id })).toMatchObject({ ok: false, code: 'notApplicable' });
  });
});
