// Run by the network's own executor. The sandbox runs a message with all its consequences at once; here each hop is
// in a later block.

import { createHash, randomBytes } from 'node:crypto';
import {
  Address,
  beginCell,
  Cell,
  Dictionary,
  loadMessage,
  loadShardAccount,
  storeMessage,
  storeShardAccount,
} from '@ton/core';
import { Blockchain, createEmptyShardAccount, EmulationError, SmartContract } from '@ton/sandbox';
import { Block, firstAt, Histories } from './history.mjs';

const LT_STEP = 1_000_000n;
/** Blocks whose states are available to lagging providers. */
const KEPT_STATES = 128;
/** Config parameters of the network: basechain gas, storage. */
const [GAS_PRICES, STORAGE_PRICES] = [21, 18];
/** A tag, a time, and four prices. */
const [STORAGE_TAG, STORAGE_BITS] = [0xcc, 8 + 32 + 4 * 64];

/** @typedef {import('./history.mjs').Included} Included */

export class NotAccepted extends Error {
  /** @param {string} message @param {number | undefined} exitCode */
  constructor(message, exitCode) {
    super(message);
    this.exitCode = exitCode;
  }
}

export class LocalChain {
  #bc;
  #lt = LT_STEP;
  /** Raw address to versions of its state, oldest first. @type {Map<string, { height: number, boc: string }[]>} */
  #states = new Map();
  history = new Histories();
  /** @type {{ message: import('@ton/core').Message, from: number }[]} internal messages, in the order they were sent */
  #queue = [];
  /** @type {{ message: import('@ton/core').Message, id: string }[]} */
  #externals = [];
  #externalIds = new Set();
  #ahead = 0;
  #busy = Promise.resolve();
  zeroState = randomBytes(32);
  /** @type {Block[]} by height */
  blocks = [];
  /** Transactions below it are pruned. */
  prunedBelow = 0;

  /** Extra blocks until a message arrives, as under congestion. */
  late = 0;

  /** Heights from which the basechain is split, and whole again, by turns. @type {number[]} */
  splits = [];

