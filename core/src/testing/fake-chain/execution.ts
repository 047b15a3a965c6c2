import type { ChainId, UnixMs } from '../../contract/ids.js';
import type { Write } from './block-tree.js';
import type { FakeAction } from './transaction.js';

/** Names of what state holds. */
export const stateKey = {
  balance: (owner: string, currency: string) => `balance|${owner}|${currency}`,
  /** Transactions of an account that were included: its next place in the sequence. */
  sequence: (account: string) => `sequence|${account}`,
  /** Hash of an account's newest transaction, as a number, on chains where the next one spends its change. */
  newest: (account: string) => `newest|${account}`,
  filled: (orderId: string) => `filled|${orderId}`,
  used: (useKey: string) => `used|${useKey}`,
  /** A lock that a transaction consumed. */
  spent: (lock: string) => `spent|${lock}`,
  /** What is left of the output that a deposit made. */
  coin: (fundingKey: string) => `coin|${fundingKey}`,
  /** An output that a transaction made. */
  made: (output: string) => `made|${output}`,
  /** Whether an owner has an account for a token: 1 opened, 2 closed, 0 as it was from the beginning. */
  account: (owner: string, currency: string) => `account|${owner}|${currency}`,
  /** Height at which a message took effect, doubled, plus one where it bounced. */
  arrived: (message: string) => `arrived|${message}`,
} as const;

/** What the contracts of a fake chain know for ever. */
export interface Contracts {
  readonly chainId: ChainId;
  /** Whether they refuse a second fill or withdrawal and keep deadlines; else fills and withdrawals are bare payments. */
  readonly enforced: boolean;
  /** Whether tokens are paid into accounts that somebody has to open; see `hasAccount`. */
  readonly accounts: boolean;
  readonly native: string;
  readonly depository: string;
  /** Whoever may take from the depository. */
  readonly allocator: string;
  readonly blocked: ReadonlySet<string>;
  /** Funds that came from nowhere and no reorg takes away. */
  given(owner: string, currency: string): bigint;
}

/** State in the making: reads through to the parent's, and can be taken back to where it was. */
export class Execution {
  readonly height: number;
  readonly timestamp: UnixMs;
  readonly contracts: Contracts;
  readonly #parent: (key: string) => bigint;
  readonly #values = new Map<string, bigint>();
  /** What accounts that were opened took from whoever opened them. */
  locked = 0n;

  constructor(contracts: Contracts, height: number, timestamp: UnixMs, parent: (key: string) => bigint) {
    this.contracts = contracts;
    this.height = height;
    this.timestamp = timestamp;
    this.#parent = parent;
  }

  get(key: string): bigint {
    return this.#values.get(key) ?? this.#parent(key);
  }

  set(key: string, value: bigint): void {
    this.#values.set(key, value);
  }

  balance(owner: string, currency: string): bigint {
    return this.get(stateKey.balance(owner, currency)) + this.contracts.given(owner, currency);
  }

  /** False, and nothing changes, when the owner has less. */
  take(owner: string, currency: string, amount: bigint): boolean {
    if (this.balance(owner, currency) < amount) return false;
    this.add(owner, currency, -amount);
    return true;
  }

  add(owner: string, currency: string, amount: bigint): void {
    const key = stateKey.balance(owner, currency);
    this.set(key, this.get(key) + amount);
  }

