import type { Hex, OrderId, UnixSeconds } from '../../contract/ids.js';
import type { FillTopUp } from '../../contract/legs.js';
import { cheapHash } from './cheap-hash.js';
import { NATIVE } from './native.js';
import type { FakeSwap } from './pools.js';

interface PaidWith {
  /** Its sender pays for the recipient's missing token account. */
  readonly opens?: boolean;
  /** Fails on a token account that its recipient gave away. */
  readonly checksOwner?: boolean;
  /** Maximum work; absent: a recipient without code. */
  readonly work?: bigint;
}

export interface FakeCall {
  readonly to: string;
  readonly value: bigint;
  /** Swap of what the fill delivers; absent: none. */
  readonly swap?: FakeSwap;
}

export interface FakeExecute {
  readonly do: 'execute';
  readonly orderId: OrderId;
  readonly input: string;
  readonly amountIn: bigint;
  readonly fee: bigint;
  readonly feeTo: string;
  readonly output: string;
  readonly to: string;
  readonly least: bigint;
  readonly deadline: UnixSeconds;
  /** Unused input stays with the sender; absent: input equals output. */
  readonly swap?: FakeSwap;
}

export interface FakeSwapIn {
  readonly do: 'swapIn';
  readonly depositor: string;
  readonly orderId: OrderId;
  /** Minimum deposit, otherwise nothing happens. */
  readonly least: bigint;
  readonly deadline: UnixSeconds;
  readonly swap: FakeSwap;
}

/** A call for others: with code at `to` it runs that, and makes the deposit that its data says. */
export interface FakeRawCall {
  readonly do: 'call';
  readonly useKey: Hex;
  readonly to: string;
  readonly data: Hex;
  /** Maximum work; absent: what a call without code needs. */
  readonly work?: bigint;
}

/** Total taken from the sender, including the fee. */
export function takenBy({ amountIn, fee, swap }: FakeExecute): bigint {
  return swap === undefined ? amountIn : fee + swap.amount;
}

export type FakeAction =
  | {
      readonly do: 'deposit';
      readonly depositor: string;
      readonly currency: string;
      readonly amount: bigint;
      readonly orderId: OrderId | null;
      readonly stray?: true;
    }
  | (PaidWith & {
      readonly do: 'fill';
      readonly orderId: OrderId;
      readonly currency: string;
      readonly to: string;
      readonly amount: bigint;
      readonly deadline: UnixSeconds;
      /** All are made or nothing happens; the rest goes to the recipient. Absent: none. */
      readonly calls?: readonly FakeCall[];
      /** Native coin for the calls, filled under its own id in the same step. */
      readonly topUp?: FillTopUp;
      /** Minimum that calls bring, by the recipient's balance. */
      readonly wanted?: { readonly currency: string; readonly least: bigint };
    })
  | (PaidWith & {
      readonly do: 'withdraw';
      readonly useKey: Hex;
      readonly currency: string;
      readonly to: string;
      readonly amount: bigint;
      readonly expiration: UnixSeconds;
      readonly spends?: readonly string[];
      readonly rest?: bigint;
      /** Swap through a pool before payment, all or nothing. Absent: paid directly. */
      readonly exchange?: {
        readonly swap: FakeSwap;
        readonly output: { readonly currency: string; readonly least: bigint };
      };
    })
  | { readonly do: 'transfer'; readonly currency: string; readonly to: string; readonly amount: bigint }
  /** From a deposit address to the depository: everything where it forwards, otherwise the amount. */
  | {
      readonly do: 'sweep';
      /** Null: a third party's call. */
      readonly useKey: Hex | null;
      readonly from: string;
      readonly salt: Hex;
      readonly currency: string;
      readonly to: string;
      readonly amount: bigint;
    }
  | FakeExecute
  | FakeSwapIn
  | FakeRawCall
  | (FakeSwap & { readonly do: 'swap' })
  /** Work that moves nothing. */
  | { readonly do: 'approve' }
  | { readonly do: 'close'; readonly currency: string }
  | { readonly do: 'giveAway'; readonly currency: string; readonly to: string }
  | { readonly do: 'riddle' };

