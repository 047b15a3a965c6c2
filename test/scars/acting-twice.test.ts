import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { legId } from '../../core/src/domain/accounts.js';
import type { QuoteBody } from '../../core/src/domain/quote.js';
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
const deposit = (name = 'a') => scene.deposit(body, name);

describe('acting twice', () => {
  it('across-213: a deposit reported repeatedly is filled once', async () => {
    scene.destination.sendAnswer = { outcome: 'ambiguous', message: 'no reply' };
    for (let round = 0; round < 4; round += 1) {
      await scene.sees([deposit()]);
      await scene.settles(scene.destination);
      scene.now += 5_000;
      await scene.tracks(scene.destination);
    }
    await scene.sees([deposit()], { rewoundTo: 100 });
    await scene.settles(scene.destination);
    const fills = scene.destination.prepared.filter(({ legs }) => legs.length > 0);
    expect(new Set(fills.map(({ key }) => key))).toEqual(new Set([KEY]));
    expect(new Set(scene.destination.sent).size).toBe(1);
    expect(await scene.store.openKeys(902, SIGNER, 10)).toHaveLength(1);
  });

  it('across-1698: two loops that process the same deposit concurrently send one transaction', async () => {
    await scene.sees([deposit()]);
    await Promise.all([1, 2, 3].map(() => scene.round(scene.destination)));
    expect(new Set(scene.destination.sent).size).toBe(1);
    const [open, ...others] = await scene.store.openKeys(902, SIGNER, 10);
    expect(others).toEqual([]);
    expect(open?.attempts.map(({ hash }) => hash)).toEqual([scene.destination.sent[0]]);
  });

  it('across-3630+across-3648: a transaction is stored before its broadcast, so a takeover sends no second one', async () => {
    const known: (string | undefined)[] = [];
    const { send } = scene.destination;
    scene.destination.send = async (transaction) => {
      const [open] = await scene.store.openKeys(902, SIGNER, 10);
      known.push(open?.attempts.find(({ hash }) => hash === transaction.hash)?.state);
      await send.call(scene.destination, transaction);
      // The sender dies before the response.
      throw new Error('handed over');
    };
    await scene.sees([deposit()]);
    await scene.settles(scene.destination).catch(() => undefined);
    expect(known).toEqual(['signed']);

    scene.destination.send = send;
    scene.now += 5_000;
    await scene.settles(scene.destination);
    await scene.tracks(scene.destination);
    expect(scene.destination.prepared).toHaveLength(1);
    expect(new Set(scene.destination.sent).size).toBe(1);
  });

  it('across-3651: no transfer of another account counts as a payment, even if the pot is full', async () => {
    const other = await scene.quote(2);
    await scene.sees([scene.deposit(body, 'a', { amount: 50_000n }), scene.deposit(other, 'b', { amount: 60_000n })]);
    await scene.finalises(150);
    await scene.pays(scene.origin);
    const legs = scene.origin.prepared.flatMap((one) => one.legs);
    // Bound to its transfer and amount, whatever else is in the pot.
    expect(legs.map((leg) => ('fundingKey' in leg ? [leg.fundingKey, leg.amount] : []))).toEqual(
      expect.arrayContaining([
        ['901:a:0', 49_990n],
        ['901:b:0', 59_990n],
      ]),
    );
    expect(new Set(legs.map((leg) => ('useKey' in leg ? leg.useKey : ''))).size).toBe(2);
    for (const { key } of scene.origin.prepared) scene.origin.lands(key, 151, { final: true });
    await scene.tracks(scene.origin);
    await scene.sees([scene.deposit(body, 'a', { amount: 50_000n })]);
    await scene.pays(scene.origin);
    expect(scene.origin.prepared).toHaveLength(2);
    expect((await scene.leg(legId.refund('901:a:0')))?.state).toBe('done');
  });
});
