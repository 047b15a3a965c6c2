// Judges a whole test file by chain state alone, independent of the service's tables, statuses and terms. It asserts
// only what the chains show.

import type { ChainHistory, Deposited, Filled, Withdrawn } from './history.js';
import type { Quote } from './rest.js';

/** A quote's promise, as its client saw it. */
export interface Promised {
  readonly orderId: string;
  readonly originChainId: number;
  readonly currencyIn: string;
  readonly amountIn: bigint;
  readonly destinationChainId: number;
  readonly currencyOut: string;
  readonly expectedOut: bigint;
  readonly minimumOut: bigint;
  /** The solver's maximum, where the fill swaps it for `currencyOut`. */
  readonly given?: { readonly currency: string; readonly most: bigint };
  /** The recipient may get what the solver gives, as the client allowed; or the order's calls use the swap's output. */
  readonly unmeasured?: boolean;
  readonly recipient: string;
  /** Recipient of refunds. */
  readonly refundTo: string;
  readonly depositTakenAway?: boolean;
  /** Refund of a filled order, as where coin in addition to its output was undeliverable. */
  readonly partBack?: bigint;
  /** No automatic refund: too small or refused; it must be on hold for an operator. */
  readonly held?: boolean;
}

/** Claimed app fees, or coin in addition to an output: one payment to its own account. */
export interface Payout {
  readonly chainId: number;
  readonly token: string;
  readonly to: string;
  readonly most: bigint;
}

export interface Inventory {
  readonly chainId: number;
  readonly token: string;
  readonly before: bigint;
  readonly now: bigint;
}

export interface Pot {
  readonly chainId: number;
  readonly token: string;
  readonly before?: bigint;
  /** Of the depository and its deposit addresses. */
  readonly now: bigint;
}

export interface Evidence {
  readonly solvers: readonly string[];
  readonly histories: readonly ChainHistory[];
  readonly promises: readonly Promised[];
  readonly payouts?: readonly Payout[];
  /** Ids under which deposits are credited to app balances, and linked payers whose deposits are, in lower case. */
  readonly credited?: readonly string[];
  readonly inventory: readonly Inventory[];
  readonly pots: readonly Pot[];
  /** Of the fill signer in mempools, over all chains. */
  readonly waiting: number;
}

/** Native coins of all families. */
const NATIVE: readonly string[] = [
  '0x0000000000000000000000000000000000000000',
  '11111111111111111111111111111111',
  'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmql8k8',
  'EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9c',
];
export const isNative = (token: string): boolean => NATIVE.includes(token);
const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);
const lower = (text: string): string => text.toLowerCase();

/** Every violation; empty when all is well. */
export function judge(evidence: Evidence): readonly string[] {
  const deposits = evidence.histories.flatMap((history) => history.deposits);
  const withdrawals = evidence.histories.flatMap((history) => history.withdrawals);
  const fills = evidence.histories.flatMap((history) => history.fills.map((fill) => named(evidence.promises, fill)));
  const refunds = withdrawals.filter((one) => !isOurs(evidence, one.to));
  return [
    ...onceOnly(fills, withdrawals),
    ...fillsKeepPromises(evidence, fills, deposits),
    ...depositsHaveOneOutcome(evidence.promises, uncredited(evidence, deposits), fills, refunds),
    ...potsBalance(evidence, deposits, withdrawals),
    ...inventoryBalances(evidence, fills, withdrawals),
    ...lanesAreClean(evidence),
  ];
}

/** A shared transaction may have only a prefix of each order id. */
function named(promises: readonly Promised[], fill: Filled): Filled {
  const meant = promises.filter(
    (one) =>
      one.orderId.startsWith(fill.orderId) &&
      one.destinationChainId === fill.chainId &&
      lower(one.recipient) === fill.to,
  );
  const [only] = meant;
  return only !== undefined && meant.length === 1 ? { ...fill, orderId: only.orderId } : fill;
}

function isOurs({ solvers }: Evidence, address: string): boolean {
  return solvers.some((solver) => lower(solver) === address);
}

function onceOnly(fills: readonly Filled[], withdrawals: readonly Withdrawn[]): string[] {
  return [
    ...repeated(fills.map((fill) => fill.orderId)).map((id) => `order ${id} was filled more than once`),
    ...repeated(withdrawals.map((one) => `${one.chainId}:${one.key}`)).map((key) => `withdrawal ${key} happened twice`),
  ];
}

function repeated(values: readonly string[]): string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))];
}

