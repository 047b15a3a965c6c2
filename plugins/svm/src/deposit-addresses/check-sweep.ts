import type { LegCheck, SweepLeg } from '@causeway/core';
import { type Provider, type Providers, RpcError } from '@causeway/core/rpc';
import { type AccountsAt, AMOUNT_SLICE, amountIn, fetchAccountsAt, isTokenAccount } from '../accounts.js';
import { isNative } from '../addresses.js';
import { reasonOf } from '../explain.js';
import { BEHIND, historyPage, type Listed } from '../listing/page.js';
import { simulate, unitsFor } from '../simulate.js';
import { associatedAccount } from '../token-accounts.js';
import { type LegPlan, MAX_UNITS, type Solver, type TokenFacts } from '../transactions/build.js';
import { fetchShown } from '../transactions/fetch.js';
import type { ReadTransaction } from '../transactions/read.js';
import { transfersOf } from '../transactions/transfers.js';
import type { AddressKeys } from './address-keys.js';
import { readFunding } from './funding.js';
import type { SweepPlan } from './sweep-instructions.js';

export interface SweepDeps {
  readonly solver: Solver & { readonly sweeper: string };
  readonly addresses: AddressKeys;
  readonly providers: Providers;
  tokenOf(currency: string): TokenFacts | undefined;
  /** Undefined before the first head. No I/O. */
  latest(): { readonly blockhash: string } | undefined;
  /** Absence below this slot is not accepted. */
  floor(): number;
  /** Rent minimum of an account without data, lamports; undefined until read. No I/O. */
  leastBalance(): bigint | undefined;
  /** Whether accounts of the mint may hold withheld transfer fees. No I/O. */
  withholds(currency: string): boolean;
}

type Refusal = Extract<LegCheck, { ok: false }>;

/** Pages of an address's newer history that are searched for an earlier sweep of the leg. */
const MAX_PAGES = 5;
/** Transactions of an address that are read to sum up what the sweeper lent it. */
const MAX_SWEEPS_READ = 100;
/** More than the fees of a sweep and what its payer must keep. */
const FEES = 1_500_000n;

/**
 * Simulates the sweep of one transfer. Throws only on bugs, RpcError and TransportError.
 *
 * Invariant (G4): the balance of the address proves nothing about one transfer: a leg that an earlier transaction names
 * is refused with INVALID_NONCE even if the balance suffices, because it belongs to another transfer.
 */
export async function checkSweep(deps: SweepDeps, provider: Provider, leg: SweepLeg): Promise<LegCheck> {
  const { solver, addresses } = deps;
  const { from, recipient, currency } = leg;
  if (addresses.signer(from.salt).address !== from.address || recipient !== solver.vault)
    return refused('UNKNOWN', `${from.address} is not derived from the configured master secret`);
  const token = deps.tokenOf(currency);
  if (token === undefined && !isNative(currency)) throw new Error(`no currency ${currency}`);
  const [latest, least] = [deps.latest(), deps.leastBalance()];
  if (latest === undefined || least === undefined) return unavailable('no block seen yet');
  const account = token === undefined ? from.address : associatedAccount(currency, from.address, token.program);
  const floor = deps.floor();
  try {
    const earlier = await sweptBy(provider, leg, account, solver.sweeper, floor);
    // guard: svm-swept-once
    if (earlier !== undefined) return refused('INVALID_NONCE', `${earlier} swept it`);
    const shown = await fetchAccountsAt(provider.rpc, [account, solver.sweeper], floor, AMOUNT_SLICE);
    const held = heldIn(shown, token);
    const left = held - leg.amount;
    // Less than the rent minimum may have gone to the sweeper before the transfer was recorded: it comes from there again.
    const isTaken = token === undefined && leg.others !== undefined && left > -least;
    if (left < 0n && !isTaken)
      return unavailable(`${account} holds ${held} of ${currency}, and ${leg.amount} arrived with the transfer`);
    const plan =
      token === undefined
        ? await nativePlan(provider, leg, { account, left, least, sweeper: solver.sweeper })
        : tokenPlan(left, deps.withholds(currency));
    return await trial(solver, provider, leg, {
      plan,
      token,
      blockhash: latest.blockhash,
      coins: shown.accounts[1]?.lamports ?? 0n,
    });
  } catch (error) {
    if (error instanceof RpcError && error.code === BEHIND) return unavailable(`${provider.name} lags behind ${floor}`);
    throw error;
  }
}

function unavailable(message: string, reason: Refusal['reason'] = 'UNKNOWN'): Refusal {
  return { ok: false, kind: 'unavailable', reason, message };
}

function refused(reason: Refusal['reason'], message: string): Refusal {
  return { ok: false, kind: 'refused', reason, message };
}

