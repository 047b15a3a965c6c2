import type { Asker, LegCheck, LegInstruction, SweepLeg } from '@causeway/core';
import { isTransportError, type Provider, type Providers, RpcError, type Turns } from '@causeway/core/rpc';
import { AMOUNT_SLICE, amountIn, fetchAccounts, isTokenAccount, type ShownAccount } from './accounts.js';
import { isNative, parseAddress } from './addresses.js';
import { checkSweep, type SweepDeps } from './deposit-addresses/check-sweep.js';
import { reasonOf } from './explain.js';
import type { GatheredAccounts } from './gathered-accounts.js';
import { WIRE_LIMIT } from './message.js';
import type { Openings } from './openings.js';
import { refusedPayee } from './payees.js';
import { simulate, unitsFor } from './simulate.js';
import { associatedAccount } from './token-accounts.js';
import {
  type LegPlan,
  legMessageSize,
  MAX_UNITS,
  type Movement,
  type Solver,
  solverAs,
  type TokenFacts,
} from './transactions/build.js';

export interface CheckDeps {
  /** Absent: no deposit addresses. */
  readonly sweeps?: SweepDeps;
  readonly solver: Solver;
  readonly providers: Providers;
  readonly turns: Turns;
  readonly accounts: GatheredAccounts;
  tokenOf(currency: string): TokenFacts | undefined;
  /** Undefined before the first head. No I/O. */
  latest(): { readonly blockhash: string } | undefined;
  /** Amount to send so that this one arrives; undefined where nothing arrives. */
  sentFor(currency: string, amount: bigint, provider: Provider): Promise<bigint | undefined>;
  /** Lamports of rent for a token account. No I/O. */
  rentOf(currency: string): bigint | undefined;
  readonly openings: Pick<Openings, 'mustOpen' | 'learn'>;
}

/** More than any fee of a simulation that fails for lack of lamports. */
const FEES = 1_000_000n;

type Refusal = Extract<LegCheck, { ok: false }>;

/** Simulates a leg. Never throws. */
export async function checkLeg(
  all: CheckDeps,
  leg: LegInstruction,
  signer: string | undefined,
  asker?: Asker,
): Promise<LegCheck> {
  const deps = checkingAs(all, signer);
  // Without a depositor on the chain (`depositorOf`), a refund's recipient is no address.
  if (!parseAddress(leg.recipient).ok) {
    return refused('DESTINATION_TOKEN_TRANSFER_REJECTED', `${leg.recipient} is no address`);
  }
  if (leg.kind === 'fill' && (leg.calls !== undefined || leg.topUp !== undefined))
    return refused('UNKNOWN', 'fills here pay their recipient and do no more');
  try {
    const asked = (provider: Provider) => check(deps, provider, leg);
    if (leg.kind === 'sweep') return await sweeping(deps, leg);
    if (asker === undefined) return await deps.providers.run(asked);
    const { providers, turns } = deps;
    const reported = await turns.take(asker, () => providers.onSide('trials', asked, asker.signal));
    return reported ?? unavailable('too many fills are tried at once');
  } catch (error) {
    if (!isTransportError(error) && !(error instanceof RpcError)) throw error;
    return unavailable(error.message);
  }
}

function checkingAs(deps: CheckDeps, signer: string | undefined): CheckDeps {
  return { ...deps, solver: solverAs(deps.solver, signer) };
}

async function sweeping({ sweeps, providers }: CheckDeps, leg: SweepLeg): Promise<LegCheck> {
  if (sweeps === undefined) return refused('UNKNOWN', 'no key pays for sweeps');
  return providers.run((provider) => checkSweep(sweeps, provider, leg));
}

function unavailable(message: string): Refusal {
  return { ok: false, kind: 'unavailable', reason: 'UNKNOWN', message };
}

function refused(reason: Refusal['reason'], message: string): Refusal {
  return { ok: false, kind: 'refused', reason, message };
}

