import { VALID_BLOCKS } from './adapter/message-wallet.js';
import { fundingKeyOf, transferKeyOf } from './block-maker.js';
import type { FakeBlock } from './block-tree.js';
import type { ChainCore } from './chain-core.js';
import { RENT, stateKey } from './execution.js';
import type { FakeDepositInput, FakeUserTransaction } from './fake-chain-types.js';
import { changeOf, purseOf } from './rules.js';
import {
  type FakeAction,
  type FakeBody,
  type FakeTransaction,
  isDeposit,
  mostWorkOf,
  movedOut,
  sealed,
} from './transaction.js';

const TIP = 3n;

/** Transactions of users and other key holders, as their wallets would make them. */
export class FakeAccounts {
  readonly #core: ChainCore;
  readonly #signer: string;
  #serial = 0;

  constructor(core: ChainCore, signer: string) {
    this.#core = core;
    this.#signer = signer;
  }

  deposit(input: FakeDepositInput, head?: FakeBlock): FakeTransaction {
    const { from, price, parent } = input;
    const actions = [depositAction(input, from)];
    return this.transaction(from, actions, price, head, parent === undefined ? undefined : [changeOf(parent)]);
  }

  transaction(
    from: string,
    actions: readonly FakeAction[],
    price?: bigint,
    head?: FakeBlock,
    inputs?: readonly string[],
  ): FakeTransaction {
    const body = this.#body(from, actions, price ?? this.#core.baseFee * 2n + TIP, head);
    const transaction = sealed(inputs === undefined || body.inputs.length === 0 ? body : { ...body, inputs });
    this.#provide(transaction);
    return transaction;
  }

  /** Uses the account's existing funds and outbids every rival. */
  bare(from: string, actions: readonly FakeAction[]): FakeTransaction {
    const { pool, rules, baseFee } = this.#core;
    const body = this.#body(from, actions, baseFee * 4n + TIP);
    const rivals = rules.locks(sealed(body)).flatMap((lock) => pool.holder(lock) ?? []);
    let { price, tip } = body;
    for (const rival of rivals) {
      if (rival.price * 5n >= price * 4n) price = (rival.price * 5n) / 4n + 1n;
      if (rival.tip * 5n >= tip * 4n) tip = (rival.tip * 5n) / 4n + 1n;
    }
    return sealed({ ...body, price, tip });
  }

  /** A better-paid rival of a transaction; undefined where none is possible. */
  instead(
    before: FakeTransaction,
    input: FakeDepositInput | null,
    asked = input?.price ?? 0n,
  ): FakeTransaction | undefined {
    const { rules, native } = this.#core;
    if (rules.name === 'expiring') return undefined;
    const { chainId, from, sequence, inputs, validUntil } = before;
    const actions: FakeAction[] =
      input === null ? [{ do: 'transfer', currency: native, to: from, amount: 0n }] : [depositAction(input, from)];
    const least = (before.price * 5n) / 4n + 1n;
    const tip = (before.tip * 5n) / 4n + 1n;
    const price = asked > least ? asked : least;
    const transaction = sealed({ chainId, from, sequence, inputs, validUntil, price, tip, actions });
    this.#provide(transaction);
    return transaction;
  }

  /** @throws when a node would refuse it. */
  submit(transaction: FakeTransaction): FakeUserTransaction {
    const said = this.#core.submit(transaction);
    if (said === 'keyTooFar') this.#core.pool.add(transaction);
    else if (said !== 'accepted') throw new Error(`a user's transaction was refused: ${said}`);
    const deposits = transaction.actions.filter(isDeposit);
    return {
      hash: transaction.hash,
      from: transaction.from,
      fundingKeys: [
        ...deposits.map((_, nth) => fundingKeyOf(transaction, nth)),
        ...transaction.actions.flatMap((action, n) =>
          action.do === 'transfer' ? [transferKeyOf(transaction, n, 0)] : [],
        ),
      ],
    };
  }

  #body(from: string, actions: readonly FakeAction[], price: bigint, head = this.#core.head): FakeBody {
    const { tree, pool, rules, contracts } = this.#core;
    const tip = price < TIP ? price : TIP;
    const { chainId } = contracts;
    const base = { chainId, from, price, tip, actions, inputs: [], validUntil: null, sequence: null };
    switch (rules.name) {
      case 'nonce':
      case 'async': {
        let sequence = Number(tree.read(head, stateKey.sequence(from)));
        if (head === this.#core.head) while (pool.holder(`${from}#${sequence}`) !== undefined) sequence += 1;
        return { ...base, sequence };
      }
      case 'expiring':
        return { ...base, sequence: this.#nextSerial(), validUntil: head.height + VALID_BLOCKS };
      case 'utxo': {
        const newest = tree.read(head, stateKey.newest(from));
        const output = from === this.#signer ? purseOf(from, newest) : `${purseOf(from, 0n)}:${this.#nextSerial()}`;
        return { ...base, inputs: [output] };
      }
    }
  }

  #nextSerial(): number {
    this.#serial += 1;
    return this.#serial;
  }

  /** Tops the account up for what the transaction moves and its maximum cost. */
  #provide(transaction: FakeTransaction): void {
    const { from, actions } = transaction;
    if (from === this.#signer) return;
    const core = this.#core;
    const moved = actions.flatMap((action) =>
      action.do === 'deposit'
        ? [action.currency]
        : action.do === 'execute'
          ? [action.input]
          : action.do === 'swapIn'
            ? [action.swap.input]
            : action.do === 'transfer'
              ? [action.currency]
              : [],
    );
    const state = core.after(core.head);
    for (const currency of new Set([core.native, ...moved])) {
      let needed = costIn(transaction, currency, core.native);
      for (const waiting of core.pool.all()) {
        if (waiting.from === from) needed += costIn(waiting, currency, core.native);
      }
      if (currency === core.native && core.rules.accounts) needed += RENT * BigInt(actions.filter(mayOpen).length);
      const held = state.balance(from, currency);
      if (held < needed) core.give(from, currency, needed - held);
    }
  }
}

/** A transfer of a token pays for a missing account. */
function mayOpen(action: FakeAction): boolean {
  return action.do === 'transfer' && action.amount > 0n;
}

function depositAction({ currency, amount, orderId, depositor, stray }: FakeDepositInput, from: string): FakeAction {
  const paid = { currency, amount, orderId, ...(stray ? { stray } : {}) };
  return { do: 'deposit', depositor: depositor ?? from, ...paid };
}

function costIn(transaction: FakeTransaction, currency: string, native: string): bigint {
  const swapped = transaction.actions.flatMap((action) =>
    action.do === 'swap' && action.input === currency ? [action.amount] : [],
  );
  const moved = swapped.reduce((sum, amount) => sum + amount, movedOut(transaction, currency));
  return currency === native ? moved + mostWorkOf(transaction) * transaction.price : moved;
}