function heldIn({ accounts: [found] }: AccountsAt, token: TokenFacts | undefined): bigint {
  if (token === undefined) return found?.lamports ?? 0n;
  return isTokenAccount(found, token.program) ? amountIn(found) : 0n;
}

/** The transaction of the sweeper that names the leg, among those that touched the account since the transfer. */
async function sweptBy(
  { rpc }: Provider,
  { fundingKey, useKey }: SweepLeg,
  account: string,
  sweeper: string,
  asOf: number,
): Promise<string | undefined> {
  const funding = readFunding(fundingKey);
  if (funding?.account !== account) throw new Error(`${fundingKey} is no transfer to ${account}`);
  const until = { signature: funding.signature, slot: 0 };
  let before: { readonly signature: string; readonly slot: number } | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const { entries, next } = await historyPage(rpc, account, { before, until, asOf });
    const naming = entries.filter(({ ok, ids }) => ok && ids.includes(useKey));
    for (const { signature } of naming) {
      // Anyone can write the memo.
      if ((await fetchShown(rpc, signature)).payer === sweeper) return signature;
    }
    if (next === undefined) return undefined;
    before = next;
  }
  return undefined;
}

interface Remainder {
  readonly account: string;
  readonly left: bigint;
  readonly least: bigint;
  readonly sweeper: string;
}

/**
 * An account holds at least the rent minimum or nothing. Where less would remain of other transfers, the sweeper lends what is
 * missing and takes it back with the last of them. What is of no transfer was lent, or is dust that anyone can send: it goes to
 * the sweeper, or dust of one lamport would keep a loan there for ever.
 */
async function nativePlan(provider: Provider, { others }: SweepLeg, remainder: Remainder): Promise<SweepPlan> {
  const { account, left, least, sweeper } = remainder;
  if (left <= 0n) return left === 0n ? {} : { lends: (-left).toString() };
  // guard: svm-dust-borrows-nothing
  if (others === 0n) return left < least ? { returns: left.toString() } : {};
  const lent = others === undefined && left <= least ? await lentTo(provider, account, sweeper) : undefined;
  if (lent === left) return { returns: left.toString() };
  return left < least ? { lends: (least - left).toString() } : {};
}

/** Lamports that the sweeper lent. Undefined where the history is too long to read: then they stay there. */
async function lentTo({ rpc }: Provider, account: string, sweeper: string): Promise<bigint | undefined> {
  const { entries, next } = await historyPage(rpc, account, { before: undefined });
  // Sweeps name their leg.
  const sweeps = entries.filter(({ ok, ids }: Listed) => ok && ids.length > 0);
  if (next !== undefined || sweeps.length > MAX_SWEEPS_READ) return undefined;
  let lent = 0n;
  for (const { signature } of sweeps) {
    const read = await fetchShown(rpc, signature);
    if (read.payer === sweeper) lent += lentIn(read, account, sweeper);
  }
  return lent;
}

function lentIn(transaction: ReadTransaction, account: string, sweeper: string): bigint {
  let lent = 0n;
  for (const { kind, from, to, amount } of transfersOf(transaction)) {
    if (kind === 'native' && from === sweeper && to === account) lent += amount;
    if (kind === 'native' && from === account && to === sweeper) lent -= amount;
  }
  return lent;
}

function tokenPlan(left: bigint, withholds: boolean): SweepPlan {
  return left > 0n ? {} : { closes: withholds ? 'harvested' : 'plain' };
}

interface Tried {
  readonly plan: SweepPlan;
  readonly token: TokenFacts | undefined;
  readonly blockhash: string;
  /** Balance of the sweeper, lamports. */
  readonly coins: bigint;
}

async function trial(solver: SweepDeps['solver'], provider: Provider, leg: SweepLeg, tried: Tried): Promise<LegCheck> {
  const { plan, token, blockhash, coins } = tried;
  const lends = BigInt(plan.lends ?? 0n);
  if (coins < lends + FEES) {
    const message = `${solver.sweeper} holds ${coins} lamports, too few for fees`;
    return unavailable(message, 'SOLVER_BALANCE_TOO_LOW');
  }
  const draft: LegPlan = { units: MAX_UNITS, opensAccount: false, sends: leg.amount.toString(), sweep: plan };
  const value = await simulate(solver, provider, [{ leg, plan: draft, token }], blockhash);
  if (value.err === null) return { ok: true, plan: JSON.stringify({ ...draft, units: unitsFor(value) }) };
  // An account that cannot be closed is swept all the same.
  if (plan.closes !== undefined) return trial(solver, provider, leg, { ...tried, plan: {} });
  const { reason, message } = reasonOf(value.err, value.logs ?? []);
  return refused(reason, message);
}
