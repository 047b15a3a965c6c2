import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DepositObservation } from '../../src/contract/index.js';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { Scene } from './support/scene.js';

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

function at(name: string, height: number, overrides: Partial<DepositObservation> = {}): DepositObservation {
  return scene.deposit(body, name, { block: { height, id: `${name}-${height}`, timestamp: scene.now }, ...overrides });
}

async function vanishes(): Promise<void> {
  await scene.sees([], { rewoundTo: 100 });
}

async function refundOf(name: string) {
  return scene.leg(legId.refund(`901:${name}:0`));
}

/** Finally each transfer is either filled or refunded. */
async function outcome(): Promise<Record<string, string>> {
  await scene.settles(scene.destination);
  scene.destination.lands(KEY, 501, { final: true });
  await scene.tracks(scene.destination);
  await scene.finalises(900);
  for (let n = 0; n < 2; n += 1) {
    await scene.pays(scene.origin);
    for (const { key } of scene.origin.prepared) scene.origin.lands(key, 901, { final: true });
    await scene.tracks(scene.origin);
  }
  await scene.idle();
  const fill = await scene.leg(legId.fill(body.orderId));
  const result: Record<string, string> = {};
  for (const name of ['a', 'b']) {
    const refund = await refundOf(name);
    const filled = fill?.state === 'done' && fill.fundingKey === `901:${name}:0`;
    const row = await scene.depositRow({ fundingKey: `901:${name}:0` });
    const owner = await scene.requestOf(row);
    const outcomes = [...(filled ? ['filled'] : []), ...(refund?.state === 'done' ? ['refunded'] : [])];
    result[name] = `${outcomes.join(' and ') || row.state} (${owner.status})`;
  }
  return result;
}

describe('a second transfer for an order', () => {
  it('is a request of its own and is refunded', async () => {
    await scene.sees([at('a', 101), at('b', 102)]);
    const child = await scene.requestOf(at('b', 102));
    expect(child).toMatchObject({ parentRequestId: body.requestId, status: 'pending', failReason: 'DOUBLE_SPEND' });
    expect(await refundOf('b')).toMatchObject({ recipient: 'refund-recipient', covers: 100_000n, state: 'blocked' });
    expect(await outcome()).toEqual({ a: 'filled (success)', b: 'refunded (refund)' });
  });

  it('vanishes and returns on its own account', async () => {
    await scene.sees([at('a', 101), at('b', 102)]);
    await scene.sees([], { rewoundTo: 101 });
    expect(await scene.requestOf(at('b', 102))).toMatchObject({ status: 'failure', failReason: 'DEPOSIT_REORGED' });
    await scene.sees([at('b', 103)]);
    expect(await outcome()).toEqual({ a: 'filled (success)', b: 'refunded (refund)' });
  });
});

describe('transfers that name no order of the service', () => {
  it('are each refunded to the depositor, also twice under one id', async () => {
    const stranger = { orderId: `0x${'77'.repeat(32)}` as const };
    await scene.sees([at('a', 101, stranger), at('b', 102, stranger)]);
    await scene.sees([at('c', 103, stranger), at('d', 103, { orderId: null })]);
    for (const name of ['a', 'b', 'c', 'd']) {
      expect(await refundOf(name)).toMatchObject({
        recipient: 'depositor',
        covers: 100_000n,
        reason: 'ORPHANED_DEPOSIT_REFUND',
      });
    }
    const owners = await Promise.all(['a', 'b', 'c', 'd'].map((name) => scene.requestOf(at(name, 0))));
    expect(new Set(owners.map(({ id }) => id)).size).toBe(4);
  });
});

