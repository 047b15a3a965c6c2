import { describe, expect, it } from 'vitest';
import { requestRecord } from '../../src/api/record/request-record.js';
import type { ShownRequest, TransactionRow } from '../../src/contract/index.js';
import type { RequestRow } from '../../src/contract/store-rows.js';
import { rateText } from '../../src/domain/percent.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { deliveredSide } from '../../src/domain/swap-out.js';
import { drawScenario } from '../../src/testing/simulation/draw-scenario.js';
import type { Profile as SimulationProfile } from '../../src/testing/simulation/scenario.js';
import { simulate } from '../../src/testing/simulation/simulate.js';
import type { World } from '../../src/testing/simulation/world.js';

/** Compares each record with the final chains. */
const SEEDS = [1, 2, 3, 4, 5, 6];
/** Chains with pools, without faults. */
const POOLED = [1, 2, 3, 4];

interface Seen {
  /** Checked records by outcome. */
  readonly counts: Record<string, number>;
  readonly lies: string[];
}

async function live(seed: number, seen: Seen, profile: SimulationProfile = {}): Promise<void> {
  let world: World | undefined;
  const broken = {
    changeSet: <T>(set: T, of: World): T => {
      world = of;
      return set;
    },
  };
  await simulate(drawScenario(seed, profile), { broken });
  // Records lost by a restore are absent.
  if (world === undefined || world.restored) return;
  for (const request of world.ledger.rows('requests')) hold(world, request, seen, seed);
}

function viewOf(world: World, request: RequestRow): ShownRequest {
  const own = <T extends { readonly requestId: unknown }>(rows: Iterable<T>) =>
    [...rows].filter((row) => row.requestId === request.id);
  const deposits = own(world.ledger.rows('deposits'));
  return { request, deposits, legs: own(world.ledger.rows('legs')), transactions: deposits.map(transactionOf) };
}

function transactionOf(deposit: ShownRequest['deposits'][number]): TransactionRow {
  const { requestId, chainId, transactionHash: hash, height: block, state } = deposit;
  const status = state === 'vanished' ? 'failure' : 'success';
  return {
    id: hash,
    version: 1,
    requestId,
    role: 'deposit',
    chainId,
    hash,
    block,
    timestamp: null,
    status,
    entry: null,
  };
}

function hold(world: World, request: RequestRow, { counts, lies }: Seen, seed: number): void {
  const { data } = requestRecord(viewOf(world, request), {
    chains: world.spectators,
    policy: world.policy,
    orderSigner: { address: 'solver' },
  } as never);
  const is = (what: string, said: unknown, shown: unknown) => {
    if (said !== shown)
      lies.push(`seed ${seed}, ${request.status} ${request.id}: ${what} ${said}, the chain: ${shown}`);
  };
  const body = JSON.parse(request.body) as QuoteBody;
  const { fundingKey } = request;
  const watch = [...world.watches.values()].find((one) => fundingKey !== null && one.deposits.has(fundingKey));
  const deposit = watch?.deposits.get(fundingKey ?? '');
  if (!watch || !deposit || data.route.actual === null) return;
  const { origin, destination, rate } = data.route.actual;
  is('deposited', origin.inputCurrency.amount, deposit.amount.toString());
  is('on chain', origin.inputCurrency.currency.chainId, watch.chain.id);
  is('in', origin.inputCurrency.currency.address, deposit.currency);
  const back = (['refund', 'excess'] as const).flatMap((leg) => watch.refundOf(deposit.fundingKey, leg) ?? []);
  const sum = back.reduce((total, { amount }) => total + amount, 0n);
  is('paid back', data.refundCurrencyData?.amount ?? null, back.length === 0 ? null : sum.toString());
  is('paid back on', data.refundCurrencyData?.currency.chainId, back.length === 0 ? undefined : watch.chain.id);
  is('paid back in', data.refundCurrencyData?.currency.address, back[0]?.currency);
  const fill =
    request.parentRequestId === null ? world.watch(request.destinationChainId).fills.get(request.orderId) : null;
  const asQuoted = watch.chain.id === body.origin.chainId && deposit.currency === body.origin.currency;
  const paid = data.feeSponsorship.actual.userPaysTotal.amount;
  if ((request.status === 'success' || request.status === 'fallback') && fill) {
    const used = deposit.amount < BigInt(body.amountIn) ? deposit.amount : BigInt(body.amountIn);
    const fellBack = request.status === 'fallback';
    const got = fill.brought ?? fill;
    const side = fellBack ? body.destination : deliveredSide(body);
    is('delivered', destination.outputCurrency?.amount, got.amount.toString());
    is('delivered in', destination.outputCurrency?.currency.address, got.currency);
    is('fell back', fellBack, body.swapOut !== undefined && fill.brought === undefined);
    is('used', origin.outputCurrency?.amount, used.toString());
    const decimals = [body.origin.decimals, side.decimals] as const;
    is('rate', rate, rateText(used, decimals[0], got.amount, decimals[1]));
    if (body.swapOut)
      counts[fellBack ? 'fallen back' : 'exchanged'] = (counts[fellBack ? 'fallen back' : 'exchanged'] ?? 0) + 1;
    counts[deposit.amount > used ? 'overpaid' : 'filled'] =
      (counts[deposit.amount > used ? 'overpaid' : 'filled'] ?? 0) + 1;
  } else if (!fill) {
    const kept = asQuoted && back.length > 0 ? deposit.amount - sum : 0n;
    if (back.length < 2 || asQuoted) is('kept', paid, kept.toString());
    const way = back.length === 0 ? 'unpaid' : asQuoted ? 'refunded' : 'paid otherwise';
    counts[way] = (counts[way] ?? 0) + 1;
  }
}

describe('the records of whole lives', () => {
  it('say what the chains show', { timeout: 300_000 }, async () => {
    const seen: Seen = { counts: {}, lies: [] };
    for (const seed of SEEDS) await live(seed, seen);
    for (const seed of POOLED) await live(seed, seen, { pools: true, profiles: ['nonce'], faults: [] });
    expect(seen.lies).toEqual([]);
    // Guards against a vacuous check.
    for (const way of ['filled', 'overpaid', 'refunded', 'paid otherwise', 'unpaid', 'exchanged', 'fallen back'])
      expect(seen.counts[way] ?? 0, `${way}: ${JSON.stringify(seen.counts)}`).toBeGreaterThan(0);
  });
});
