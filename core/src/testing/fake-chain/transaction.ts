import type { Hex, OrderId, UnixSeconds } from '../../contract/ids.js';
import type { CoinBeside } from '../../contract/legs.js';
import { cheapHash } from './cheap-hash.js';
import { NATIVE } from './native.js';
import type { FakeSwap } from './pools.js';

/** How a payment of the solver's is made, beside what it pays. */
interface PaidWith {
  /** Where tokens need accounts, its sender pays for the recipient's if it lacks one. */
  readonly opens?: boolean;
  /** Where tokens need accounts, it fails on one that its recipient gave away. */
  readonly checksOwner?: boolean;
  /** Most work of this action; absent: no more than a recipient without code takes. */
  readonly work?: bigint;
}

/** A call that a fill makes: whoever is called gets the value, and code of theirs runs. */
export interface FakeCall {
  readonly to: string;
  /** Native coin, of what the fill delivers, or of the coin beside it. */
  readonly value: bigint;
  /** What it exchanges of what the fill delivers, in a pool; absent: nothing. */
  readonly swap?: FakeSwap;
}

export interface FakeExecute {
  readonly do: 'execute';
  readonly orderId: OrderId;
  readonly input: string;
  /** The fee among it. */
  readonly amountIn: bigint;
  readonly fee: bigint;
  readonly feeTo: string;
  readonly output: string;
  readonly to: string;
  /** Least that the recipient gets, by its own balance. */
  readonly least: bigint;
  readonly deadline: UnixSeconds;
  /** What it leaves of the input stays with the sender; absent: the input is the output. */
  readonly swap?: FakeSwap;
}

/** What comes out of a pool is deposited, in the same transaction. */
export interface FakeSwapIn {
  readonly do: 'swapIn';
  readonly depositor: string;
  readonly orderId: OrderId;
  /** Least that is deposited, or nothing happens. */
  readonly least: bigint;
  readonly deadline: UnixSeconds;
  readonly swap: FakeSwap;
}

/** What an execution takes of its sender in the end, the fee among it. */
export function takenBy({ amountIn, fee, swap }: FakeExecute): bigint {
  return swap === undefined ? amountIn : fee + swap.amount;
}

/** One thing that a transaction does. */
export type FakeAction =
  | {
      readonly do: 'deposit';
      readonly depositor: string;
      readonly currency: string;
      readonly amount: bigint;
      readonly orderId: OrderId | null;
      /** Into an account of the depository's owner that is no pot. */
      readonly stray?: true;
    }
  | (PaidWith & {
      readonly do: 'fill';
      readonly orderId: OrderId;
      readonly currency: string;
      readonly to: string;
      readonly amount: bigint;
      readonly deadline: UnixSeconds;
      /** All of them are made, or nothing happens; what they leave goes to the recipient. Absent: none. */
      readonly calls?: readonly FakeCall[];
      /** Native coin that they may spend beside a token, filled under an id of its own in the same step. */
      readonly coin?: CoinBeside;
      /** What they must bring the recipient, by its own balance. */
      readonly wanted?: { readonly currency: string; readonly least: bigint };
    })
  | (PaidWith & {
      readonly do: 'withdraw';
      readonly useKey: Hex;
      readonly currency: string;
      readonly to: string;
      readonly amount: bigint;
      readonly expiration: UnixSeconds;
      /** Deposits whose outputs it spends, where each is one. */
      readonly spends?: readonly string[];
      /** What it takes out of them beside `amount`, for its sender. */
      readonly rest?: bigint;
      /** Where it goes through a pool on its way to whom it is for; all of it happens or nothing. Absent: paid as it is. */
      readonly exchange?: {
        readonly swap: FakeSwap;
        readonly output: { readonly currency: string; readonly least: bigint };
      };
    })
  | { readonly do: 'transfer'; readonly currency: string; readonly to: string; readonly amount: bigint }
  /** The sender executes an order by itself: pays a fee, and the rest, or what a pool gives for it, to a recipient. */
  | FakeExecute
  /** The sender swaps what it has, and deposits what comes out. */
  | FakeSwapIn
  /** Exchanges what the sender has in a pool. */
  | (FakeSwap & { readonly do: 'swap' })
  /** What an allowance needs: work that moves nothing. */
  | { readonly do: 'approve' }
  /** The sender closes its account for a token, and gets back what it locked up. */
  | { readonly do: 'close'; readonly currency: string }
  /** The sender gives its account for a token, at the same address, to somebody else. */
  | { readonly do: 'giveAway'; readonly currency: string; readonly to: string }
  /** Touches the depository in a form that nobody can read. */
  | { readonly do: 'riddle' };

