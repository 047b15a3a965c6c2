import type {
  AddressRef,
  CallLeg,
  FillLeg,
  FillRefusal,
  FundingKey,
  LegCheck,
  LegInstruction,
  SweepLeg,
} from '@causeway/core';
import { isTransportError, type Provider, type Providers, RpcError } from '@causeway/core/rpc';
import type { Signers } from './address-keys.js';
import { addressScript, isNative, refuseAddress } from './addresses.js';
import type { FeeRates } from './fees.js';
import { outpointName, outpointsOf } from './funding-key.js';
import { followDeposit, type TrailCoin } from './lane/deposit-trail.js';
import type { LaneState } from './lane/lane-state.js';
import { paidLeg } from './lane/legs-done.js';
import { type LaneDeps, laneView } from './lane/view.js';
import type { Network } from './network.js';
import type { RawTransaction } from './raw/transaction.js';
import { ask, type Node, ViewMoved } from './rpc/node.js';
import type { LegPlan } from './submitter.js';
import { compose, settledBy } from './transactions/compose.js';
import { type CoinRef, writeCoin } from './transactions/draft.js';
import { dustOf } from './transactions/sizes.js';

export interface CheckDeps {
  readonly chainId: number;
  readonly network: Network;
  readonly signers: Signers;
  readonly providers: Providers;
  state(): LaneState | undefined;
  readonly lane: LaneDeps;
  readonly fees: Pick<FeeRates, 'rate'>;
  /** Satoshis per 1,000 vbytes; deposits are collected only up to this fee rate. */
  readonly collectBelow: bigint;
}

type Refusal = Extract<LegCheck, { ok: false }>;
type DepositLeg = Exclude<LegInstruction, FillLeg | SweepLeg | CallLeg>;

const LOOK_CONCURRENCY = 16;

function unavailable(message: string, reason: Refusal['reason'] = 'UNKNOWN'): Refusal {
  return { ok: false, kind: 'unavailable', reason, message };
}

function refused(reason: Refusal['reason'], message: string): Refusal {
  return { ok: false, kind: 'refused', reason, message };
}

/** Checks that what the leg spends exists. Never throws. */
export async function checkLeg(deps: CheckDeps, leg: LegInstruction): Promise<LegCheck> {
  try {
    return await deps.providers.run((node) => check(deps, node, leg));
  } catch (error) {
    if (!isTransportError(error) && !(error instanceof RpcError) && !(error instanceof ViewMoved)) throw error;
    return unavailable(error.message);
  }
}

async function check(deps: CheckDeps, node: Provider, leg: LegInstruction): Promise<LegCheck> {
  if (!isNative(leg.currency)) throw new Error(`no currency ${leg.currency}`);
  if (leg.kind === 'fill' && (leg.calls !== undefined || leg.topUp !== undefined))
    return refused('UNKNOWN', 'fills here pay their recipient and do no more');
  if (leg.kind === 'sweep') return refused('UNKNOWN', 'deposits here are spent where they are');
  if (leg.kind === 'call') return refused('UNKNOWN', 'no calls are made here');
  const refusal = judgeOutput(deps, leg);
  if (refusal) return refusal;
  const rate = deps.fees.rate();
  if (deps.state() === undefined || rate === undefined) return unavailable('no outputs or no fee rates known yet');
  if (leg.kind === 'collect' && rate.value > deps.collectBelow)
    return refused('UNKNOWN', `${rate.value} satoshis per 1,000 vbytes are more than collecting is worth now`);
  const state = await presentState(deps, node);
  const begin = state && beginOf(state);
  if (state === undefined || begin === undefined)
    return unavailable('the lane has nothing in a block', 'SOLVER_BALANCE_TOO_LOW');
  const found = leg.kind === 'fill' ? [] : await depositCoins(deps, node, state, leg);
  if ('kind' in found) return found;
  const may = state.free.filter((coin) => coin !== begin);
  const legs = [{ leg, coins: found }];
  const made = compose(deps.network, deps.signers, { serial: 0, anchor: begin, may, legs, rate: rate.value });
  if (made.ok) return { ok: true, plan: JSON.stringify({ coins: found.map(writeCoin) } satisfies LegPlan) };
  return made.why === 'tooLarge'
    ? refused('TRANSACTION_TOO_LARGE', made.message)
    : unavailable(made.message, 'SOLVER_BALANCE_TOO_LOW');
}

function beginOf({ anchor, free }: LaneState): CoinRef | undefined {
  return anchor?.coin ?? free[0];
}

/**
 * The lane state, if its first output is still unspent at the node. A block that was not followed yet may have spent
 * that of the cached state.
 *
 * @throws ViewMoved
 */
