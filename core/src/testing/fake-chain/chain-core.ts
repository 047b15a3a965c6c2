import type { UnixMs } from '../../contract/ids.js';
import { type BlockSite, genesis, makeBlock } from './block-maker.js';
import { BlockTree, type FakeBlock } from './block-tree.js';
import type { Contracts } from './contracts.js';
import { Execution, stateKey } from './execution.js';
import type { ReorgOptions } from './fake-chain-types.js';
import { Mempool } from './mempool.js';
import { GIVEN_OUTPUT, type Meaning, RULES, type Rules } from './rules.js';
import { type FakeTransaction, mostWorkOf, movedOut, unsealed } from './transaction.js';

const FIRST_HEIGHT = 1_000;
const MAX_PER_BLOCK = 200;
const MIN_PRICE = 1n;

export interface CoreSettings {
  readonly profile: Rules['name'];
  readonly name: string;
  readonly native: string;
  readonly finalityDepth: number;
  readonly contracts: Omit<Contracts, 'given' | 'enforced' | 'accounts' | 'forwards' | 'native'>;
  readonly baseFee: bigint;
  readonly poolSize: number;
  readonly now: () => UnixMs;
}

export type Admission = 'accepted' | 'known' | Meaning;

export class ChainCore implements BlockSite {
  readonly rules: Rules;
  readonly tree: BlockTree;
  readonly pool: Mempool;
  readonly contracts: Contracts;
  readonly native: string;
  readonly finalityDepth: number;
  readonly #now: () => UnixMs;
  readonly #given = new Map<string, bigint>();
  readonly #read = new Map<string, FakeTransaction>();
  readonly #evicted = new Map<string, FakeTransaction>();
  #serial = 0;
  /** A block that no one will confirm; over with the next slot. */
  #fork: readonly FakeTransaction[] = [];
  #lost: ReadonlySet<string> = new Set();
  baseFee: bigint;
  reorgs = 0;

  constructor(settings: CoreSettings) {
    this.rules = RULES[settings.profile];
    this.#now = settings.now;
    this.native = settings.native;
    this.finalityDepth = settings.finalityDepth;
    this.baseFee = settings.baseFee;
    this.tree = new BlockTree(genesis(FIRST_HEIGHT, settings.now(), settings.baseFee, settings.name));
    this.pool = new Mempool(this.rules, settings.poolSize);
    this.contracts = {
      ...settings.contracts,
      enforced: this.rules.enforced,
      accounts: this.rules.accounts,
      forwards: this.rules.forwards,
      native: settings.native,
      given: (owner, currency) => this.#given.get(`${owner}|${currency}`) ?? 0n,
    };
  }

  get head(): FakeBlock {
    return this.tree.head;
  }

  finalized(head: FakeBlock = this.head): FakeBlock {
    return this.tree.ancestor(head, head.height - this.finalityDepth);
  }

  give(owner: string, currency: string, amount: bigint): void {
    const key = `${owner}|${currency}`;
    this.#given.set(key, (this.#given.get(key) ?? 0n) + amount);
  }

  /** Undefined for bytes of no transaction. */
  read(bytes: string): FakeTransaction | undefined {
    const known = this.#read.get(bytes);
    if (known !== undefined) return known;
    try {
      const transaction = unsealed(bytes);
      this.#read.set(bytes, transaction);
      return transaction;
    } catch {
      return undefined;
    }
  }

