import type { Hex, OrderId, UnixSeconds } from '../../contract/ids.js';
import { cheapHash } from './cheap-hash.js';

/** One thing that a transaction does. `opens`: where tokens need accounts, its sender pays for the recipient's if it lacks one. */
export type FakeAction =
  | {
      readonly do: 'deposit';
      readonly depositor: string;
      readonly currency: string;
      readonly amount: bigint;
      readonly orderId: OrderId | null;
    }
  | {
      readonly do: 'fill';
      readonly orderId: OrderId;
      readonly currency: string;
      readonly to: string;
      readonly amount: bigint;
      readonly deadline: UnixSeconds;
      readonly opens?: boolean;
    }
  | {
      readonly do: 'withdraw';
      readonly useKey: Hex;
      readonly currency: string;
      readonly to: string;
      readonly amount: bigint;
      readonly expiration: UnixSeconds;
      readonly opens?: boolean;
      /** Deposits whose outputs it spends, where each is one. */
      readonly spends?: readonly string[];
      /** What it takes out of them beside `amount`, for its sender. */
      readonly rest?: bigint;
    }
  | { readonly do: 'transfer'; readonly currency: string; readonly to: string; readonly amount: bigint }
  /** What an allowance needs: work that moves nothing. */
  | { readonly do: 'approve' }
  /** The sender closes its account for a token. */
  | { readonly do: 'close'; readonly currency: string };

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
  approve: 10n,
  close: 10n,
};
const BASE_UNITS = 20n;

/** Work that a transaction takes, whatever becomes of it. */
export function unitsOf(actions: readonly FakeAction['do'][]): bigint {
  return actions.reduce((sum, action) => sum + UNITS[action], BASE_UNITS);
}

export function workOf(body: Pick<FakeBody, 'actions'>): bigint {
  return body.actions.reduce((sum, action) => sum + UNITS[action.do], BASE_UNITS);
}

/** Actions that move value. */
export type FakePayment = Exclude<FakeAction, { readonly do: 'approve' | 'close' }>;

export function isPayment(action: FakeAction): action is FakePayment {
  return action.do !== 'approve' && action.do !== 'close';
}

/** What a body moves out of its sender's account besides fees. */
export function movedOut(body: FakeBody, currency: string): bigint {
  let sum = 0n;
  for (const action of body.actions) {
    if (isPayment(action) && action.do !== 'withdraw' && action.currency === currency) sum += action.amount;
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
