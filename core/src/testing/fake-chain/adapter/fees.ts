import type { CostEstimate } from '../../../contract/chain-adapter.js';
import type { CollectLeg, LegInstruction, LegKind, RefundExchange, RefundLeg } from '../../../contract/legs.js';
import { RENT } from '../execution.js';
import { NATIVE } from '../native.js';
import type { Rules } from '../rules.js';
import { BASE_UNITS, type FakeAction, unitsOf } from '../transaction.js';
import { decodeCall, encodeCall } from './calls.js';
import type { AdapterParts } from './setup.js';

export interface FeeTerms {
  readonly price: bigint;
  readonly tip: bigint;
}

const TIP = 2n;
const MIN_AGE_MS = 30_000;
/** Parts per thousand. */
const BUFFER = 1_200n;
const BUMP = 1_250n;
const MIN_BUMP = 1_100n;

const WORK: Readonly<Partial<Record<LegKind, FakeAction['do']>>> = {
  fill: 'fill',
  refund: 'withdraw',
  excess: 'withdraw',
  collect: 'withdraw',
  sweep: 'sweep',
  call: 'call',
};

type Fees = Pick<AdapterParts, 'config' | 'feed' | 'clock'>;

/** Base fee of the newest head; undefined when too old. */
function sample({ config, feed, clock }: Fees): { readonly baseFee: bigint; readonly at: number } | undefined {
  const news = feed.current;
  if (news === undefined) return undefined;
  const most = Math.max(MIN_AGE_MS, config.facts.blockTimeMs * 10);
  return clock.now() - news.at > most ? undefined : news;
}

export function cost(
  fees: Fees,
  actions: readonly FakeAction['do'][],
  buffered: boolean,
  added = 0n,
): CostEstimate | undefined {
  const market = sample(fees);
  if (market === undefined) return undefined;
  const native = (unitsOf(actions) + added) * (market.baseFee + TIP);
  return { native: buffered ? withBuffer(native) : native, at: market.at };
}

interface OwnWork {
  readonly isNative: boolean;
  readonly deposits?: boolean | undefined;
  readonly overhead?: bigint | undefined;
}

/** Cost of an execution by a user, with the approval of a token. */
export function ownCost(fees: Fees, { isNative, deposits = false, overhead = 0n }: OwnWork): CostEstimate | undefined {
  const does = deposits ? 'swapIn' : 'execute';
  return isNative ? cost(fees, [does], false, overhead) : cost(fees, ['approve', does], false, overhead * 2n);
}

function withBuffer(value: bigint): bigint {
  return (value * BUFFER + 999n) / 1_000n;
}

export function costOfWork(fees: Fees, used: bigint): CostEstimate | undefined {
  const market = sample(fees);
  if (market === undefined) return undefined;
  const work = withBuffer(used);
  const most = work * (market.baseFee * 2n + TIP);
  return { native: withBuffer(used * (market.baseFee + TIP)), work, most, at: market.at };
}

export function workCost(fees: Fees, work: bigint): bigint | undefined {
  const market = sample(fees);
  return market === undefined ? undefined : withBuffer(work * (market.baseFee + TIP));
}

/** Only fees are buffered, not rent. A refund is charged its recipient's work as `check` saw it. */
export function legCost(
  fees: Fees & Pick<AdapterParts, 'openings' | 'wishes'>,
  kind: LegKind,
  currency: string,
  recipient: string | undefined,
): CostEstimate | undefined {
  const { config, openings, wishes } = fees;
  const action = WORK[kind];
  const least = action === undefined ? undefined : unitsOf([action]);
  const wished = kind === 'fill' || recipient === undefined ? undefined : wishes.get(`${currency}:${recipient}`);
  const used = least !== undefined && wished !== undefined && wished > least ? wished : least;
  const fee = used === undefined ? undefined : costOfWork(fees, used);
  if (fee === undefined || recipient === undefined || !config.rules.accounts) return fee;
  const isToken = currency !== config.facts.currency.address;
  const own = recipient === config.signer || recipient === config.facts.depository;
  const rent = isToken && !own && openings.mustOpen(currency, recipient) ? RENT : 0n;
  return { ...fee, native: fee.native + rent, rent };
}

/** First attempt: covers a doubled base fee. */
export function terms(fees: Fees): FeeTerms | 'feeCap' | undefined {
  const market = sample(fees);
  if (market === undefined) return undefined;
  const cap = fees.config.feeCap;
  if (market.baseFee + TIP > cap) return 'feeCap';
  const price = market.baseFee * 2n + TIP;
  return { price: price < cap ? price : cap, tip: TIP };
}

