import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { DESTINATION } from './support/quotes.js';
import { Scene } from './support/scene.js';

/** A worthless transfer under a victim's order id arrives first. */
let scene: Scene;
let body: QuoteBody;

beforeEach(async () => {
  scene = await Scene.open();
  scene.origin.token = 'token';
  body = await scene.quote(1);
});

afterEach(async () => {
  await scene.close();
});

const fillOf = () => scene.leg(legId.fill(body.orderId));

describe('a transfer that can fund nothing', () => {
  it.each([
    ['one unit of the right currency', { amount: 1n }],
    ['less than the least output costs', { amount: 98_989n }],
    ['another currency', { currency: 'token' }],
  ])('%s: owns no order, and the deposit after it is filled', async (_, change) => {
    await scene.sees([scene.deposit(body, 'dust', change)]);
    expect(await scene.store.request(body.requestId)).toBeUndefined();
    await scene.sees([scene.deposit(body, 'a', { block: { height: 102, id: 'a', timestamp: scene.now } })]);
    expect((await scene.request(body)).fundingKey).toBe('901:a:0');
    await scene.settles(scene.destination);
    scene.destination.lands('filler:0', 501, { final: true });
    await scene.tracks(scene.destination);
    expect((await scene.request(body)).status).toBe('success');
    expect((await scene.requestOf({ fundingKey: '901:dust:0' })).parentRequestId).toBe(body.requestId);
  });

  it('is explained where its order is asked for, no matter who sent it, while the order waits', async () => {
    await scene.sees([scene.deposit(body, 'half', { amount: 50_000n, depositor: 'other' })]);
    const [reported] = await scene.store.statuses([body.requestId]);
    expect(reported).toMatchObject({ status: 'waiting', details: expect.stringMatching(/^50000 of /) });
  });

  it.each([
    [
      'in another currency',
      { currency: 'token' },
      /^50000 \S+ .* from other with \S+, and is refunded: .* another currency/,
    ],
    [
      'on another chain',
      { chainId: DESTINATION, currency: 'coin-902', fundingKey: '902:x:0' },
      /^50000 COIN .* chain-902 .* another chain/,
    ],
  ] as const)('%s is explained likewise, and says how the order is paid', async (_, change, words) => {
    const seen = scene.deposit(body, 'x', { amount: 50_000n, depositor: 'other', ...change });
    if (seen.chainId === DESTINATION) await scene.headWith(510, [seen]);
    else await scene.sees([seen]);
    const [reported] = await scene.store.statuses([body.requestId]);
    expect(reported).toMatchObject({ status: 'waiting', details: expect.stringMatching(words) });
    expect(reported?.details).toContain(`pay ${body.amountIn} ${body.origin.symbol} (smallest unit) on chain-901`);
  });

  it('on another chain owns no order either', async () => {
    const seen = scene.deposit(body, 'x', { chainId: DESTINATION, currency: 'coin-902', fundingKey: '902:x:0' });
    await scene.headWith(510, [seen]);
    expect((await scene.requestOf({ fundingKey: '902:x:0' })).parentRequestId).toBe(body.requestId);
    await scene.sees([scene.deposit(body, 'a')]);
    expect((await scene.request(body)).fundingKey).toBe('901:a:0');
    expect((await fillOf())?.state).toBe('owed');
  });

  it('takes the place of none that vanished', async () => {
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.sees([], { rewoundTo: 100 });
    await scene.sees([scene.deposit(body, 'dust', { amount: 1n })]);
    await scene.sees([scene.deposit(body, 'a')]);
    expect((await scene.request(body)).fundingKey).toBe('901:a:0');
    expect((await fillOf())?.state).toBe('owed');
  });

  it('is shown why it is refunded, and whether it came first or not is the same', async () => {
    await scene.sees([scene.deposit(body, 'first', { amount: 50_000n })]);
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.sees([scene.deposit(body, 'last', { amount: 50_000n })]);
    await scene.sees([scene.deposit(body, 'twice')]);
    const reason = async (name: string) => (await scene.leg(legId.refund(`901:${name}:0`)))?.reason;
    expect(await reason('first')).toBe('DEPOSITED_AMOUNT_TOO_LOW_TO_FILL');
    expect(await reason('last')).toBe('DEPOSITED_AMOUNT_TOO_LOW_TO_FILL');
    expect(await reason('twice')).toBe('DOUBLE_SPEND');
    const details = async (name: string) => (await scene.requestOf({ fundingKey: `901:${name}:0` })).details;
    expect(await details('first')).toMatch(/^50000 of \d+ \S+ \(smallest unit\) arrived from \S+ with \S+: too little/);
    expect(await details('twice')).toBeNull();
    expect((await fillOf())?.fundingKey).toBe('901:a:0');
  });
});