  /** @param {Blockchain} bc */
  constructor(bc) {
    this.#bc = bc;
    this.blocks.push(this.#block(0, [], this.#time(), this.#lt));
  }

  /** @param {'network' | 'free'} prices of gas and of storage; forwarding costs what it does in either case. */
  static async create(prices = 'network') {
    const bc = await Blockchain.create({ config: 'slim' });
    if (prices === 'free') bc.setConfig(withoutPrices(bc.config));
    bc.verbosity = { print: false, blockchainLogs: false, vmLogs: 'none', debugLogs: false };
    return new LocalChain(bc);
  }

  /** @returns {Block} */
  get head() {
    return /** @type {Block} */ (this.blocks.at(-1));
  }

  get waiting() {
    return this.#queue.length + this.#externals.length;
  }

  /** From the next block on. */
  split() {
    this.splits.push(this.head.height + 1);
  }

  /** @param {number} height */
  isSplit(height) {
    return this.splits.filter((from) => from <= height).length % 2 === 1;
  }

  /** @template T @param {() => Promise<T>} task @returns {Promise<T>} */
  exclusive(task) {
    const done = this.#busy.then(task);
    this.#busy = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  }

  /**
   * @param {Cell} cell
   * @throws {NotAccepted} where the account would not accept it now, as a node does
   */
  async take(cell) {
    const id = cell.hash().toString('hex');
    const message = loadMessage(cell.beginParse());
    if (message.info.type !== 'external-in') throw new NotAccepted('the message is not an inbound external one');
    if (this.#externalIds.has(id)) return;
    const trial = this.#contractAt(message.info.dest, this.head.height);
    this.#bc.now = this.#nextTime();
    try {
      this.#setLt(this.#lt + LT_STEP);
      await trial.receiveMessage(message);
    } catch (error) {
      throw notAccepted(error);
    }
    this.#externalIds.add(id);
    this.#externals.push({ message, id });
  }

  /**
   * Changes nothing.
   *
   * @param {import('@ton/core').Message} message @param {boolean} ignoreChksig any signature passes
   * @returns nanotons @throws {NotAccepted}
   */
  async estimate(message, ignoreChksig) {
    if (message.info.type !== 'external-in') throw new NotAccepted('the message is not an inbound external one');
    const trial = this.#contractAt(message.info.dest, this.head.height);
    this.#bc.now = this.#nextTime();
    try {
      this.#setLt(this.#lt + LT_STEP);
      const { description, totalFees, outMessages } = await trial.receiveMessage(message, { ignoreChksig });
      const generic = description.type === 'generic' ? description : undefined;
      const gas = generic?.computePhase.type === 'vm' ? generic.computePhase.gasFees : 0n;
      const storage = generic?.storagePhase?.storageFeesCollected ?? 0n;
      const actions = generic?.actionPhase?.totalActionFees ?? 0n;
      const forward = outMessages
        .values()
        .reduce((sum, { info }) => sum + (info.type === 'internal' ? info.forwardFee : 0n), 0n);
      return { gas, storage, forward: actions + forward, import: totalFees.coins - gas - storage - actions };
    } catch (error) {
      throw notAccepted(error);
    }
  }

  /** Makes a block: messages of earlier blocks first, then external ones. */
  async mine() {
    const height = this.head.height + 1;
    const utime = this.#nextTime();
    const startLt = this.#lt + LT_STEP;
    this.#bc.now = utime;
    const due = this.#queue.filter(({ from }) => from <= height);
    this.#queue = this.#queue.filter(({ from }) => from > height);
    const externals = this.#externals.splice(0);
    /** @type {Included[]} */
    const transactions = [];
    for (const { message } of due) transactions.push(await this.#carryOut(message, height, utime));
    for (const { message, id } of externals) {
      this.#externalIds.delete(id);
      try {
        transactions.push(await this.#carryOut(message, height, utime));
      } catch (error) {
        if (!(error instanceof EmulationError)) throw error;
      }
    }
    this.blocks.push(this.#block(height, transactions, utime, startLt));
  }

  async settle() {
    do await this.mine();
    while (this.waiting > 0);
  }

  /** @param {import('@ton/core').Message} message @returns {Promise<Included>} */
  async #carryOut(message, height, utime) {
    const { info } = message;
    if (info.type === 'external-out') throw new Error('messages to outside of the chain are not supported');
    const account = info.dest.toRawString();
    const contract = this.#contractAt(info.dest, height);
    this.#setLt(this.#lt + LT_STEP);
    const tx = await contract.receiveMessage(message);
    this.#keep(account, height, beginCell().store(storeShardAccount(contract.account)).endCell());
    const sent = tx.outMessages.values();
    for (const one of sent)
      if (one.info.type === 'internal') this.#queue.push({ message: one, from: height + 1 + this.late });
    return this.history.add(account, tx, height, utime);
  }

  /** The account as of a block. @param {Address} address */
  account(address, height) {
    return this.#contractAt(address, height).account;
  }

  /** @param {Address} address @throws where the account has no code, or the method fails. */
  getMethod(address, height, method, stack) {
    this.#bc.now = this.blocks[height]?.utime ?? this.head.utime;
    return this.#contractAt(address, height).get(method, stack);
  }

  /** Mints coins by a message from an account without a key, so that the recipient's history has it. */
  give(address, value, bounce = false) {
    this.#push(Address.parse(`0:${'0'.repeat(63)}1`), address, value, new Cell(), bounce);
  }

  #push(src, dest, value, body, bounce) {
    this.#queue.push({
      from: this.head.height + 1,
      message: {
        info: {
          ...{ type: 'internal', ihrDisabled: true, bounce, bounced: false, src, dest, value: { coins: value } },
          ...{ ihrFee: 0n, forwardFee: 0n, createdLt: this.#lt, createdAt: this.head.utime },
        },
        body,
      },
    });
  }

  /** A message in the name of any account. For attacks. */
  forge(src, dest, value, body, bounce = true) {
    this.#push(src, dest, value, body, bounce);
  }

  set(address, { code, data, balance }) {
    const contract = SmartContract.create(this.#bc, { address, code, data, balance });
    this.#keep(
      address.toRawString(),
      this.head.height,
      beginCell().store(storeShardAccount(contract.account)).endCell(),
    );
  }

  /** @param {number} ms Unix time */
  advanceTo(ms) {
    this.#ahead = Math.max(this.#ahead, ms - Date.now());
  }

  /** By the network's rule: the first block that ends at this logical time or later. */
  blockByLt(workchain, lt, height) {
    const found =
      this.blocks[firstAt(this.blocks, ({ endLt, shardEndLt }) => (workchain === -1 ? endLt : shardEndLt) >= lt)];
    return found !== undefined && found.height <= height ? found : undefined;
  }

  #block(height, transactions, utime, startLt) {
    const shardEndLt = this.#lt;
    this.#lt += LT_STEP;
    const parent = this.blocks.at(-1)?.id ?? this.zeroState;
    const content = [parent, ...transactions.map(({ hash }) => hash)];
    const id = createHash('sha256').update(Buffer.concat(content)).update(`block ${height} ${utime}`).digest();
    return new Block({ height, id, utime, startLt, shardEndLt, endLt: this.#lt, transactions });
  }

  #keep(account, height, cell) {
    const states = this.#states.get(account) ?? [];
    const boc = cell.toBoc().toString('base64');
    if (states.at(-1)?.height === height) states.pop();
    states.push({ height, boc });
    // The last state before the window is the state at its beginning.
    while ((states[1]?.height ?? Number.POSITIVE_INFINITY) <= height - KEPT_STATES) states.shift();
    this.#states.set(account, states);
  }

  #contractAt(address, height) {
    const state = this.#states.get(address.toRawString())?.findLast((one) => one.height <= height);
    const known = state && loadShardAccount(Cell.fromBase64(state.boc).beginParse());
    // An account that sent away everything, including itself, no longer exists.
    return new SmartContract(known?.account ? known : createEmptyShardAccount(address), this.#bc);
  }

  #setLt(lt) {
    this.#lt = lt;
    // The executor has no other way to set a transaction's time.
    this.#bc.currentLt = lt;
  }

  #time() {
    return Math.floor((Date.now() + this.#ahead) / 1000);
  }

  #nextTime() {
    return Math.max(this.head.utime, this.#time());
  }
}

function withoutPrices(whole) {
  const config = Dictionary.loadDirect(Dictionary.Keys.Int(32), Dictionary.Values.Cell(), whole);
  const gas = config.get(GAS_PRICES)?.beginParse();
  if (gas === undefined) throw new Error('a network without prices of gas');
  const flat = beginCell().storeUint(gas.loadUint(8), 8).storeUint(gas.loadUintBig(64), 64).storeUint(0, 64);
  gas.skip(64);
  flat.storeUint(gas.loadUint(8), 8).storeUint(0, 64);
  gas.skip(64);
  config.set(GAS_PRICES, flat.storeSlice(gas).endCell());
  const storage = Dictionary.empty(Dictionary.Keys.Uint(32), Dictionary.Values.BigUint(STORAGE_BITS));
  storage.set(0, BigInt(STORAGE_TAG) << BigInt(STORAGE_BITS - 8));
  config.set(STORAGE_PRICES, beginCell().storeDictDirect(storage).endCell());
  return beginCell().storeDictDirect(config).endCell();
}

function notAccepted(error) {
  if (!(error instanceof EmulationError)) return error;
  const code = error.exitCode;
  const why = code === undefined ? error.error : `exitcode=${code}, steps=0, gas_used=0`;
  return new NotAccepted(`inbound external message rejected by account: ${why}`, code);
}

/** @param {import('@ton/core').Message} message */
export function cellOf(message) {
  return beginCell().store(storeMessage(message)).endCell();
}