  /** Runs a part that changes nothing when it gives a reason for its failure. */
  attempt(part: () => string | null): string | null {
    const before = new Map(this.#values);
    const { locked } = this;
    const failure = part();
    if (failure !== null) {
      this.locked = locked;
      this.#values.clear();
      for (const [key, value] of before) this.#values.set(key, value);
    }
    return failure;
  }

  writes(): ReadonlyMap<string, Write> {
    const writes = new Map<string, Write>();
    for (const [key, after] of this.#values) {
      const before = this.#parent(key);
      if (before !== after) writes.set(key, { before, after });
    }
    return writes;
  }
}

/** Reasons for which a fake contract refuses; the adapter reads them as a real one reads revert data. */
export const REFUSALS = {
  alreadyFilled: 'AlreadyFilled',
  deadlinePassed: 'DeadlinePassed',
  keyUsed: 'KeyUsed',
  expired: 'Expired',
  notAllowed: 'NotAllowed',
  short: 'BalanceTooLow',
  depositoryShort: 'DepositoryTooLow',
  recipientRefuses: 'RecipientRefuses',
  noAccount: 'AccountNotFound',
  rentShort: 'RentTooLow',
} as const;

/** One action of `from`: null when it took effect, else why it was refused. A refused one may leave traces. */
export function perform(execution: Execution, from: string, action: FakeAction): string | null {
  const { contracts } = execution;
  switch (action.do) {
    case 'approve':
      return null;
    case 'close':
      execution.set(stateKey.account(from, action.currency), CLOSED);
      return null;
    case 'transfer':
      return (
        opened(execution, from, { ...action, opens: true }) ??
        pay(execution, from, action.to, action.currency, action.amount, REFUSALS.short)
      );
    case 'deposit':
      return pay(execution, from, contracts.depository, action.currency, action.amount, REFUSALS.short);
    case 'fill':
      return fill(execution, from, action);
    case 'withdraw':
      return withdraw(execution, from, action);
  }
}

/** Once per order, and not after its deadline. */
function fill(execution: Execution, from: string, action: Extract<FakeAction, { do: 'fill' }>): string | null {
  const filled = stateKey.filled(action.orderId);
  if (execution.contracts.enforced) {
    if (execution.get(filled) !== 0n) return REFUSALS.alreadyFilled;
    if (execution.timestamp / 1000 > action.deadline) return REFUSALS.deadlinePassed;
  }
  execution.set(filled, 1n);
  const closed = opened(execution, from, action);
  return closed ?? pay(execution, from, action.to, action.currency, action.amount, REFUSALS.short);
}

/** Once per use key, only by the allocator, and not after its expiration. */
function withdraw(execution: Execution, from: string, action: Extract<FakeAction, { do: 'withdraw' }>): string | null {
  const { allocator, depository } = execution.contracts;
  const used = stateKey.used(action.useKey);
  if (from !== allocator) return REFUSALS.notAllowed;
  if (execution.contracts.enforced) {
    if (execution.get(used) !== 0n) return REFUSALS.keyUsed;
    if (execution.timestamp / 1000 > action.expiration) return REFUSALS.expired;
  }
  execution.set(used, 1n);
  const closed = opened(execution, from, action) ?? spendCoins(execution, action);
  const { rest = 0n, currency } = action;
  const paid = closed ?? pay(execution, depository, action.to, currency, action.amount, REFUSALS.depositoryShort);
  return paid ?? (rest === 0n ? null : pay(execution, depository, from, currency, rest, REFUSALS.depositoryShort));
}

/** Takes what goes out of the outputs of the deposits that it names, which have to be there. */
function spendCoins(execution: Execution, action: Extract<FakeAction, { do: 'withdraw' }>): string | null {
  if (action.spends === undefined) return null;
  let needed = action.amount + (action.rest ?? 0n);
  for (const fundingKey of action.spends) {
    const key = stateKey.coin(fundingKey);
    const left = execution.get(key);
    const taken = left < needed ? left : needed;
    execution.set(key, left - taken);
    needed -= taken;
  }
  return needed === 0n ? null : REFUSALS.depositoryShort;
}

const OPEN = 1n;
const CLOSED = 2n;
/** Native coin that an account for a token locks up. */
export const RENT = 5_000n;

/** Where tokens need accounts, the solver has its own, and every other recipient has one from the beginning or lacks it. */
export function hasAccount(execution: Execution, owner: string, currency: string): boolean {
  const { accounts, native, depository, allocator } = execution.contracts;
  if (!accounts || currency === native || owner === depository || owner === allocator) return true;
  const state = execution.get(stateKey.account(owner, currency));
  return state === 0n ? Number.parseInt(owner.slice(-1), 16) % 2 === 0 : state === OPEN;
}

function opened(
  execution: Execution,
  from: string,
  { to, currency, opens }: { readonly to: string; readonly currency: string; readonly opens?: boolean },
): string | null {
  if (hasAccount(execution, to, currency)) return null;
  if (opens !== true) return REFUSALS.noAccount;
  if (!execution.take(from, execution.contracts.native, RENT)) return REFUSALS.rentShort;
  execution.locked += RENT;
  execution.set(stateKey.account(to, currency), OPEN);
  return null;
}

function pay(
  execution: Execution,
  from: string,
  to: string,
  currency: string,
  amount: bigint,
  short: string,
): string | null {
  if (execution.contracts.blocked.has(to)) return REFUSALS.recipientRefuses;
  if (!execution.take(from, currency, amount)) return short;
  execution.add(to, currency, amount);
  return null;
}
