import type { SendOutcome } from '../../contract/legs.js';
import { type Execution, stateKey } from './execution.js';
import type { FakeProfileName } from './fake-chain-types.js';
import type { FakeTransaction } from './transaction.js';

export type Meaning = Extract<SendOutcome, { outcome: 'rejected' }>['meaning'];

/** `later`: not before something else is included. `never`: no block on this branch can include it. */
export type Readiness = 'now' | 'later' | 'never';

export const VALID_SECONDS = 60;

/** How one kind of chain locks transactions against each other. State is read on top of the block before. */
export interface Rules {
  readonly name: FakeProfileName;
  /** Contracts enforce once-only and deadlines. */
  readonly enforced: boolean;
  /** Of transactions with a common lock at most one is ever included on a branch. */
  locks(transaction: FakeTransaction): readonly string[];
  /** Pool policy: the better paid rival stays, or all wait and the first included wins. */
  readonly rivals: 'outbid' | 'wait';
  /** Failing transactions are included, pay fees and use their locks. */
  readonly failuresLand: boolean;
  /** A failing fill is left out of its transaction alone. */
  readonly apart: boolean;
  readonly hops: number;
  /** Unconfirmed transactions, including deposits, are public. */
  readonly publicPool: boolean;
  /** Nodes show pool transactions, otherwise only those in unconfirmed blocks. */
  readonly poolReported: boolean;
  /** Nodes simulate before accepting; otherwise they accept what may never be included. */
  readonly triedFirst: boolean;
  /** A trial checks the account's history; otherwise only the payment. */
  readonly historyTried: boolean;
  /** Each deposit is an output that its refund or collection spends. */
  readonly coins: boolean;
  /** Tokens need accounts that someone opens and pays for. */
  readonly accounts: boolean;
  /** Deposit addresses pay the depository on anyone's call. */
  readonly forwards: boolean;
  ready(transaction: FakeTransaction, state: Execution): Readiness;
  /** Why a node rejects it outright; null when it is accepted. */
  refuse(transaction: FakeTransaction, state: Execution): Meaning | null;
  consume(transaction: FakeTransaction, state: Execution): void;
}

const FARTHEST = 64;

function place(transaction: FakeTransaction): number {
  if (transaction.sequence === null) throw new Error('a transaction without a place in a sequence');
  return transaction.sequence;
}

function readyInSequence(transaction: FakeTransaction, state: Execution): Readiness {
  const next = Number(state.get(stateKey.sequence(transaction.from)));
  const own = place(transaction);
  return own === next ? 'now' : own > next ? 'later' : 'never';
}

function consumeInSequence(transaction: FakeTransaction, state: Execution): void {
  state.set(stateKey.sequence(transaction.from), BigInt(place(transaction) + 1));
}

const nonce: Rules = {
  name: 'nonce',
  enforced: true,
  rivals: 'outbid',
  failuresLand: true,
  apart: true,
  hops: 0,
  publicPool: false,
  poolReported: true,
  triedFirst: true,
  historyTried: true,
  coins: false,
  accounts: false,
  forwards: true,
  locks: (transaction) => [`${transaction.from}#${place(transaction)}`],
  ready: readyInSequence,
  refuse(transaction, state) {
    const next = Number(state.get(stateKey.sequence(transaction.from)));
    if (place(transaction) < next) return 'keySpent';
    return place(transaction) > next + FARTHEST ? 'keyTooFar' : null;
  },
  consume: consumeInSequence,
};

const async: Rules = {
  name: 'async',
  enforced: false,
  rivals: 'wait',
  failuresLand: true,
  apart: false,
  hops: 2,
  publicPool: false,
  poolReported: true,
  triedFirst: true,
  historyTried: true,
  coins: false,
  accounts: false,
  forwards: false,
  locks: (transaction) => [`${transaction.from}#${place(transaction)}`],
  ready(transaction, state) {
    if (transaction.validUntil !== null && state.timestamp / 1000 > transaction.validUntil) return 'never';
    return readyInSequence(transaction, state);
  },
  refuse(transaction, state) {
    const next = Number(state.get(stateKey.sequence(transaction.from)));
    if (place(transaction) < next) return 'keySpent';
    // A wallet refuses all but its next number.
    if (place(transaction) > next) return 'keyTooFar';
    return async.ready(transaction, state) === 'never' ? 'invalid' : null;
  },
  consume: consumeInSequence,
};

const expiring: Rules = {
  name: 'expiring',
  enforced: false,
  rivals: 'outbid',
  failuresLand: true,
  apart: false,
  hops: 0,
  publicPool: false,
  poolReported: false,
  triedFirst: false,
  historyTried: false,
  coins: false,
  accounts: true,
  forwards: false,
  locks: (transaction) => [transaction.hash],
  ready(transaction, state) {
    if (state.get(stateKey.spent(transaction.hash)) !== 0n) return 'never';
    return transaction.validUntil !== null && state.height > transaction.validUntil ? 'never' : 'now';
  },
  refuse: (transaction, state) => (expiring.ready(transaction, state) === 'never' ? 'keySpent' : null),
  consume(transaction, state) {
    state.set(stateKey.spent(transaction.hash), 1n);
    countSpend(transaction, state);
  },
};

export const GIVEN_OUTPUT = 'given:';

const utxo: Rules = {
  name: 'utxo',
  enforced: false,
  rivals: 'outbid',
  failuresLand: false,
  apart: false,
  hops: 0,
  publicPool: true,
  poolReported: true,
  triedFirst: true,
  historyTried: true,
  coins: true,
  accounts: false,
  forwards: false,
  locks: (transaction) => transaction.inputs,
  ready(transaction, state) {
    if (transaction.inputs.length === 0) return 'never';
    let all: Readiness = 'now';
    for (const input of transaction.inputs) {
      if (state.get(stateKey.spent(input)) !== 0n) return 'never';
      if (!input.startsWith(GIVEN_OUTPUT) && state.get(stateKey.made(input)) === 0n) all = 'later';
    }
    return all;
  },
  refuse: (transaction, state) => (utxo.ready(transaction, state) === 'never' ? 'keySpent' : null),
  consume(transaction, state) {
    for (const input of transaction.inputs) state.set(stateKey.spent(input), 1n);
    state.set(stateKey.made(changeOf(transaction.hash)), 1n);
    state.set(stateKey.newest(transaction.from), BigInt(transaction.hash));
    countSpend(transaction, state);
  },
};

/** Spend counter of an account without sequence numbers. */
function countSpend({ from }: FakeTransaction, state: Execution): void {
  state.set(stateKey.sequence(from), state.get(stateKey.sequence(from)) + 1n);
}

/** Output that the next transaction spends: its last change or the given one. */
export function purseOf(account: string, newest: bigint): string {
  return newest === 0n ? `${GIVEN_OUTPUT}${account}` : changeOf(`0x${newest.toString(16).padStart(64, '0')}`);
}

export function changeOf(hash: string): string {
  return `${hash}:change`;
}

export const RULES: Readonly<Record<FakeProfileName, Rules>> = { nonce, expiring, utxo, async };
