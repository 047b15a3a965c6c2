import type { BlockRef } from '../../contract/ids.js';
import type {
  FakeDeposit,
  FakeExecution,
  FakeFee,
  FakeFill,
  FakeMadeCall,
  FakeRiddle,
  FakeSweep,
  FakeTransfer,
  FakeWithdrawal,
} from './fake-chain-types.js';
import type { FakeTransaction } from './transaction.js';

/** State maps text to whole numbers: balances, sequences, keys, outputs. Zero entries are absent. */
export interface Write {
  readonly before: bigint;
  readonly after: bigint;
}

export interface Receipt {
  readonly transaction: FakeTransaction;
  readonly block: FakeBlock;
  readonly ok: boolean;
  readonly fee: bigint;
  readonly failure: string | null;
  /** Left-out fills by index, where fills succeed or fail independently. */
  readonly leftOut: ReadonlyMap<number, LeftOut>;
}

export interface LeftOut {
  readonly failure: string;
  readonly fee: bigint;
}

export interface FakeMessage {
  readonly id: string;
  readonly transaction: FakeTransaction;
  readonly action: number;
  readonly bounced: boolean;
}

export interface FakeBlock extends BlockRef {
  readonly parent: FakeBlock | null;
  readonly baseFee: bigint;
  readonly writes: ReadonlyMap<string, Write>;
  readonly receipts: readonly Receipt[];
  readonly deposits: readonly FakeDeposit[];
  readonly fills: readonly FakeFill[];
  readonly withdrawals: readonly FakeWithdrawal[];
  readonly fees: readonly FakeFee[];
  readonly executions: readonly FakeExecution[];
  readonly messages: readonly FakeMessage[];
  readonly strays: readonly FakeDeposit[];
  readonly riddles: readonly FakeRiddle[];
  readonly transfers: readonly FakeTransfer[];
  readonly sweeps: readonly FakeSweep[];
  readonly calls: readonly FakeMadeCall[];
}

/**
 * Blocks as a tree, with the state after any of them.
 *
 * Invariant: `state` is that of the newest canonical block. Other states are derived by undo and redo from the common
 * ancestor, without copies.
 */
export class BlockTree {
  readonly #canonical: FakeBlock[] = [];
  readonly #state = new Map<string, bigint>();
  readonly #receipts = new Map<string, Receipt>();
  readonly #first: number;
  readonly deposits: FakeDeposit[] = [];
  readonly fills: FakeFill[] = [];
  readonly withdrawals: FakeWithdrawal[] = [];
  readonly fees: FakeFee[] = [];
  readonly executions: FakeExecution[] = [];
  readonly transfers: FakeTransfer[] = [];
  readonly sweeps: FakeSweep[] = [];
  readonly calls: FakeMadeCall[] = [];

  constructor(genesis: FakeBlock) {
    this.#first = genesis.height;
    this.push(genesis);
  }

  get head(): FakeBlock {
    return this.#canonical[this.#canonical.length - 1] as FakeBlock;
  }

  get firstHeight(): number {
    return this.#first;
  }

  at(height: number): FakeBlock | undefined {
    return this.#canonical[height - this.#first];
  }

  isCanonical(block: FakeBlock): boolean {
    return this.at(block.height) === block;
  }

  push(block: FakeBlock): void {
    this.#canonical.push(block);
    for (const [key, { after }] of block.writes) this.#set(key, after);
    for (const receipt of block.receipts) this.#receipts.set(receipt.transaction.hash, receipt);
    this.deposits.push(...block.deposits);
    this.fills.push(...block.fills);
    this.withdrawals.push(...block.withdrawals);
    this.fees.push(...block.fees);
    this.executions.push(...block.executions);
    this.transfers.push(...block.transfers);
    this.sweeps.push(...block.sweeps);
    this.calls.push(...block.calls);
  }

  pop(): FakeBlock {
    const block = this.#canonical.pop();
    if (block === undefined || this.#canonical.length === 0) throw new Error('genesis stays');
    for (const [key, { before }] of block.writes) this.#set(key, before);
    for (const receipt of block.receipts) this.#receipts.delete(receipt.transaction.hash);
    this.deposits.length -= block.deposits.length;
    this.fills.length -= block.fills.length;
    this.withdrawals.length -= block.withdrawals.length;
    this.fees.length -= block.fees.length;
    this.executions.length -= block.executions.length;
    this.transfers.length -= block.transfers.length;
    this.sweeps.length -= block.sweeps.length;
    this.calls.length -= block.calls.length;
    return block;
  }

  root(block: FakeBlock): FakeBlock {
    let at = block;
    while (!this.isCanonical(at)) at = at.parent ?? this.#lost();
    return at;
  }

  /** On the block's own branch; the first block for anything below. */
  ancestor(block: FakeBlock, height: number): FakeBlock {
    let at = block;
    while (at.height > height && !this.isCanonical(at)) at = at.parent ?? this.#lost();
    if (at.height <= height) return at;
    return this.at(Math.max(height, this.#first)) ?? this.#lost();
  }

  read(block: FakeBlock, key: string): bigint {
    let at = block;
    while (!this.isCanonical(at)) {
      const write = at.writes.get(key);
      if (write !== undefined) return write.after;
      at = at.parent ?? this.#lost();
    }
    for (let n = at.height + 1 - this.#first; n < this.#canonical.length; n += 1) {
      const write = this.#canonical[n]?.writes.get(key);
      if (write !== undefined) return write.before;
    }
    return this.#state.get(key) ?? 0n;
  }

  receipt(block: FakeBlock, hash: string): Receipt | undefined {
    let at = block;
    while (!this.isCanonical(at)) {
      const found = at.receipts.find(({ transaction }) => transaction.hash === hash);
      if (found !== undefined) return found;
      at = at.parent ?? this.#lost();
    }
    const found = this.#receipts.get(hash);
    return found !== undefined && found.block.height <= at.height ? found : undefined;
  }

  #set(key: string, value: bigint): void {
    if (value === 0n) this.#state.delete(key);
    else this.#state.set(key, value);
  }

  #lost(): never {
    throw new Error('a block without a way to the first one');
  }
}