function fillsKeepPromises(
  { promises, payouts = [] }: Pick<Evidence, 'promises' | 'payouts'>,
  fills: readonly Filled[],
  deposits: readonly Deposited[],
): string[] {
  const unpaid = [...payouts];
  return fills.flatMap((fill) => {
    const promise = promises.find((one) => one.orderId === fill.orderId);
    if (promise === undefined) {
      const claimed = unpaid.findIndex((one) => pays(fill, one));
      if (claimed >= 0) unpaid.splice(claimed, 1);
      return claimed >= 0 ? [] : [`fill of ${fill.orderId}, which was never promised`];
    }
    const found: string[] = [];
    const say = (what: string) => found.push(`fill of ${fill.orderId}: ${what}`);
    if (fill.chainId !== promise.destinationChainId) say(`on chain ${fill.chainId}`);
    if (fill.to !== lower(promise.recipient)) say(`to ${fill.to}`);
    found.push(
      ...(promise.given ? swapKeeps(fill, promise, promise.given) : paymentKeeps(fill, promise)).map(
        (what) => `fill of ${fill.orderId}: ${what}`,
      ),
    );
    const funded = deposits.some((one) => one.id === fill.orderId && isAsPromised(one, promise));
    if (!funded && promise.depositTakenAway !== true) say('without a deposit on the canonical chain');
    return found;
  });
}

function paymentKeeps(fill: Filled, promise: Promised): string[] {
  const found: string[] = [];
  if (fill.token !== lower(promise.currencyOut)) found.push(`in ${fill.token}`);
  if (fill.amount < promise.minimumOut) found.push(`${fill.amount} is less than the minimum ${promise.minimumOut}`);
  if (fill.amount > promise.expectedOut) found.push(`${fill.amount} is more than the promised ${promise.expectedOut}`);
  return found;
}

/** The solver gave at most what was charged, and the recipient got at least what was promised. */
function swapKeeps(
  { token, amount, brought }: Filled,
  promise: Promised,
  given: NonNullable<Promised['given']>,
): string[] {
  const found: string[] = [];
  if (token !== lower(given.currency)) found.push(`in ${token}`);
  if (amount > given.most) found.push(`${amount} is more than the ${given.most} to be exchanged`);
  if (promise.unmeasured === true) return found;
  if (brought?.token !== lower(promise.currencyOut)) found.push(`brought ${brought?.token ?? 'nothing'}`);
  else if (brought.amount < promise.minimumOut)
    found.push(`brought ${brought.amount}, less than the minimum ${promise.minimumOut}`);
  return found;
}

function pays(fill: Filled, { chainId, token, to, most }: Payout): boolean {
  return fill.chainId === chainId && fill.token === lower(token) && fill.to === lower(to) && fill.amount < most;
}

function isAsPromised(deposit: Deposited, promise: Promised): boolean {
  return deposit.chainId === promise.originChainId && deposit.token === lower(promise.currencyIn);
}

interface Due {
  readonly deposit: Deposited;
  readonly to: string;
  readonly promise: Promised | undefined;
}

/**
 * Per (chain, token, refund recipient): each refund is covered by its own deposit, at most one excess leg goes with a
 * fill, nothing is refunded twice, nothing is left over.
 */
function depositsHaveOneOutcome(
  promises: readonly Promised[],
  deposits: readonly Deposited[],
  fills: readonly Filled[],
  refunds: readonly Withdrawn[],
): string[] {
  const found: string[] = [];
  const groups = new Map<string, { due: Due[]; refunds: Withdrawn[] }>();
  const group = (chainId: number, token: string, to: string) => {
    const key = `chain ${chainId}, token ${token}, refunds to ${to}`;
    const existing = groups.get(key) ?? { due: [], refunds: [] };
    groups.set(key, existing);
    return existing;
  };
  for (const deposit of deposits) {
    const promise = promises.find((one) => one.orderId === deposit.id);
    // On another chain than its order's, only the transfer shows whom to refund.
    const named = promise?.originChainId === deposit.chainId ? promise.refundTo : deposit.from;
    const to = lower(named);
    group(deposit.chainId, deposit.token, to).due.push({ deposit, to, promise });
  }
  for (const refund of refunds) group(refund.chainId, refund.token, refund.to).refunds.push(refund);

  for (const [name, { due, refunds: paid }] of groups) {
    // A filled order consumes its largest deposit, so that the rest is judged most strictly.
    const consumed = new Map<Deposited, bigint>();
    for (const fill of fills) {
      const candidates = due
        .filter((one) => one.promise?.orderId === fill.orderId && isAsPromised(one.deposit, one.promise))
        .sort((a, b) => (a.deposit.amount < b.deposit.amount ? 1 : -1));
      const taken = candidates[0];
      if (taken?.promise === undefined) continue;
      const { deposit, promise } = taken;
      const whole = deposit.amount < promise.amountIn ? deposit.amount : promise.amountIn;
      consumed.set(deposit, whole - (promise.partBack ?? 0n));
    }
    const open = due
      .map((one) => ({ ...one, left: one.deposit.amount - (consumed.get(one.deposit) ?? 0n) }))
      .filter((one) => one.left > 0n)
      .sort((a, b) => (a.left < b.left ? 1 : -1));
    const amounts = paid.map((one) => one.amount).sort((a, b) => (a < b ? 1 : -1));
    if (amounts.length > open.length) found.push(`${name}: ${amounts.length} refunds for ${open.length} deposits`);
    for (const [index, amount] of amounts.entries()) {
      const covered = open[index]?.left ?? 0n;
      if (amount > covered) found.push(`${name}: refund of ${amount} is covered by only ${covered}`);
    }
    const owed = open.filter((one) => one.promise?.held !== true && !consumed.has(one.deposit));
    if (amounts.length < owed.length)
      found.push(`${name}: ${owed.length} deposits to pay back, ${amounts.length} refunds`);
  }
  return found;
}