async function presentState(deps: CheckDeps, node: Provider): Promise<LaneState | undefined> {
  const state = deps.state();
  const begin = state && beginOf(state);
  if (begin === undefined) return state;
  const there = await ask<object | null>(node, 'gettxout', [begin.txid, begin.vout, false]);
  return there === null ? (await laneView(deps.lane, node)).state : state;
}

function judgeOutput(deps: CheckDeps, leg: LegInstruction): Refusal | undefined {
  const refusal = refuseOutput(deps, leg);
  if (refusal === undefined) return undefined;
  const { message } = refusal;
  if (refusal.why === 'recipient') return refused('DESTINATION_TOKEN_TRANSFER_REJECTED', message);
  return refused(leg.kind === 'fill' ? 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL' : 'AMOUNT_TOO_LOW_TO_REFUND', message);
}

/**
 * Refuses outputs that nodes do not relay, and own addresses: a fill into the depository would look like a deposit. An
 * output to a deposit address is a deposit. Local, for use in quotes.
 */
export function refuseOutput(
  { network, signers }: Pick<CheckDeps, 'network' | 'signers'>,
  { kind, recipient, amount }: Pick<LegInstruction, 'kind' | 'recipient' | 'amount'>,
): FillRefusal | undefined {
  const lost = refuseAddress(recipient, network);
  if (lost !== undefined) return { why: 'recipient', message: `${recipient} ${lost}` };
  const script = addressScript(recipient, network);
  const isServiceScript =
    signers.depository.script.equals(script) || (kind !== 'collect' && signers.lane.script.equals(script));
  if (isServiceScript) return { why: 'recipient', message: `${recipient} is an address of the solver` };
  const least = dustOf(script, network);
  if (amount >= least) return undefined;
  const message = `${amount} satoshis are less than the ${least} that nodes relay to ${recipient}`;
  return { why: 'amount', least, message };
}

async function depositCoins(
  deps: CheckDeps,
  node: Node,
  state: LaneState,
  leg: DepositLeg,
): Promise<readonly CoinRef[] | Refusal> {
  const keys = leg.kind === 'collect' ? (leg.fundingKeys ?? []) : [leg.fundingKey];
  const outpoints = keys.flatMap((key) => {
    const found = outpointsOf(deps.chainId, key);
    if (found === undefined) throw new Error(`no funding key of this chain: ${key}`);
    return found.map((outpoint) => ({ key, outpoint }));
  });
  const coins: CoinRef[] = [];
  const trailDeps = { ...deps.signers, state };
  const didIt = (tx: RawTransaction) => paidLeg(deps.network, tx, leg);
  for (let from = 0; from < outpoints.length; from += LOOK_CONCURRENCY) {
    const some = outpoints.slice(from, from + LOOK_CONCURRENCY);
    const trails = await Promise.all(some.map(({ outpoint }) => followDeposit(trailDeps, node, outpoint, didIt)));
    for (const [n, trail] of trails.entries()) {
      const name = some[n]?.key ?? '';
      // guard: bvm-paid-before
      if (trail.is === 'paid') return refused('INVALID_NONCE', `${trail.by.tx.txid} did it`);
      if (trail.is === 'gone') return unavailable(`the deposit ${name} is in no block`);
      if (trail.is === 'spent') return refused('UNKNOWN', `nothing is left of the deposit ${name}`);
      const coin = unlocked(deps, trail.coin, addressOf(leg, name));
      if (coin === undefined)
        return unavailable(`no key is known for ${outpointName(trail.coin)}, what is left of ${name}`);
      coins.push(coin);
    }
  }
  const held = [...new Map(coins.map((coin) => [outpointName(coin), coin.value])).values()].reduce(
    (sum, one) => sum + one,
    0n,
  );
  if (held < settledBy(leg)) return refused('UNKNOWN', `${held} satoshis are left, ${settledBy(leg)} are to be taken`);
  return coins;
}

/** Undefined: at the depository, or unknown. */
function addressOf(leg: DepositLeg, key: FundingKey): AddressRef | undefined {
  return leg.kind === 'collect' ? leg.from?.find(({ fundingKey }) => fundingKey === key) : leg.from;
}

/** Undefined unless the depository or that address owns it. */
function unlocked(
  { signers }: CheckDeps,
  { script, ...coin }: TrailCoin,
  at: AddressRef | undefined,
): CoinRef | undefined {
  if (script.equals(signers.depository.script)) return coin;
  if (at === undefined) return undefined;
  const owner = signers.addresses?.signer(at.salt);
  // guard: bvm-key-of-address
  return owner?.script.equals(script) ? { ...coin, salt: at.salt } : undefined;
}
