import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChangeSet } from '../../core/src/contract/index.js';
import type { QuoteBody } from '../../core/src/domain/quote.js';
import { openLane } from '../../core/src/engine/recovery/open-lanes.js';
import { Scene } from '../../core/test/engine/support/scene.js';
import { SIGNER } from '../../core/test/engine/support/scripted-chain.js';

let scene: Scene;
let body: QuoteBody;

beforeEach(async () => {
  scene = await Scene.open();
  body = await scene.quote(1);
});

afterEach(async () => {
  await scene.close();
});

const KEY = 'filler:0';
const position = async () => (await scene.store.lane(902, SIGNER))?.position;
const attemptStates = async () => {
  const open = await scene.store.openKeys(902, SIGNER, 10);
  return open.flatMap(({ attempts }) => attempts.map(({ state }) => state));
};

/** The process dies right after the signed bytes are durable. */
async function diesAfterSigning(): Promise<void> {
  const { send } = scene.destination;
  scene.destination.send = () => Promise.reject(new Error('killed'));
  await scene.settles(scene.destination).catch(() => undefined);
  scene.destination.send = send;
}

describe('nonce wedges', () => {
  it('openzeppelin-relayer-818: a nonce whose attempt could not be stored is not used', async () => {
    await scene.sees([scene.deposit(body, 'a')]);
    const apply = scene.store.apply.bind(scene.store);
    scene.store.apply = async (set: ChangeSet) => {
      if (set.name === 'engine.settle.sign') throw new Error('the database is gone');
      return apply(set);
    };
    for (let n = 0; n < 5; n += 1) await scene.settles(scene.destination).catch(() => undefined);
    scene.store.apply = apply;
    expect(await position()).toBe('0');
    expect(scene.destination.sent).toEqual([]);
    await scene.settles(scene.destination);
    expect(scene.destination.prepared.at(-1)?.key).toBe(KEY);
    expect(await position()).toBe('1');
    scene.errors.length = 0;
  });

  it('openzeppelin-relayer-818: a node that requires an earlier nonce first is resent to once per second, and gets no later nonces', async () => {
    scene.destination.sendAnswer = { outcome: 'rejected', meaning: 'keyTooFar', message: 'nonce too high' };
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    scene.destination.evidence.set(KEY, { state: 'unspent', inPool: false });
    for (let n = 0; n < 100; n += 1) {
      scene.now += 100;
      await scene.tracks(scene.destination);
    }
    // Ten seconds: about one send per second of the same bytes.
    expect(scene.destination.sent.length).toBeLessThanOrEqual(12);
    expect(new Set(scene.destination.sent).size).toBe(1);
    expect(await position()).toBe('1');
  });

  it('openzeppelin-relayer-843: a transaction that was signed and never sent has the state signed, and is sent', async () => {
    await scene.sees([scene.deposit(body, 'a')]);
    await diesAfterSigning();
    expect(await attemptStates()).toEqual(['signed']);
    expect((await scene.request(body)).status).toBe('pending');
    scene.destination.sendAnswer = { outcome: 'rejected', meaning: 'feeTooLow', message: 'underpriced' };
    scene.now += 2_000;
    await scene.tracks(scene.destination);
    expect(await attemptStates()).toEqual(['rejected']);
    expect((await scene.request(body)).status).toBe('pending');
    scene.destination.sendAnswer = { outcome: 'accepted' };
    scene.destination.evidence.set(KEY, { state: 'unspent', inPool: false });
    scene.now += 2_000;
    await scene.tracks(scene.destination);
    expect(await attemptStates()).toEqual(['sent']);
    expect((await scene.request(body)).status).toBe('submitted');
  });

  it('rrelayer-36: a process that dies between signing and sending leaves bytes that the next one sends', async () => {
    await scene.sees([scene.deposit(body, 'a')]);
    await diesAfterSigning();
    scene.now += 2_000;
    await scene.settles(scene.destination);
    await scene.tracks(scene.destination);
    expect(scene.destination.sent).toEqual([scene.destination.hashUnder(KEY)]);
    expect(scene.destination.prepared).toHaveLength(1);
    scene.destination.lands(KEY, 501, { final: true });
    await scene.tracks(scene.destination);
    expect((await scene.request(body)).status).toBe('success');
  });

  it('rrelayer-113: a reserved nonce that nothing includes is closed by a no-op, and later fills go on', async () => {
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    scene.now += 20_001;
    await scene.tracks(scene.destination);
    expect(scene.destination.prepared.at(-1)).toEqual({ key: KEY, legs: [] });
    scene.destination.lands(KEY, 520, { final: true });
    await scene.tracks(scene.destination);
    const later = await scene.quote(2);
    await scene.sees([scene.deposit(later, 'b')]);
    await scene.settles(scene.destination);
    expect(scene.destination.prepared.at(-1)).toMatchObject({ key: 'filler:1', legs: [{ kind: 'fill' }] });
    scene.destination.lands('filler:1', 521);
    await scene.tracks(scene.destination);
    expect((await scene.request(later)).status).toBe('success');
  });

  it('gp-v2-541: a transaction mined while no process ran is recognised, not sent again', async () => {
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    scene.destination.lands(KEY, 501, { final: true });
    const sent = [...scene.destination.sent];
    // A new process: it opens its lane and works through pending and open items.
    scene.destination.position = '1';
    scene.now += 3_600_000;
    await openLane(scene.context, scene.destination, SIGNER);
    await scene.settles(scene.destination);
    await scene.tracks(scene.destination);
    expect((await scene.request(body)).status).toBe('success');
    expect(scene.destination.sent).toEqual(sent);
    expect(scene.destination.prepared).toHaveLength(1);
  });

  it('hyperlane-monorepo-2924: a transaction dropped from the mempool is sent again, and the next nonce is included', async () => {
    const later = await scene.quote(2);
    await scene.sees([scene.deposit(body, 'a'), scene.deposit(later, 'b')]);
    await scene.settles(scene.destination);
    const first = scene.destination.hashUnder(KEY);
    scene.destination.evidence.set(KEY, { state: 'unspent', inPool: false });
    const before = scene.destination.sent.length;
    scene.now += 2_000;
    await scene.tracks(scene.destination);
    expect(scene.destination.sent.slice(before)).toEqual([first]);
    scene.destination.lands(KEY, 501);
    scene.destination.lands('filler:1', 501);
    await scene.tracks(scene.destination);
    expect([(await scene.request(body)).status, (await scene.request(later)).status]).toEqual(['success', 'success']);
  });

  it('gear-bridges-842: an ambiguous send is retried with the same bytes under the same nonce', async () => {
    scene.destination.sendAnswer = { outcome: 'ambiguous', message: 'timeout' };
    scene.destination.evidence.set(KEY, { state: 'unspent', inPool: false });
    await scene.sees([scene.deposit(body, 'a')]);
    for (let n = 0; n < 5; n += 1) {
      await scene.settles(scene.destination);
      scene.now += 2_000;
      await scene.tracks(scene.destination);
    }
    expect(scene.destination.sent.length).toBeGreaterThan(3);
    expect(new Set(scene.destination.sent).size).toBe(1);
    expect(await position()).toBe('1');
  });

  it('bootnode-33: concurrent fills get consecutive nonces', async () => {
    const bodies = [body, await scene.quote(2), await scene.quote(3), await scene.quote(4)];
    await scene.sees(bodies.map((one, n) => scene.deposit(one, `d${n}`)));
    await Promise.all([scene.settles(scene.destination), scene.settles(scene.destination)]);
    const open = await scene.store.openKeys(902, SIGNER, 10);
    expect(open.map(({ key }) => key.key).sort()).toEqual(['filler:0', 'filler:1', 'filler:2', 'filler:3']);
    expect(new Set(open.flatMap(({ legs }) => legs.map(({ id }) => id))).size).toBe(4);
    expect(await position()).toBe('4');
  });

  it('signer-used-elsewhere: a nonce that something else spent is reported, proven lost, and the order refunded', async () => {
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    scene.destination.evidence.set(KEY, { state: 'spentByOther', final: false });
    await scene.tracks(scene.destination);
    expect((await scene.request(body)).status).toBe('submitted');
    scene.destination.evidence.set(KEY, { state: 'spentByOther', final: true });
    await scene.tracks(scene.destination);
    expect([...scene.alerts]).toContain('foreign:902:filler');
    expect((await scene.request(body)).failReason).toBe('TRANSACTION_NOT_INCLUDED');
    await scene.finalises(150);
    await scene.pays(scene.origin);
    expect(scene.origin.prepared.at(-1)?.legs).toMatchObject([{ kind: 'refund' }]);
    const later = await scene.quote(2);
    await scene.sees([scene.deposit(later, 'b')]);
    await scene.settles(scene.destination);
    expect(scene.destination.prepared.at(-1)).toMatchObject({ key: 'filler:1', legs: [{ kind: 'fill' }] });
  });
});