/** Transaction content; the profile decides which locks it uses. */
export interface FakeBody {
  readonly chainId: number;
  readonly from: string;
  /** Null without sequence numbers. */
  readonly sequence: number | null;
  readonly inputs: readonly string[];
  /** Last height or second for inclusion; null: unlimited. */
  readonly validUntil: number | null;
  /** Maximum per unit of work. */
  readonly price: bigint;
  /** Part of `price` above the base fee. */
  readonly tip: bigint;
  readonly actions: readonly FakeAction[];
}

export interface FakeTransaction extends FakeBody {
  readonly bytes: string;
  readonly hash: string;
}

const UNITS: Readonly<Record<FakeAction['do'], bigint>> = {
  deposit: 40n,
  fill: 80n,
  withdraw: 70n,
  transfer: 20n,
  sweep: 50n,
  execute: 60n,
  swapIn: 80n,
  call: 60n,
  swap: 30n,
  approve: 10n,
  close: 10n,
  giveAway: 10n,
  riddle: 10n,
};
export const BASE_UNITS = 20n;
const CALL_UNITS = 15n;
/** Work of an exchange in addition to a plain withdrawal. */
export const EXCHANGE_UNITS = 60n;

export function unitsOf(actions: readonly FakeAction['do'][]): bigint {
  return actions.reduce((sum, action) => sum + UNITS[action], BASE_UNITS);
}

export function workOf(body: Pick<FakeBody, 'actions'>): bigint {
  return body.actions.reduce((sum, action) => sum + leastOf(action), BASE_UNITS);
}

/** Maximum work, which the sender must be able to pay. */
export function mostWorkOf(body: Pick<FakeBody, 'actions'>): bigint {
  return body.actions.reduce((sum, action) => sum + mostOf(action), BASE_UNITS);
}

function mostOf(action: FakeAction): bigint {
  const most = action.do === 'fill' || action.do === 'withdraw' || action.do === 'call' ? action.work : undefined;
  const least = leastOf(action);
  return most === undefined || most < least ? least : most;
}

function leastOf(action: FakeAction): bigint {
  const calls = action.do === 'fill' ? (action.calls?.length ?? 0) : 0;
  const exchange = action.do === 'withdraw' && action.exchange !== undefined ? EXCHANGE_UNITS : 0n;
  return UNITS[action.do] + CALL_UNITS * BigInt(calls) + exchange;
}

export function leftForCode(action: FakeAction): bigint {
  return mostOf(action) - leastOf(action);
}

const MOVING = ['deposit', 'fill', 'withdraw', 'transfer', 'sweep'] as const;

export type FakePayment = Extract<FakeAction, { readonly do: (typeof MOVING)[number] }>;

export function isPayment(action: FakeAction): action is FakePayment {
  return (MOVING as readonly string[]).includes(action.do);
}

export function isDeposit(action: FakeAction): action is Extract<FakeAction, { do: 'deposit' }> | FakeSwapIn {
  return action.do === 'deposit' || action.do === 'swapIn';
}

/** From its sender's own balance. */
function paysItself(action: FakePayment): boolean {
  return action.do !== 'withdraw' && action.do !== 'sweep';
}

export function movedOut(body: FakeBody, currency: string): bigint {
  let sum = 0n;
  for (const action of body.actions) {
    if (isPayment(action) && paysItself(action) && action.currency === currency) sum += action.amount;
    if (action.do === 'fill' && action.topUp && currency === NATIVE) sum += action.topUp.amount;
    if (action.do === 'execute' && action.input === currency) sum += takenBy(action);
    if (action.do === 'swapIn' && action.swap.input === currency) sum += action.swap.amount;
  }
  return sum;
}

/** Deterministic: equal bodies give equal bytes and hash. */
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