async function check(deps: CheckDeps, provider: Provider, leg: LegInstruction): Promise<LegCheck> {
  const { currency, recipient, amount } = leg;
  const token = deps.tokenOf(currency);
  const latest = deps.latest();
  if (latest === undefined) return unavailable('no block seen yet');
  if (token === undefined && !isNative(currency)) throw new Error(`no currency ${currency}`);
  const account = token && associatedAccount(currency, recipient, token.program);
  const addresses = account === undefined ? [recipient] : [recipient, account];
  // A fill is the arriving amount; from the vault the sent amount counts.
  const sending = leg.kind === 'fill' ? deps.sentFor(currency, amount, provider) : Promise.resolve(amount);
  const tried = async (opensAccount: boolean): Promise<LegCheck> => {
    const sends = await sending;
    if (sends === undefined) {
      return refused('DESTINATION_TOKEN_TRANSFER_REJECTED', 'the transfer fee of the mint is 100 %');
    }
    return trial(deps, provider, leg, { units: MAX_UNITS, opensAccount, sends: `${sends}` }, latest.blockhash);
  };
  // Both in parallel, with the cached state of the account, which is nearly always right.
  const believed = account !== undefined && deps.openings.mustOpen(currency, recipient);
  const first = tried(believed);
  // The check returned without awaiting this call: its failure must not be unhandled.
  first.catch(() => undefined);
  const [owner, held] = await deps.accounts.ask(provider, addresses);
  const refusal = refusedRecipient(deps.solver, leg, owner);
  if (refusal) return refusal;
  const opensAccount = token !== undefined && !isTokenAccount(held, token.program);
  const rentRefusal = token && judgeOpening(deps, leg, { believed, opensAccount });
  if (rentRefusal) return rentRefusal;
  return opensAccount === believed ? first : tried(opensAccount);
}

function refusedRecipient(solver: Solver, leg: LegInstruction, account: ShownAccount | undefined): Refusal | undefined {
  const message = refusedPayee(solver, leg, account);
  return message === undefined ? undefined : refused('DESTINATION_TOKEN_TRANSFER_REJECTED', message);
}

/**
 * A recipient could have an account at the quote, close it and gain the uncharged rent: such a fill is refused. A
 * refund is priced again.
 */
function judgeOpening(
  { openings, rentOf }: CheckDeps,
  leg: LegInstruction,
  { believed, opensAccount }: { readonly believed: boolean; readonly opensAccount: boolean },
): Refusal | undefined {
  openings.learn(leg.currency, leg.recipient, !opensAccount);
  const priced = leg.kind === 'refund' || leg.kind === 'excess';
  if (priced && believed !== opensAccount) {
    const found = opensAccount ? 'has no account any more' : 'has an account';
    return unavailable(`${leg.recipient} ${found}: it is priced again`);
  }
  if (!opensAccount) return undefined;
  const rent = rentOf(leg.currency);
  if (rent === undefined) return unavailable(`the mint ${leg.currency} was not read yet`);
  if (leg.kind !== 'fill') return undefined;
  if (leg.mostRent === undefined || rent <= leg.mostRent) return undefined;
  const message = `an account for ${leg.recipient} takes ${rent} lamports, and ${leg.mostRent} were charged for`;
  return refused('NEW_CALLDATA_INCLUDES_HIGHER_RENT_FEE', message);
}

async function trial(
  deps: CheckDeps,
  provider: Provider,
  leg: LegInstruction,
  draft: LegPlan,
  blockhash: string,
): Promise<LegCheck> {
  const movement = { leg, plan: draft, token: deps.tokenOf(leg.currency) };
  const value = await simulate(deps.solver, provider, [movement], blockhash);
  if (value.err !== null) {
    const short = await shortage(deps, provider, leg, draft);
    if (short !== undefined) return { ...unavailable(short), reason: 'SOLVER_BALANCE_TOO_LOW' };
    const { reason, message: said } = reasonOf(value.err, value.logs ?? []);
    // Closed between the two answers: the next check prices or refuses it.
    if (reason === 'NEW_CALLDATA_INCLUDES_HIGHER_RENT_FEE') return unavailable(said);
    return refused(reason, said);
  }
  return { ok: true, plan: JSON.stringify({ ...draft, units: unitsFor(value) }) };
}

type Good = Extract<LegCheck, { ok: true }>;

