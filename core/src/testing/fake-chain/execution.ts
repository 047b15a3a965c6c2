import type { Hex, UnixMs } from '../../contract/ids.js';
import type { Write } from './block-tree.js';
import type { Contracts, Paid } from './contracts.js';
import { type FakeSwap, outputFor, poolAddress, reservesOf } from './pools.js';
import { isPayersWord, signedDeposit, signedExecution } from './raw-calls.js';
import { REFUSALS } from './refusals.js';
import {
  type FakeAction,
  type FakeCall,
  type FakeExecute,
  type FakeRawCall,
  type FakeSwapIn,
  leftForCode,
  takenBy,
} from './transaction.js';

export const stateKey = {
  balance: (owner: string, currency: string) => `balance|${owner}|${currency}`,
  sequence: (account: string) => `sequence|${account}`,
  /** Hash of an account's newest transaction as a number, where the next one spends its change. */
  newest: (account: string) => `newest|${account}`,
  filled: (orderId: string) => `filled|${orderId}`,
  used: (useKey: string) => `used|${useKey}`,
  spent: (lock: string) => `spent|${lock}`,
  coin: (fundingKey: string) => `coin|${fundingKey}`,
  /** Use key, as a number, that spent a deposit's output or its rest; 0: none. */
  rest: (coin: string) => `rest|${coin}`,
  /** Account that holds an output, as a number; 0: the depository. */
  owner: (coin: string) => `owner|${coin}`,
  made: (output: string) => `made|${output}`,
  /** Token account of an owner: 1 opened, 2 closed, 0 as at genesis. */
  account: (owner: string, currency: string) => `account|${owner}|${currency}`,
  /** New holder of a token account, as a number; 0: unchanged. */
  holder: (owner: string, currency: string) => `holder|${owner}|${currency}`,
  /** Height at which a message took effect, doubled, plus one if it bounced. */
  arrived: (message: string) => `arrived|${message}`,
} as const;

/** Pending state over the parent's, with rollback. */
export class Execution {
  readonly height: number;
  readonly timestamp: UnixMs;
  readonly contracts: Contracts;
  readonly #parent: (key: string) => bigint;
  readonly #values = new Map<string, bigint>();
  locked = 0n;
  readonly lockedFor = new Map<string, bigint>();
  /** Swap outputs of the current transaction by order; those into the depository by `swappedInName`. */
  readonly brought = new Map<string, { readonly currency: string; readonly amount: bigint }>();
  /** Payments of the current transaction, with deposit addresses. */
  readonly paid: Paid[] = [];
  action = 0;
  worked = 0n;
  price = 0n;

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

  /** False without changes when the owner has less. */
  take(owner: string, currency: string, amount: bigint): boolean {
    if (this.balance(owner, currency) < amount) return false;
    this.add(owner, currency, -amount);
    return true;
  }

  add(owner: string, currency: string, amount: bigint): void {
    const key = stateKey.balance(owner, currency);
    this.set(key, this.get(key) + amount);
  }