/** Replacement terms; `feeCap` where the cap is too low. */
export function bumped(fees: Fees, before: FeeTerms): FeeTerms | 'feeCap' | undefined {
  const now = terms(fees);
  if (now === undefined || now === 'feeCap') return now;
  const cap = fees.config.feeCap;
  if (raised(before.price, MIN_BUMP) > cap || raised(before.tip, MIN_BUMP) > cap) return 'feeCap';
  const price = least(most(raised(before.price, BUMP), now.price), cap);
  return { price, tip: least(most(raised(before.tip, BUMP), now.tip), price) };
}

export interface SignedTerms extends FeeTerms {
  /** Chain time in seconds after which it is void; null for never. */
  readonly validUntil: number | null;
  /** Spent outputs: it is void on branches without them. */
  readonly inputs: readonly string[];
}

export function writeTerms({ price, tip, validUntil, inputs }: SignedTerms): string {
  return JSON.stringify({ price: price.toString(), tip: tip.toString(), validUntil, inputs });
}

export function readTerms(text: string): SignedTerms {
  const { price, tip, ...ends } = JSON.parse(text) as { price: string; tip: string } & Omit<
    SignedTerms,
    'price' | 'tip'
  >;
  return { price: BigInt(price), tip: BigInt(tip), ...ends };
}

const MAX_WORK = 1_000n;

export type LegAction = Extract<FakeAction, { readonly do: 'fill' | 'withdraw' | 'sweep' | 'call' }>;

function bringsOf(leg: LegInstruction): string {
  return (leg.kind === 'refund' || leg.kind === 'excess' ? leg.exchange?.output.currency : undefined) ?? leg.currency;
}

export function actionOf(leg: LegInstruction, { coins }: Pick<Rules, 'coins'>, opens = false): LegAction {
  const { currency, recipient: to } = leg;
  if (leg.kind === 'call') {
    const { useKey, data = '0x', work } = leg;
    return { do: 'call', useKey, to, data, ...(work === undefined ? {} : { work: work - BASE_UNITS }) };
  }
  if (leg.kind === 'sweep') {
    const { amount, useKey, from } = leg;
    return { do: 'sweep', useKey, from: from.address, salt: from.salt, currency, to, amount };
  }
  // Only native payments and calls run code.
  const calls = leg.kind === 'fill' ? leg.calls : undefined;
  const bounded = (bringsOf(leg) === NATIVE && leg.kind !== 'collect') || calls !== undefined;
  const limit = bounded ? { work: (leg.work ?? MAX_WORK) - BASE_UNITS } : {};
  const paid = { currency, to, amount: leg.amount, checksOwner: true, ...limit, ...(opens ? { opens } : {}) };
  const made = calls === undefined ? {} : { calls: calls.map(decodeCall) };
  if (leg.kind === 'fill') {
    const { orderId, deadline, wanted, topUp } = leg;
    const besides = { ...(topUp === undefined ? {} : { topUp }), ...(wanted === undefined ? {} : { wanted }) };
    return { do: 'fill', orderId, ...paid, deadline, ...made, ...besides };
  }
  const taken = coins ? coinsOf(leg) : {};
  const exchange = leg.kind === 'collect' ? undefined : leg.exchange;
  const exchanged = exchange === undefined ? {} : { exchange: exchangeOf(exchange) };
  return { do: 'withdraw', useKey: leg.useKey, ...paid, expiration: leg.expiration, ...taken, ...exchanged };
}

/** @throws on calls that no fake source makes. */
function exchangeOf({
  output,
  calls,
}: RefundExchange): NonNullable<Extract<FakeAction, { do: 'withdraw' }>['exchange']> {
  const [call] = calls.map((one) => decodeCall(encodeCall(one)));
  if (call?.swap === undefined) throw new Error('an exchange without a pool');
  return { swap: call.swap, output };
}

function coinsOf(leg: CollectLeg | RefundLeg) {
  if (leg.kind === 'collect') return leg.fundingKeys === undefined ? {} : { spends: leg.fundingKeys };
  return { spends: [leg.fundingKey], rest: (leg.covers ?? leg.amount) - leg.amount };
}

export interface FakePlan {
  readonly opens?: boolean;
}

function raised(value: bigint, perMille: bigint): bigint {
  return most((value * perMille + 999n) / 1_000n, value + 1n);
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function most(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