  after(head: FakeBlock): Execution {
    const timestamp = Math.max(head.timestamp + 1, this.#now());
    return new Execution(this.contracts, head.height + 1, timestamp, (key) => this.tree.read(head, key));
  }

  /** Offers a transaction to a node whose head is `head`. */
  submit(transaction: FakeTransaction, head: FakeBlock = this.head): Admission {
    if (transaction.chainId !== this.contracts.chainId) return 'invalid';
    if (this.isProcessed(transaction.hash)) return 'known';
    if (this.pool.has(transaction.hash) || this.tree.receipt(head, transaction.hash) !== undefined) return 'known';
    if (transaction.price < MIN_PRICE) return 'feeTooLow';
    const state = this.after(head);
    const refused = this.rules.refuse(transaction, state);
    if (refused !== null) return refused;
    const needed = mostWorkOf(transaction) * transaction.price + movedOut(transaction, this.native);
    if (state.balance(transaction.from, this.native) < needed) return 'noGas';
    if (this.#isOrphan(transaction, state)) return 'keySpent';
    if (!this.pool.add(transaction)) return 'feeTooLow';
    this.#dropOrphans(state);
    return 'accepted';
  }

  /** A slot with an unconfirmed block: its transactions are included again later unless `isLost`. */
  fork(isLost: (transaction: FakeTransaction) => boolean): void {
    this.#endFork();
    const { receipts } = this.mineApart(this.head, this.#waiting([]));
    const taken = receipts.map(({ transaction }) => transaction);
    for (const { hash } of taken) this.pool.remove(hash);
    this.#fork = taken;
    this.#lost = new Set(taken.filter(isLost).map(({ hash }) => hash));
  }

  isProcessed(hash: string): boolean {
    return this.#fork.some((transaction) => transaction.hash === hash);
  }

  /** Hashes in the unconfirmed block that will be included again. */
  processed(): readonly string[] {
    return this.#fork.flatMap(({ hash }) => (this.#lost.has(hash) ? [] : [hash]));
  }

  #endFork(): void {
    const state = this.after(this.head);
    for (const transaction of this.#fork) {
      const isGone = this.#lost.has(transaction.hash) || this.rules.ready(transaction, state) === 'never';
      if (!isGone) this.pool.add(transaction);
    }
    this.#fork = [];
  }

  /** Drops an unconfirmed transaction and its descendants. */
  evict(hash: string): boolean {
    const evicted = this.pool.get(hash);
    if (evicted === undefined) return false;
    this.pool.remove(hash);
    this.#evicted.set(hash, evicted);
    this.#dropOrphans(this.after(this.head));
    return true;
  }

  rebroadcast(hash: string): boolean {
    const evicted = this.#evicted.get(hash);
    return evicted !== undefined && this.submit(evicted) === 'accepted';
  }

  #isOrphan({ inputs }: FakeTransaction, state: Execution): boolean {
    return inputs.some(
      (input) =>
        !input.startsWith(GIVEN_OUTPUT) &&
        state.get(stateKey.made(input)) === 0n &&
        !this.pool.has(input.slice(0, input.indexOf(':'))),
    );
  }

  #dropOrphans(state: Execution): void {
    if (this.rules.name !== 'utxo') return;
    let orphans: readonly FakeTransaction[];
    do {
      orphans = [...this.pool.all()].filter((transaction) => this.#isOrphan(transaction, state));
      for (const { hash } of orphans) this.pool.remove(hash);
    } while (orphans.length > 0);
  }

  /** @param first hashes that are included before better-paid ones. */
  mine(most = MAX_PER_BLOCK, first: readonly string[] = []): FakeBlock {
    this.#endFork();
    const block = this.#next(this.head, most === 0 ? [] : this.#waiting(first), most);
    this.#extend(block);
    return block;
  }

  mineApart(parent: FakeBlock, candidates: readonly FakeTransaction[]): FakeBlock {
    return this.#next(parent, candidates, MAX_PER_BLOCK);
  }

  /** @throws when a final block would go. */
  reorg(depth: number, options: ReorgOptions = {}): void {
    const floor = this.finalized().height;
    if (this.head.height - depth < floor) throw new Error(`a reorg of ${depth} blocks would replace a final one`);
    const removed: FakeBlock[] = [];
    for (let n = 0; n < depth; n += 1) removed.unshift(this.tree.pop());
    this.reorgs += 1;
    const dropped = options.drop === 'all' ? null : new Set(options.drop ?? []);
    if (dropped === null || dropped.size > 0) {
      for (const transaction of [...this.pool.all()])
        if (dropped?.has(transaction.hash)) this.pool.remove(transaction.hash);
    }
    for (const block of removed) {
      for (const { transaction } of block.receipts) {
        // A better-paid rival in the pool keeps its place.
        if (dropped !== null && !dropped.has(transaction.hash)) this.pool.add(transaction);
      }
    }
    this.#dropOrphans(this.after(this.head));
    const length = options.length ?? depth + 1;
    for (let n = 0; n < length; n += 1) this.mine(n < (options.empty ?? 0) ? 0 : MAX_PER_BLOCK, options.first);
  }

  #next(parent: FakeBlock, candidates: readonly FakeTransaction[], most: number): FakeBlock {
    this.#serial += 1;
    const timestamp = Math.max(parent.timestamp + 1, this.#now());
    return makeBlock(this, { parent, timestamp, baseFee: this.baseFee, candidates, most, serial: this.#serial });
  }

  #extend(block: FakeBlock): void {
    this.tree.push(block);
    for (const { transaction } of block.receipts) this.pool.remove(transaction.hash);
    if (this.pool.size === 0) return;
    const state = this.after(block);
    for (const transaction of [...this.pool.all()]) {
      if (this.rules.ready(transaction, state) === 'never') this.pool.remove(transaction.hash);
    }
    this.#dropOrphans(state);
  }

  #waiting(first: readonly string[]): readonly FakeTransaction[] {
    if (this.pool.size === 0) return [];
    const paid = (transaction: FakeTransaction): bigint => {
      const room = transaction.price - this.baseFee;
      return room < transaction.tip ? room : transaction.tip;
    };
    const sorted = [...this.pool.all()].sort((a, b) => (paid(a) > paid(b) ? -1 : paid(a) < paid(b) ? 1 : 0));
    return first.length === 0 ? sorted : [...first.flatMap((hash) => this.pool.get(hash) ?? []), ...sorted];
  }
}