/** What is credited is not refunded. */
function uncredited({ credited = [] }: Evidence, deposits: readonly Deposited[]): readonly Deposited[] {
  return deposits.filter(({ id, from }) => !credited.includes(id) && !credited.includes(from));
}

function potsBalance(evidence: Evidence, deposits: readonly Deposited[], withdrawals: readonly Withdrawn[]): string[] {
  return evidence.pots.flatMap((pot) => {
    const here = (one: { chainId: number; token: string }) =>
      one.chainId === pot.chainId && one.token === lower(pot.token);
    const expected =
      (pot.before ?? 0n) +
      sum(deposits.filter(here).map((d) => d.amount)) -
      sum(withdrawals.filter(here).map((w) => w.amount)) +
      straysOf(evidence, pot, 'depository') -
      feesOf(evidence, pot, 'depository');
    return pot.now === expected
      ? []
      : [`depository on ${pot.chainId} holds ${pot.now} of ${pot.token}, its events say ${expected}`];
  });
}

function inventoryBalances(evidence: Evidence, fills: readonly Filled[], withdrawals: readonly Withdrawn[]): string[] {
  return evidence.inventory.flatMap((one) => {
    const here = (row: { chainId: number; token: string }) =>
      row.chainId === one.chainId && row.token === lower(one.token);
    const collected = sum(withdrawals.filter((w) => here(w) && isOurs(evidence, w.to)).map((w) => w.amount));
    const filled = sum(fills.filter((f) => here(f) && isOurs(evidence, f.filler)).map((f) => f.amount));
    const [fees, strays] = [feesOf(evidence, one, 'inventory'), straysOf(evidence, one, 'inventory')];
    const expected = one.before + collected - filled - fees + strays;
    return one.now === expected
      ? []
      : [`inventory on ${one.chainId} is ${one.now} of ${one.token}, fills, collects and fees say ${expected}`];
  });
}

type Holder = 'inventory' | 'depository';

/** The holder's network fees, for a pot of native coin. */
function feesOf({ histories }: Evidence, { chainId, token }: Pick<Pot, 'chainId' | 'token'>, holder: Holder): bigint {
  if (!isNative(token)) return 0n;
  const history = histories.find(({ chain }) => chain.id === chainId);
  return sum((history?.sent ?? []).flatMap(({ fee, by = 'inventory' }) => (by === holder ? [fee] : [])));
}

function straysOf({ histories }: Evidence, { chainId, token }: Pick<Pot, 'chainId' | 'token'>, holder: Holder): bigint {
  const history = histories.find(({ chain }) => chain.id === chainId);
  const here = (history?.strays ?? []).filter((one) => one.to === holder && one.token === lower(token));
  return sum(here.map(({ amount }) => amount));
}

function lanesAreClean(evidence: Evidence): string[] {
  const lanes = evidence.histories.flatMap(({ chain, sent }) => [
    { chain, sent: sent.filter(({ by }) => by === undefined) },
    { chain, sent: sent.filter(({ by }) => by === 'depository') },
  ]);
  const gaps = lanes.flatMap(({ chain, sent }) =>
    sent.slice(1).flatMap((transaction, index) => {
      const previous = sent[index];
      if (previous === undefined || previous.nonce === null || transaction.nonce === null) return [];
      return transaction.nonce !== previous.nonce + 1
        ? [`chain ${chain.id}: nonce ${transaction.nonce} follows ${previous.nonce}`]
        : [];
    }),
  );
  return evidence.waiting === 0
    ? gaps
    : [...gaps, `${evidence.waiting} transactions of the fill signer still wait in a pool`];
}

/** The payment promised in addition to a quote's output. */
export function payoutsOf(
  { details }: { readonly details: Pick<Quote['details'], 'currencyGasTopup'> },
  chainId: number,
  to: string,
): readonly Payout[] {
  const { currencyGasTopup: coin } = details;
  if (coin === undefined) return [];
  return [{ chainId, token: coin.currency.address, to, most: BigInt(coin.amount) + 1n }];
}
