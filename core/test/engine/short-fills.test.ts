import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { Scene } from './support/scene.js';

const GIVE_UP_MS = 60_000;
const KEY = 'filler:0';

let scene: Scene;
let first: QuoteBody;
let second: QuoteBody;

/** Inventory for one of two deposits. */
beforeEach(async () => {
  scene = await Scene.open({ giveUpShortMs: GIVE_UP_MS });
  first = await scene.quote(1, { amountIn: '700000', amountOut: '693000' });
  second = await scene.quote(2, { amountIn: '700000', amountOut: '693000' });
  await scene.finalises(150);
  const final = { state: 'final', block: { height: 101, id: 'a', timestamp: scene.now } } as const;
  await scene.sees([scene.deposit(first, 'a', final), scene.deposit(second, 'b', final)]);
});

afterEach(async () => {
  await scene.close();
});

const secondFill = () => scene.leg(legId.fill(second.orderId));

async function firstLands(): Promise<void> {
  await scene.pays(scene.destination);
  scene.destination.balance -= 693_000n;
  scene.destination.lands(KEY, 501, { final: true });
  await scene.tracks(scene.destination);
}

async function waits(ms: number): Promise<void> {
  scene.now += ms;
  await scene.settles(scene.destination);
}

describe('a fill that is short of inventory', () => {
  it('waits while what is promised to others may become free', async () => {
    await scene.pays(scene.destination);
    await waits(GIVE_UP_MS + 1_000);
    expect(await secondFill()).toMatchObject({ state: 'short' });
  });

  it('is abandoned once nothing can come, long before its deadline, and its deposit owed back', async () => {
    await firstLands();
    await waits(GIVE_UP_MS - 1_000);
    expect(await secondFill()).toMatchObject({ state: 'short', reason: 'SOLVER_BALANCE_TOO_LOW' });
    await waits(2_000);
    expect(scene.now).toBeLessThan(second.deadlineAt - 120_000);
    expect(await secondFill()).toMatchObject({ state: 'void', reason: 'SOLVER_BALANCE_TOO_LOW' });
    expect(await scene.leg(legId.refund('901:b:0'))).toMatchObject({ state: 'owed', amount: 700_000n });
    expect(await scene.request(second)).toMatchObject({ failReason: 'SOLVER_BALANCE_TOO_LOW' });
    await scene.idle();
  });

  it('waits for what came in and is not booked yet, and is filled with it', async () => {
    await firstLands();
    scene.destination.balance += 693_000n;
    await waits(GIVE_UP_MS + 1_000);
    expect(await secondFill()).toMatchObject({ state: 'short' });
  });

  it('waits for what is still to be collected', async () => {
    await firstLands();
    await scene.headWith(510, [
      scene.deposit(null, 'other', {
        fundingKey: '902:other:0',
        chainId: 902,
        currency: scene.destination.coin,
        amount: 700_000n,
        block: { height: 510, id: 'b-510', timestamp: scene.now },
      }),
    ]);
    await waits(GIVE_UP_MS + 1_000);
    expect(await secondFill()).toMatchObject({ state: 'short' });
  });
});