describe('a transfer that replaces one which vanished', () => {
  it('starts the order again when nothing was signed', async () => {
    await scene.sees([at('a', 101)]);
    await vanishes();
    await scene.sees([at('b', 105)]);
    expect((await scene.request(body)).status).toBe('pending');
    expect(await scene.leg(legId.fill(body.orderId))).toMatchObject({ state: 'owed', fundingKey: '901:b:0' });
    expect(await outcome()).toEqual({ a: 'vanished (success)', b: 'filled (success)' });
  });

  it.each(['out', 'landed'])('pays for a fill that is %s', async (how) => {
    await scene.sees([at('a', 101)]);
    await scene.settles(scene.destination);
    if (how === 'landed') {
      scene.destination.lands(KEY, 501);
      await scene.tracks(scene.destination);
    }
    await vanishes();
    await scene.sees([at('b', 105)]);
    expect((await scene.request(body)).status).toBe(how === 'landed' ? 'success' : 'submitted');
    const actual = JSON.parse((await scene.request(body)).actual ?? '{}') as { amountOut: unknown };
    expect(actual.amountOut).toBe(how === 'landed' ? '99000' : null);
    expect(await outcome()).toEqual({ a: 'vanished (success)', b: 'filled (success)' });
  });

  it('is a duplicate when it does not pay for what is out', async () => {
    await scene.sees([at('a', 101)]);
    await scene.settles(scene.destination);
    await vanishes();
    await scene.sees([at('b', 105, { amount: 20n })]);
    // pending, submitted, failure: the order itself is unaffected.
    expect(await scene.request(body)).toMatchObject({
      status: 'failure',
      failReason: 'DEPOSIT_REORGED',
      eventCount: 3,
    });
    expect((await scene.requestOf(at('b', 105))).parentRequestId).toBe(body.requestId);
    await scene.sees([at('a', 106)]);
    expect(await outcome()).toEqual({ a: 'filled (success)', b: 'refunded (refund)' });
  });

  it('steps back if the first one returns while it is undecided', async () => {
    scene.origin.depth = 2;
    await scene.sees([at('a', 101)]);
    for (let blocks = 0; blocks < 3; blocks += 1) await scene.sees([]);
    await scene.settles(scene.destination);
    await vanishes();
    await scene.sees([at('b', 108)]);
    expect((await scene.request(body)).fundingKey).toBe('901:b:0');
    await scene.sees([at('a', 109)]);
    expect((await scene.request(body)).fundingKey).toBe('901:a:0');
    expect((await scene.requestOf(at('b', 108))).parentRequestId).toBe(body.requestId);
    expect(await outcome()).toEqual({ a: 'filled (success)', b: 'refunded (refund)' });
  });

  it('owns the order once it was decided: the first one is the duplicate then', async () => {
    await scene.sees([at('a', 101)]);
    await vanishes();
    await scene.sees([at('b', 105)]);
    await scene.sees([at('a', 106)]);
    expect((await scene.requestOf(at('a', 106))).parentRequestId).toBe(body.requestId);
    expect(await outcome()).toEqual({ a: 'refunded (refund)', b: 'filled (success)' });
  });

  it('and the first one, which pays for nothing, returns as its child', async () => {
    await scene.sees([at('a', 101, { amount: 50_000n })]);
    expect((await refundOf('a'))?.reason).toBe('DEPOSITED_AMOUNT_TOO_LOW_TO_FILL');
    await vanishes();
    await scene.sees([at('b', 105)]);
    await scene.sees([at('a', 106, { amount: 50_000n })]);
    expect(await refundOf('a')).toMatchObject({
      state: 'blocked',
      reason: 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL',
      covers: 50_000n,
    });
    expect(await outcome()).toEqual({ a: 'refunded (refund)', b: 'filled (success)' });
  });

  it('turns out late and does not pay for the fill that is out: it steps back', async () => {
    scene.origin.depth = 2;
    await scene.sees([at('a', 101)]);
    for (let blocks = 0; blocks < 3; blocks += 1) await scene.sees([]);
    await scene.settles(scene.destination);
    await vanishes();
    await scene.sees([at('b', 107)]);
    const late = { height: 108, id: 'late', timestamp: body.deadlineAt + 1_000 };
    await scene.sees([at('b', 108, { block: late })]);
    for (let blocks = 0; blocks < 3; blocks += 1) await scene.sees([]);
    expect(await scene.request(body)).toMatchObject({
      status: 'failure',
      failReason: 'DEPOSIT_REORGED',
      fundingKey: '901:a:0',
    });
    await scene.sees([at('a', 113)]);
    expect(await outcome()).toEqual({ a: 'filled (success)', b: 'refunded (refund)' });
  });
});
