import type { SendOutcome } from '../../contract/legs.js';
import { type Execution, stateKey } from './execution.js';
import type { FakeProfileName } from './fake-chain-types.js';
import type { FakeTransaction } from './transaction.js';

export type Meaning = Extract<SendOutcome, { outcome: 'rejected' }>['meaning'];

/** `later`: not before something else is included. `never`: no block on this branch can take it. */
export type Readiness = 'now' | 'later' | 'never';

/** How long a message of a chain with valid-until lasts. */
export const VALID_SECONDS = 60;

/** How one kind of chain locks transactions against each other. State is read on top of the block before. */
export interface Rules {
  readonly name: FakeProfileName;
  /** The chain's own contracts keep fills and withdrawals once-only and keep deadlines. */
  readonly enforced: boolean;
  /** Transactions with a common lock are rivals: at most one of them is ever included on a branch. */
  locks(transaction: FakeTransaction): readonly string[];
  /** Of rivals in the pool: the better paid stays, or all wait and the first one included wins. */
  readonly rivals: 'outbid' | 'wait';
  /** A transaction whose actions fail is included all the same, pays and uses its locks. */
  readonly failuresLand: boolean;
  /** Of several fills of one transaction, one that fails is left out of it alone. */
  readonly apart: boolean;
  /** Blocks between a transaction and its effects; 0 where they are one. */
  readonly hops: number;
  /** Everybody sees what waits for inclusion, deposits included. */
  readonly publicPool: boolean;
  /** Nodes tell of a transaction that waits for a block; else only of one in a block that is not confirmed yet. */
  readonly poolTold: boolean;
  /** Nodes try a transaction before they take it; else they take what nobody may ever include, and say so. */
  readonly triedFirst: boolean;
  /** A trial knows what an account did before, as a contract or a wallet does; else it only tries the payment. */
  readonly historyTried: boolean;
  /** Each deposit is an output of its own, and what pays it back or collects it spends that. */
  readonly coins: boolean;
  /** A token is paid into an account of its own, which somebody opens and pays for. */
  readonly accounts: boolean;
  ready(transaction: FakeTransaction, state: Execution): Readiness;
  /** Why a node that is not ready to include it does not even keep it; null when it does. */
  refuse(transaction: FakeTransaction, state: Execution): Meaning | null;
  /** Uses the locks up. */
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
  poolTold: true,
  triedFirst: true,
  historyTried: true,
  coins: false,
  accounts: false,
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
  poolTold: true,
  triedFirst: true,
  historyTried: true,
  coins: false,
  accounts: false,
  locks: (transaction) => [`${transaction.from}#${place(transaction)}`],
  ready(transaction, state) {
    if (transaction.validUntil !== null && state.timestamp / 1000 > transaction.validUntil) return 'never';
    return readyInSequence(transaction, state);
  },
  refuse(transaction, state) {
    const next = Number(state.get(stateKey.sequence(transaction.from)));
    if (place(transaction) < next) return 'keySpent';
    // A wallet tells nobody to wait: what is not its next number now is refused.
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
  poolTold: false,
  triedFirst: false,
  historyTried: false,
  coins: false,
  accounts: true,
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

/** Outputs whose name begins so were always there. */
export const GIVEN_OUTPUT = 'given:';

const utxo: Rules = {
  name: 'utxo',
  enforced: false,
  rivals: 'outbid',
  failuresLand: false,
  apart: false,
  hops: 0,
  publicPool: true,
  poolTold: true,
  triedFirst: true,
  historyTried: true,
  coins: true,
  accounts: false,
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

/** How often an account spent: what one without numbers has instead of them. */
function countSpend({ from }: FakeTransaction, state: Execution): void {
  state.set(stateKey.sequence(from), state.get(stateKey.sequence(from)) + 1n);
}

/** The output that an account's next transaction spends: what its last one gave back, or the one it was given. */
export function purseOf(account: string, newest: bigint): string {
  return newest === 0n ? `${GIVEN_OUTPUT}${account}` : changeOf(`0x${newest.toString(16).padStart(64, '0')}`);
}

/** The output that a transaction gives back to its sender. */
export function changeOf(hash: string): string {
  return `${hash}:change`;
}

export const RULES: Readonly<Record<FakeProfileName, Rules>> = { nonce, expiring, utxo, async };
