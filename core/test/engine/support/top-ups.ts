import { afterEach, beforeEach } from 'vitest';
import type { LegInstruction } from '../../../src/contract/index.js';
import { counter, legId } from '../../../src/domain/accounts.js';
import type { QuoteBody } from '../../../src/domain/quote.js';
import { topUpId } from '../../../src/domain/top-up.js';
import { DESTINATION, quoteBody } from './quotes.js';
import { Scene } from './scene.js';
import { SIGNER } from './scripted-chain.js';

export let scene: Scene;
export let body: QuoteBody;

/** The coin's part of a deposit of 100,000, with gas of 100. */
export const PART = 5_100n;
export const COIN = `coin-${DESTINATION}`;

/** 1 % fee, 100 for gas, 5,000 for coin; the rest converts one to one. */
export function withTopUp(n: number, overrides: Partial<QuoteBody> = {}): Partial<QuoteBody> {
  const { terms } = quoteBody(n);
  return {
    amountOut: '93900',
    minimumAmount: '93000',
    terms: { ...terms, topUp: { value: '5000', gas: '100' } },
    topUp: {
      ...{ currency: COIN, symbol: 'COIN', decimals: 6, amount: '5000', minimumAmount: '4950', usd: '1' },
      spreadBps: 0,
    },
    features: ['gas_top_up'],
    ...overrides,
  };
}

/** Coin for calls has no gas share: the fill pays it. */
export function inFill(): Partial<QuoteBody> {
  const { terms, topUp, ...rest } = withTopUp(1);
  const { order } = quoteBody(1);
  if (terms === undefined || topUp === undefined) throw new Error('no coin');
  return {
    ...rest,
    terms: { ...terms, topUp: { value: '5100', gas: '0' } },
    topUp: { ...topUp, inFill: true },
    order: { ...order, output: { ...order.output, calls: ['0xca11'] } },
  };
}

const isCoin = (leg: LegInstruction) => leg.kind === 'fill' && leg.orderId === topUpId(body.orderId);
export const coins = () => scene.destination.prepared.flatMap(({ legs }) => legs).filter(isCoin);
export const topUp = () => scene.leg(legId.topUp(body.orderId));
export const fill = () => scene.leg(legId.fill(body.orderId));
export const excess = (name = 'deposit') => scene.leg(legId.excess(`901:${name}:0`));
export const status = async () => (await scene.request(body)).status;
export const reserved = () => scene.pot(counter.reserved(DESTINATION, SIGNER, COIN));
export const wait = (ms: number) => {
  scene.now += ms;
};

export async function paidIn(overrides: Partial<QuoteBody> = {}, amount?: bigint): Promise<void> {
  body = await scene.quote(1, withTopUp(1, overrides));
  await scene.sees([scene.deposit(body, 'deposit', amount === undefined ? {} : { amount })]);
}

export async function filled(options: { final?: boolean } = {}): Promise<void> {
  await scene.pays(scene.destination);
  scene.destination.lands(`${SIGNER}:0`, 501, options);
  await scene.tracks(scene.destination);
}

/** The chain's answer about the top-up alone. */
export function refusing(reason: 'TRANSFER_FAILED' | 'ORDER_ALREADY_FILLED'): void {
  scene.destination.checkAnswer = (leg: LegInstruction) =>
    leg.legId.startsWith('topup:') ? { ok: false, kind: 'refused', reason, message: 'no' } : { ok: true, plan: '{}' };
}

/** Reprices the destination's currencies as separate assets; the origin's cost 1. */
export function raiseCoinPrice(usd: string): void {
  const { group } = scene.origin.facts.currency;
  const currency = scene.destination.currency.bind(scene.destination);
  scene.destination.currency = (address) => {
    const found = currency(address);
    return found && { ...found, group: 'raiseCoinPrice' };
  };
  scene.context.prices.price = (one) => ({ ok: true, usd: one.group === group ? '1' : usd, at: scene.now });
}

export function refusingNothing(): void {
  scene.destination.checkAnswer = () => ({ ok: true, plan: '{}' });
}

export function openScenes(): void {
  beforeEach(async () => {
    scene = await Scene.open();
  });

  afterEach(async () => {
    await scene.close();
  });
}
