import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { Scene } from './support/scene.js';
import { SIGNER } from './support/scripted-chain.js';

/** Two assets, 100000 in, 1 % fee with 30 bps for the price, 99000 out, at least 98000. */
let scene: Scene;
let body: QuoteBody;
let outUsd: string | null;

beforeEach(async () => {
  scene = await Scene.open();
  outUsd = '1';
  const { facts } = scene.destination;
  scene.destination.facts = { ...facts, currency: { ...facts.currency, group: 'another' } };
  const price = ({ chainId }: { readonly chainId: number }) => {
    const usd = chainId === 901 ? '1' : outUsd;
    return usd === null ? { ok: false, why: 'stale' } : { ok: true, usd, at: scene.now };
  };
  Object.assign(scene.context, { prices: { price } });
  body = await scene.quote(1, { spreadBps: 30, terms: { ...TERMS } });
});

afterEach(async () => {
  await scene.close();
});

const TERMS = {
  inDecimals: 6,
  outDecimals: 6,
  inUsd: '1',
  outUsd: '1.0',
  relayerGas: '0',
  serviceBps: 100,
  serviceFloor: '0',
  appFees: [],
};
const RESERVED = `#reserved:902:${SIGNER}:coin-902`;
const fill = () => scene.leg(legId.fill(body.orderId));
const refund = () => scene.leg(legId.refund('901:a:0'));

describe('a deposit in time, after the price moved', () => {
  it('within the spread is filled as quoted', async () => {
    outUsd = '1.003';
    await scene.sees([scene.deposit(body, 'a')]);
    expect(await fill()).toMatchObject({ state: 'owed', amount: 99_000n });
  });

  it('for the better is filled as quoted, and no more', async () => {
    outUsd = '0.9';
    await scene.sees([scene.deposit(body, 'a')]);
    expect((await fill())?.amount).toBe(99_000n);
  });

  it('beyond the spread is filled at the price of now', async () => {
    outUsd = '1.008';
    await scene.sees([scene.deposit(body, 'a')]);
    expect((await fill())?.amount).toBe(98_214n);
  });

  it('so far that less than the least comes out is refunded for SLIPPAGE', async () => {
    outUsd = '1.1';
    await scene.sees([scene.deposit(body, 'a')]);
    expect(await fill()).toBeUndefined();
    expect(await refund()).toMatchObject({ reason: 'SLIPPAGE', covers: 100_000n });
  });

  it('waits where no one knows the price, and is refunded past the deadline', async () => {
    outUsd = null;
    await scene.sees([scene.deposit(body, 'a')]);
    expect(await scene.depositRow({ fundingKey: '901:a:0' })).toMatchObject({ decision: 'waiting' });
    scene.now = body.deadlineAt + 1;
    await scene.head(505);
    await scene.finalises(150);
    await scene.sees([]);
    expect(await refund()).toMatchObject({ reason: 'PROTOCOL_DEADLINE_EXPIRED' });
  });
});

describe('a fill that was decided and not signed', () => {
  beforeEach(async () => {
    await scene.sees([scene.deposit(body, 'a')]);
    expect(await scene.pot(RESERVED)).toBe(99_000n);
  });

  it('pays what the price of now gives, and claims no more than that', async () => {
    outUsd = '1.008';
    await scene.pays(scene.destination);
    expect(scene.destination.prepared[0]?.legs[0]?.amount).toBe(98_214n);
    expect(await scene.pot(RESERVED)).toBe(98_214n);
  });

  it('is abandoned where too little comes out, and all that it claimed with it', async () => {
    outUsd = '1.1';
    await scene.pays(scene.destination);
    expect(scene.destination.prepared).toEqual([]);
    expect(await refund()).toMatchObject({ reason: 'SLIPPAGE' });
    expect(await scene.pot(RESERVED)).toBe(0n);
    await scene.finalises(150);
    await scene.idle();
  });

  it('waits while no one knows the price', async () => {
    outUsd = null;
    await scene.pays(scene.destination);
    expect(scene.destination.prepared).toEqual([]);
    outUsd = '1';
    scene.now += 3_000;
    await scene.pays(scene.destination);
    expect(scene.destination.prepared[0]?.legs[0]?.amount).toBe(99_000n);
  });
});

it('a late deposit by permit pays for the gas of the day that its own transaction took', async () => {
  const late = { height: 101, id: 'late', timestamp: body.expiresAt + 1_000 };
  const cost = { native: 600n, work: 100n };
  scene.origin.capabilities = { ...scene.origin.capabilities, permits: { cost: () => cost } as never };
  const permit = { kind: 'signed', terms: '{}', work: '100', deadlineAt: body.deadlineAt };
  const terms = { ...TERMS, relayerGas: '20' };
  body = await scene.quote(2, { spreadBps: 30, terms, permit });
  await scene.sees([scene.deposit(body, 'a', { block: late })]);
  // 600 for the permit, 10 for the fill, 10 for collecting, plus 1 %.
  expect((await fill())?.amount).toBe(98_380n);
});

it('a late deposit pays for the gas of the day', async () => {
  const late = { height: 101, id: 'late', timestamp: body.expiresAt + 1_000 };
  scene.destination.gasCost = 900n;
  await scene.sees([scene.deposit(body, 'a', { block: late })]);
  // 900 for the fill, 10 for collecting, plus 1 %.
  expect((await fill())?.amount).toBe(98_090n);
});