/**
 * See `ChainAdapter.checkTogether`. One atomic simulation: it fails for all if it fails for one. Throws only on bugs.
 */
export async function checkTogether(
  deps: CheckDeps,
  legs: readonly LegInstruction[],
  signer: string | undefined,
): Promise<readonly Good[] | undefined> {
  try {
    return await deps.providers.run((provider) => tryTogether(checkingAs(deps, signer), provider, legs));
  } catch (error) {
    if (!isTransportError(error) && !(error instanceof RpcError)) throw error;
    return undefined;
  }
}

async function tryTogether(
  deps: CheckDeps,
  provider: Provider,
  legs: readonly LegInstruction[],
): Promise<readonly Good[] | undefined> {
  const latest = deps.latest();
  if (latest === undefined) return undefined;
  if (legs.some(({ kind, recipient }) => kind !== 'fill' || !parseAddress(recipient).ok)) return undefined;
  const drafts = await Promise.all(legs.map((leg) => draftOf(deps, provider, leg)));
  const movements = drafts.flatMap((draft) => draft ?? []);
  if (movements.length < legs.length) return undefined;
  if (legMessageSize(deps.solver, movements, { ...latest, price: 0n }) > WIRE_LIMIT) return undefined;
  const value = await simulate(deps.solver, provider, movements, latest.blockhash);
  if (value.err !== null) return undefined;
  const units = unitsFor(value);
  return movements.map(({ plan }) => ({ ok: true, plan: JSON.stringify({ ...plan, units, shared: true }) }));
}

async function draftOf(deps: CheckDeps, provider: Provider, leg: LegInstruction): Promise<Movement | undefined> {
  const { currency, recipient, amount } = leg;
  const token = deps.tokenOf(currency);
  if (token === undefined && !isNative(currency)) throw new Error(`no currency ${currency}`);
  const addresses =
    token === undefined ? [recipient] : [recipient, associatedAccount(currency, recipient, token.program)];
  const believed = token !== undefined && deps.openings.mustOpen(currency, recipient);
  const [sends, [owner, held]] = await Promise.all([
    deps.sentFor(currency, amount, provider),
    deps.accounts.ask(provider, addresses),
  ]);
  if (sends === undefined || refusedRecipient(deps.solver, leg, owner)) return undefined;
  const opensAccount = token !== undefined && !isTokenAccount(held, token.program);
  if (token !== undefined && judgeOpening(deps, leg, { believed, opensAccount })) return undefined;
  return { leg, plan: { units: MAX_UNITS, opensAccount, sends: `${sends}` }, token };
}

/** The same failure may come from a lack of the solver's tokens or lamports: only balances show it. */
async function shortage(
  { solver, tokenOf, rentOf }: CheckDeps,
  { rpc }: Provider,
  leg: LegInstruction,
  { sends, opensAccount }: LegPlan,
): Promise<string | undefined> {
  const token = tokenOf(leg.currency);
  const source = leg.kind === 'fill' ? solver.fill : solver.vault;
  const account = token === undefined ? source : associatedAccount(leg.currency, source, token.program);
  const [[payer], [paying], least] = await Promise.all([
    fetchAccounts(rpc, [solver.fill], { offset: 0, length: 0 }),
    fetchAccounts(rpc, [account], token === undefined ? { offset: 0, length: 0 } : AMOUNT_SLICE),
    rpc.request<number>('getMinimumBalanceForRentExemption', [0]).then(BigInt),
  ]);
  // Rent minimum of the solver's own account.
  const kept = token === undefined ? least : 0n;
  const held = paying === undefined ? 0n : token === undefined ? paying.lamports : amountIn(paying);
  const wanted = BigInt(sends);
  if (held < wanted + kept) return `${source} holds ${held} of ${leg.currency}, ${wanted} of which are asked for`;
  const lamports = payer?.lamports ?? 0n;
  const rent = opensAccount ? (rentOf(leg.currency) ?? 0n) : 0n;
  const out = leg.kind === 'fill' && token === undefined ? wanted : 0n;
  if (lamports >= out + least + rent + FEES) return undefined;
  return `${solver.fill} holds ${lamports} lamports, too few for fees and accounts`;
}
