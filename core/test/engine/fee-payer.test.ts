import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PotRef } from '../../src/contract/index.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { Scene } from './support/scene.js';
import { SIGNER } from './support/scripted-chain.js';

let scene: Scene;
let body: QuoteBody;

beforeEach(async () => {
  scene = await Scene.open();
  body = await scene.quote(1);
  await scene.sees([scene.deposit(body, 'a')]);
  await scene.settles(scene.destination);
});

afterEach(async () => {
  await scene.close();
});

const KEY = 'filler:0';
/** Scripted cost per transaction. */
const FEE = 7n;
const LANE = `inventory:902:${SIGNER}:coin-902`;
const VAULT = 'depository:902:coin-902';
const OTHER = 'inventory:902:sweeper:coin-902';

describe('the fee of a transaction', () => {
  it.each<readonly [string, PotRef | undefined, string]>([
    ['its lane', undefined, LANE],
    ['another lane', { pot: 'lane', owner: 'sweeper' }, OTHER],
    ['the depository', { pot: 'depository', owner: 'depository-902' }, VAULT],
  ])('is booked against %s where that paid it, and taken back with its block', async (_, feePaidBy, payer) => {
    const pots = () => Promise.all([LANE, OTHER, VAULT].map((pot) => scene.pot(pot)));
    const before = await pots();
    const changed = async () => (await pots()).map((now, n) => now - (before[n] ?? 0n));
    scene.destination.lands(KEY, 501, feePaidBy && { feePaidBy });
    await scene.tracks(scene.destination);
    const paidOut = BigInt(body.amountOut);
    const costs = [LANE, OTHER, VAULT].map((pot) => (pot === payer ? -FEE : 0n) - (pot === LANE ? paidOut : 0n));
    expect(await changed()).toEqual(costs);
    expect(await scene.pot('gas:902:coin-902')).toBe(FEE);
    scene.destination.evidence.set(KEY, { state: 'unspent', inPool: true });
    await scene.tracks(scene.destination);
    expect(await changed()).toEqual([0n, 0n, 0n]);
    expect(await scene.pot('gas:902:coin-902')).toBe(0n);
  });
});

describe('an inclusion that an earlier version recorded', () => {
  it('is taken back from the lane of its key, which was the only one to pay', async () => {
    const before = await scene.pot(LANE);
    scene.destination.lands(KEY, 501);
    await scene.tracks(scene.destination);
    const openKeys = scene.store.openKeys.bind(scene.store);
    scene.store.openKeys = async (...asked) =>
      (await openKeys(...asked)).map((open) => {
        const { feePaidBy, ...older } = JSON.parse(open.key.inclusion ?? '{}') as { readonly feePaidBy?: PotRef };
        expect(feePaidBy).toEqual({ pot: 'lane', owner: SIGNER });
        return { ...open, key: { ...open.key, inclusion: JSON.stringify(older) } };
      });
    scene.destination.evidence.set(KEY, { state: 'unspent', inPool: true });
    await scene.tracks(scene.destination);
    scene.store.openKeys = openKeys;
    expect(await scene.pot(LANE)).toBe(before);
  });
});