  /** Rolls a failing part back. */
  attempt(part: () => string | null): string | null {
    const before = new Map(this.#values);
    const { locked } = this;
    const paid = this.paid.length;
    const failure = part();
    if (failure !== null) {
      this.paid.length = paid;
      this.locked = locked;
      this.lockedFor.clear();
      this.brought.clear();
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

/** Null when it took effect, else the reason. A refused action may leave traces. */
export function perform(execution: Execution, from: string, action: FakeAction): string | null {
  const { contracts } = execution;
  switch (action.do) {
    case 'approve':
      return null;
    case 'riddle':
      return null;
    case 'close':
      // The owner receives the rent, even if another account paid it.
      if (execution.get(stateKey.account(from, action.currency)) === OPEN) execution.add(from, contracts.native, RENT);
      execution.set(stateKey.account(from, action.currency), CLOSED);
      return null;
    case 'giveAway':
      if (hasAccount(execution, from, action.currency))
        execution.set(stateKey.holder(from, action.currency), BigInt(action.to));
      return null;
    case 'transfer':
      return (
        opened(execution, from, { ...action, opens: true }) ??
        pay(execution, from, action, action.amount, REFUSALS.short)
      );
    case 'deposit': {
      const to = action.stray ? contracts.stray : contracts.depository;
      return pay(execution, from, { ...action, to }, action.amount, REFUSALS.short);
    }
    case 'execute':
      return execute(execution, from, action);
    case 'swapIn':
      return swapIn(execution, from, action);
    case 'swap':
      return swap(execution, from, from, action);
    case 'fill':
      return fill(execution, from, action);
    case 'withdraw':
      return withdraw(execution, from, action);
    case 'sweep':
      return sweep(execution, from, action);
    case 'call':
      return rawCall(execution, action);
  }
}

/** The same by any sender. What its data says of a deposit counts once. */
function rawCall(execution: Execution, action: FakeRawCall): string | null {
  const { blocked, depository } = execution.contracts;
  execution.set(stateKey.used(action.useKey), 1n);
  const ran = runCodeOf(execution, action.to, leftForCode(action), REFUSALS.callFailed);
  if (ran.failure !== null || blocked.has(action.to)) return ran.failure ?? REFUSALS.callFailed;
  const executed = signedExecution(action.data);
  if (executed !== undefined)
    return useOnce(execution, executed.signature) ?? execute(execution, executed.payer, executed.action);
  const deposit = signedDeposit(action.data);
  if (deposit === undefined) return null;
  const { payer, currency, amount } = deposit;
  if (!isPayersWord(deposit)) return REFUSALS.notSigned;
  if (execution.timestamp / 1000 > deposit.deadline) return REFUSALS.expired;
  const replayed = useOnce(execution, deposit.signature);
  return replayed ?? pay(execution, payer, { to: depository, currency }, amount, REFUSALS.payerShort);
}

function useOnce(execution: Execution, signature: Hex): string | null {
  const used = stateKey.used(signature);
  if (execution.get(used) !== 0n) return REFUSALS.permitUsed;
  execution.set(used, 1n);
  return null;
}

function sweep(execution: Execution, from: string, action: Extract<FakeAction, { do: 'sweep' }>): string | null {
  const { depository, forwards } = execution.contracts;
  if (!maySweep(execution.contracts, from, action)) return REFUSALS.notAllowed;
  const { from: address, currency, useKey } = action;
  if (useKey !== null) execution.set(stateKey.used(useKey), 1n);
  const amount = forwards ? execution.balance(address, currency) : action.amount;
  return pay(execution, address, { to: depository, currency }, amount, REFUSALS.addressShort);
}

export function maySweep(
  { addresses, forwards }: Pick<Contracts, 'addresses' | 'forwards'>,
  from: string,
  { salt, from: address }: Pick<Extract<FakeAction, { do: 'sweep' }>, 'salt' | 'from'>,
): boolean {
  return addresses !== undefined && (forwards || from === addresses.sweeper) && addresses.of(salt) === address;
}

/** Unlimited: the contract keeps no list of ids. */
function execute(execution: Execution, from: string, action: FakeExecute): string | null {
  const { to, input, output, fee, feeTo, least, orderId } = action;
  if (execution.timestamp / 1000 > action.deadline) return REFUSALS.deadlinePassed;
  const before = execution.balance(to, output);
  const failure =
    (fee === 0n ? null : pay(execution, from, { to: feeTo, currency: input }, fee, REFUSALS.short)) ??
    (action.swap === undefined
      ? pay(execution, from, { to, currency: input }, takenBy(action) - fee, REFUSALS.short)
      : swap(execution, from, to, action.swap));
  if (failure !== null) return failure;
  const amount = execution.balance(to, output) - before;
  if (amount < least) return REFUSALS.broughtShort;
  execution.brought.set(orderId, { currency: output, amount });
  return null;
}

function swapIn(execution: Execution, from: string, action: FakeSwapIn): string | null {
  const { least, deadline, swap: asked } = action;
  const { depository } = execution.contracts;
  if (execution.timestamp / 1000 > deadline) return REFUSALS.deadlinePassed;
  const before = execution.balance(depository, asked.output);
  const failure = swap(execution, from, depository, asked);
  if (failure !== null) return failure;
  const amount = execution.balance(depository, asked.output) - before;
  if (amount < least) return REFUSALS.broughtShort;
  const nth = [...execution.brought.keys()].filter((name) => name.startsWith(SWAPPED_IN)).length;
  execution.brought.set(swappedInName(nth), { currency: asked.output, amount });
  return null;
}

const SWAPPED_IN = 'swapped in ';

export function swappedInName(nth: number): string {
  return `${SWAPPED_IN}${nth}`;
}

/** Once per order and not after its deadline; the same for its coin. */
function fill(execution: Execution, from: string, action: Extract<FakeAction, { do: 'fill' }>): string | null {
  for (const { orderId } of [action, ...(action.topUp ? [action.topUp] : [])]) {
    const filled = stateKey.filled(orderId);
    if (execution.contracts.enforced) {
      if (execution.get(filled) !== 0n) return REFUSALS.alreadyFilled;
      if (execution.timestamp / 1000 > action.deadline) return REFUSALS.deadlinePassed;
    }
    execution.set(filled, 1n);
  }
  const closed = opened(execution, from, action);
  if (closed !== null || action.calls !== undefined)
    return closed ?? makeCalls(execution, from, action, action.calls ?? []);
  return runCode(execution, action) ?? pay(execution, from, action, action.amount, REFUSALS.short);
}

/**
 * Pays the callees, swaps for the recipient and sends it the rest, including coin. They share the work left for code.
 */
function makeCalls(
  execution: Execution,
  from: string,
  action: Extract<FakeAction, { do: 'fill' }>,
  calls: readonly FakeCall[],
): string | null {
  const { native } = execution.contracts;
  const { wanted } = action;
  const before = wanted === undefined ? 0n : execution.balance(action.to, wanted.currency);
  const inCoin = action.currency === native;
  let [left, purse] = [leftForCode(action), inCoin ? action.amount : (action.topUp?.amount ?? 0n)];
  const payees = calls.map(({ to, value }) => ({ to, value, currency: native, refused: REFUSALS.callFailed }));
  const refused = REFUSALS.recipientRefuses;
  const last = { to: action.to, currency: action.topUp ? native : action.currency, refused };
  for (const { to, currency, refused: reported } of [...payees, last]) {
    const ran = currency === native ? runCodeOf(execution, to, left, reported) : IDLE;
    if (ran.failure !== null) return ran.failure;
    left -= ran.used;
  }
  for (const { to, currency, value } of payees) {
    if (value > purse) return REFUSALS.callFailed;
    purse -= value;
    const failure = value === 0n ? null : pay(execution, from, { to, currency }, value, REFUSALS.short);
    if (failure !== null) return failure;
  }
  let rest = inCoin ? purse : action.amount;
  for (const { swap: asked } of calls) {
    if (asked === undefined) continue;
    if (asked.input !== action.currency || asked.amount > rest) return REFUSALS.callFailed;
    rest -= asked.amount;
    const failure = swap(execution, from, action.to, asked);
    if (failure !== null) return failure;
  }
  const change = inCoin ? 0n : purse;
  const failure =
    (rest === 0n ? null : pay(execution, from, action, rest, REFUSALS.short)) ??
    (change === 0n ? null : pay(execution, from, { to: action.to, currency: native }, change, REFUSALS.short));
  if (failure !== null || wanted === undefined) return failure;
  const amount = execution.balance(action.to, wanted.currency) - before;
  if (amount < wanted.least) return REFUSALS.broughtShort;
  execution.brought.set(action.orderId, { currency: wanted.currency, amount });
  return null;
}

function swap(
  execution: Execution,
  from: string,
  to: string,
  { input, output, amount, least }: FakeSwap,
): string | null {
  const pool = poolAddress(execution.contracts.chainId, input, output);
  const out = outputFor(reservesOf(execution, { input, output }), amount);
  if (out === 0n || out < least) return REFUSALS.callFailed;
  return (
    pay(execution, from, { to: pool, currency: input }, amount, REFUSALS.short) ??
    pay(execution, pool, { to, currency: output }, out, REFUSALS.callFailed)
  );
}

/** Once per use key, only by the allocator, not after expiration. */
function withdraw(execution: Execution, from: string, action: Extract<FakeAction, { do: 'withdraw' }>): string | null {
  const { allocator, depository } = execution.contracts;
  const used = stateKey.used(action.useKey);
  if (from !== allocator) return REFUSALS.notAllowed;
  if (execution.contracts.enforced) {
    if (execution.get(used) !== 0n) return REFUSALS.keyUsed;
    if (execution.timestamp / 1000 > action.expiration) return REFUSALS.expired;
  }
  execution.set(used, 1n);
  if (action.exchange !== undefined) return exchangeBack(execution, action, action.exchange);
  const closed = opened(execution, from, action) ?? spendCoins(execution, action);
  const { rest = 0n, currency } = action;
  const short = REFUSALS.depositoryShort;
  const paid = closed ?? runCode(execution, action) ?? pay(execution, depository, action, action.amount, short);
  return paid ?? (rest === 0n ? null : pay(execution, depository, { currency, to: from }, rest, short));
}

/** Swaps the whole withdrawal and pays the output; code runs on coin. */
function exchangeBack(
  execution: Execution,
  action: Extract<FakeAction, { do: 'withdraw' }>,
  { swap: asked, output }: Exchange,
): string | null {
  const { depository, native } = execution.contracts;
  const { to, useKey } = action;
  if (asked.input !== action.currency || asked.amount > action.amount) return REFUSALS.callFailed;
  if (output.currency === native) {
    const ran = runCodeOf(execution, to, leftForCode(action), REFUSALS.recipientRefuses);
    if (ran.failure !== null) return ran.failure;
  }
  const before = execution.balance(to, output.currency);
  const failure = swap(execution, depository, to, asked);
  if (failure !== null) return failure;
  const amount = execution.balance(to, output.currency) - before;
  if (amount < output.least) return REFUSALS.broughtShort;
  execution.brought.set(useKey, { currency: output.currency, amount });
  const rest = action.amount - asked.amount;
  return rest === 0n
    ? null
    : pay(execution, depository, { to, currency: action.currency }, rest, REFUSALS.depositoryShort);
}

type Exchange = NonNullable<Extract<FakeAction, { do: 'withdraw' }>['exchange']>;

function runCode(execution: Execution, action: Extract<FakeAction, { do: 'fill' | 'withdraw' }>): string | null {
  if (action.currency !== execution.contracts.native) return null;
  return runCodeOf(execution, action.to, leftForCode(action), REFUSALS.recipientRefuses).failure;
}

interface Ran {
  readonly failure: string | null;
  readonly used: bigint;
}

const IDLE: Ran = { failure: null, used: 0n };

/** @param refused failure reason when the code refuses. */
function runCodeOf(execution: Execution, account: string, left: bigint, refused: string): Ran {
  const code = execution.contracts.codes.get(account);
  if (code === undefined) return IDLE;
  const { work, refuses = false } = code({ price: execution.price, height: execution.height });
  const used = work < left ? work : left;
  execution.worked += used;
  if (work > left) return { failure: REFUSALS.outOfWork, used };
  return { failure: refuses ? refused : null, used };
}

/** Spends the named deposits' outputs or rests and leaves one change output. */
function spendCoins(execution: Execution, action: Extract<FakeAction, { do: 'withdraw' }>): string | null {
  if (action.spends === undefined) return null;
  const coins = new Set(action.spends.map((fundingKey) => coinOf((key) => execution.get(key), fundingKey)));
  let left = -(action.amount + (action.rest ?? 0n));
  for (const coin of coins) {
    const value = execution.get(stateKey.coin(coin));
    const failure = toDepository(execution, coin, action.currency, value);
    if (failure !== null) return failure;
    left += value;
    execution.set(stateKey.coin(coin), 0n);
    execution.set(stateKey.rest(coin), BigInt(action.useKey));
  }
  if (left < 0n) return REFUSALS.depositoryShort;
  execution.set(stateKey.coin(restName(BigInt(action.useKey))), left);
  return null;
}

/** An output at a deposit address pays like one of the depository. */
function toDepository(execution: Execution, coin: string, currency: string, value: bigint): string | null {
  const owner = execution.get(stateKey.owner(coin));
  if (owner === 0n || value === 0n) return null;
  const { depository, addresses } = execution.contracts;
  const address = accountOf(owner);
  if (addresses?.known.has(address) !== true) return REFUSALS.notAllowed;
  if (!execution.take(address, currency, value)) return REFUSALS.depositoryShort;
  execution.add(depository, currency, value);
  return null;
}

function accountOf(value: bigint): string {
  return `0x${value.toString(16).padStart(40, '0')}`;
}

export function coinOf(read: (key: string) => bigint, fundingKey: string): string {
  let coin = fundingKey;
  for (;;) {
    const by = read(stateKey.rest(coin));
    if (by === 0n) return coin;
    coin = restName(by);
  }
}

function restName(useKey: bigint): string {
  return `rest of ${useKey.toString(16)}`;
}

const OPEN = 1n;
const CLOSED = 2n;
export const RENT = 5_000n;

/** The solver always has accounts; other recipients have one from genesis or lack it. */
export function hasAccount(execution: Execution, owner: string, currency: string): boolean {
  const { accounts, native, depository, allocator } = execution.contracts;
  if (!accounts || currency === native || owner === depository || owner === allocator) return true;
  const state = execution.get(stateKey.account(owner, currency));
  return state === 0n ? Number.parseInt(owner.slice(-1), 16) % 2 === 0 : state === OPEN;
}

export function holderOf(execution: Execution, owner: string, currency: string): string {
  const holder = execution.contracts.accounts ? execution.get(stateKey.holder(owner, currency)) : 0n;
  return holder === 0n ? owner : accountOf(holder);
}

function opened(
  execution: Execution,
  from: string,
  {
    to,
    currency,
    opens,
    checksOwner,
  }: { readonly to: string; readonly currency: string; readonly opens?: boolean; readonly checksOwner?: boolean },
): string | null {
  if (checksOwner && holderOf(execution, to, currency) !== to) return REFUSALS.wrongOwner;
  if (hasAccount(execution, to, currency)) return null;
  if (opens !== true) return REFUSALS.noAccount;
  if (!execution.take(from, execution.contracts.native, RENT)) return REFUSALS.rentShort;
  execution.locked += RENT;
  execution.lockedFor.set(to, (execution.lockedFor.get(to) ?? 0n) + RENT);
  execution.set(stateKey.account(to, currency), OPEN);
  return null;
}

function pay(
  execution: Execution,
  from: string,
  { to, currency }: { readonly to: string; readonly currency: string },
  amount: bigint,
  short: string,
): string | null {
  if (execution.contracts.blocked.has(to)) return REFUSALS.recipientRefuses;
  if (!execution.take(from, currency, amount)) return short;
  const holder = holderOf(execution, to, currency);
  execution.add(holder, currency, amount);
  if (execution.contracts.addresses !== undefined)
    execution.paid.push({ action: execution.action, from, to: holder, currency, amount });
  return null;
}