/** What a transaction says. Which of the locks it uses is its chain's profile. */
export interface FakeBody {
  readonly chainId: number;
  readonly from: string;
  /** Place in the sender's sequence; null where there is none. */
  readonly sequence: number | null;
  /** Outputs it spends. */
  readonly inputs: readonly string[];
  /** Last height, or last second, at which it may be included; null for ever. */
  readonly validUntil: number | null;
  /** Most per unit of work. */
  readonly price: bigint;
  /** Of that, above the base fee. */
  readonly tip: bigint;
  readonly actions: readonly FakeAction[];
}

/** A body with its bytes and hash. */
export interface FakeTransaction extends FakeBody {
  readonly bytes: string;
  readonly hash: string;
}

const UNITS: Readonly<Record<FakeAction['do'], bigint>> = {
  deposit: 40n,
  fill: 80n,
  withdraw: 70n,
  transfer: 20n,
  execute: 60n,
  swapIn: 80n,
  swap: 30n,
  approve: 10n,
  close: 10n,
  giveAway: 10n,
  riddle: 10n,
};
export const BASE_UNITS = 20n;
const CALL_UNITS = 15n;
/** Of an exchange, beside a plain withdrawal. */
export const EXCHANGE_UNITS = 60n;

/** Work that a transaction takes, whatever becomes of it. */
export function unitsOf(actions: readonly FakeAction['do'][]): bigint {
  return actions.reduce((sum, action) => sum + UNITS[action], BASE_UNITS);
}

/** What it takes where recipients have no code. */
export function workOf(body: Pick<FakeBody, 'actions'>): bigint {
  return body.actions.reduce((sum, action) => sum + leastOf(action), BASE_UNITS);
}

/** Most that it may take, which its sender has to have the means for. */
export function mostWorkOf(body: Pick<FakeBody, 'actions'>): bigint {
  return body.actions.reduce((sum, action) => sum + mostOf(action), BASE_UNITS);
}

function mostOf(action: FakeAction): bigint {
  const most = action.do === 'fill' || action.do === 'withdraw' ? action.work : undefined;
  const least = leastOf(action);
  return most === undefined || most < least ? least : most;
}

function leastOf(action: FakeAction): bigint {
  const calls = action.do === 'fill' ? (action.calls?.length ?? 0) : 0;
  const exchange = action.do === 'withdraw' && action.exchange !== undefined ? EXCHANGE_UNITS : 0n;
  return UNITS[action.do] + CALL_UNITS * BigInt(calls) + exchange;
}

/** Work that an action leaves to the code of its recipient, and of those whom it calls. */
export function leftForCode(action: FakeAction): bigint {
  return mostOf(action) - leastOf(action);
}

const MOVING = ['deposit', 'fill', 'withdraw', 'transfer'] as const;

/** Actions that move value. */
export type FakePayment = Extract<FakeAction, { readonly do: (typeof MOVING)[number] }>;

export function isPayment(action: FakeAction): action is FakePayment {
  return (MOVING as readonly string[]).includes(action.do);
}

/** Actions that pay into the depository, each under a funding key of its own. */
export function isDeposit(action: FakeAction): action is Extract<FakeAction, { do: 'deposit' }> | FakeSwapIn {
  return action.do === 'deposit' || action.do === 'swapIn';
}

/** What a body moves out of its sender's account besides fees. */
export function movedOut(body: FakeBody, currency: string): bigint {
  let sum = 0n;
  for (const action of body.actions) {
    if (isPayment(action) && action.do !== 'withdraw' && action.currency === currency) sum += action.amount;
    if (action.do === 'fill' && action.coin && currency === NATIVE) sum += action.coin.amount;
    if (action.do === 'execute' && action.input === currency) sum += takenBy(action);
    if (action.do === 'swapIn' && action.swap.input === currency) sum += action.swap.amount;
  }
  return sum;
}

/** The same body gives the same bytes and hash, whatever else is beside it. */
export function sealed({
  chainId,
  from,
  sequence,
  inputs,
  validUntil,
  price,
  tip,
  actions,
}: FakeBody): FakeTransaction {
  const body: FakeBody = { chainId, from, sequence, inputs, validUntil, price, tip, actions };
  const bytes = JSON.stringify(body, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
  return { ...body, bytes, hash: cheapHash(bytes) };
}

const AMOUNT = /^\d+n$/;

/** @throws on bytes that no body gives. */
export function unsealed(bytes: string): FakeTransaction {
  const body = JSON.parse(bytes, (_, value: unknown) =>
    typeof value === 'string' && AMOUNT.test(value) ? BigInt(value.slice(0, -1)) : value,
  ) as FakeBody;
  if (!Array.isArray(body.actions) || typeof body.price !== 'bigint') throw new Error('not a transaction');
  return { ...body, bytes, hash: cheapHash(bytes) };
}
