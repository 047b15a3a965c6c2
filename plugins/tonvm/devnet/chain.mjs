// The chain itself: accounts, messages on their way, blocks and what was in them, carried out by the network's own executor. The sandbox
// runs a message and all that follows from it at once; here a message is in one block and what it sent in the next one.

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

/** Logical time between two transactions. */
const LT_STEP = 1_000_000n;
/** Blocks whose states are kept, for providers that lag. */
const KEPT_STATES = 128;
/** Parameters of the network's configuration: gas of the basechain, storage. */
const [GAS_PRICES, STORAGE_PRICES] = [21, 18];
/** A tag, a time, and four prices. */
const [STORAGE_TAG, STORAGE_BITS] = [0xcc, 8 + 32 + 4 * 64];

/** @typedef {import('./history.mjs').Included} Included */

/** An external message that the account does not take, in its present state or in any. */
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
  /** Milliseconds that the chain's clock is ahead of this machine's. */
  #ahead = 0;
  #busy = Promise.resolve();
  /** Names this chain and no other. */
  zeroState = randomBytes(32);
  /** @type {Block[]} by height */
  blocks = [];
  /** No provider tells of transactions below it. */
  prunedBelow = 0;

  /** Blocks by which what accounts send arrives later than in the next one, as in a crowd. */
  late = 0;

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

  /** Messages that no block has yet. */
  get waiting() {
    return this.#queue.length + this.#externals.length;
  }

  /** One thing at a time: the executor has one state. @template T @param {() => Promise<T>} task @returns {Promise<T>} */
  exclusive(task) {
    const done = this.#busy.then(task);
    this.#busy = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  }

  /**
   * Takes an external message as a node of the network does: where the account would accept it now.
   *
   * @param {Cell} cell
   * @throws {NotAccepted}
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
   * What an external message would cost its account now, nanotons; nothing comes of it.
   *
   * @param {import('@ton/core').Message} message @param {boolean} ignoreChksig any signature is taken for a right one
   * @throws {NotAccepted}
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

  /** Makes a block: what was sent in earlier blocks first, then what came from outside. */
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
        // The account changed since: a validator leaves it out, and nobody is told.
        if (!(error instanceof EmulationError)) throw error;
      }
    }
    this.blocks.push(this.#block(height, transactions, utime, startLt));
  }

  /** Blocks until nothing is on its way. */
  async settle() {
    do await this.mine();
    while (this.waiting > 0);
  }

  /** @param {import('@ton/core').Message} message @returns {Promise<Included>} */
  async #carryOut(message, height, utime) {
    const { info } = message;
    if (info.type === 'external-out') throw new Error('nobody takes what leaves the chain');
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

  /** Coins out of nothing, by a message of nobody's, so that the account's history has it. Sent by an account without a key. */
  give(address, value, bounce = false) {
    this.#push(Address.parse(`0:${'0'.repeat(63)}1`), address, value, new Cell(), bounce);
  }

  /** A message of an account that nobody asked: what somebody could do whose key or code is not at hand. */
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

  /** A message from any account, without asking it. For attacks. */
  forge(src, dest, value, body, bounce = true) {
    this.#push(src, dest, value, body, bounce);
  }

  /** Sets the state of an account, as if it had been so for ever. */
  set(address, { code, data, balance }) {
    const contract = SmartContract.create(this.#bc, { address, code, data, balance });
    this.#keep(
      address.toRawString(),
      this.head.height,
      beginCell().store(storeShardAccount(contract.account)).endCell(),
    );
  }

  /** The next block is not before this time. @param {number} ms Unix time */
  advanceTo(ms) {
    this.#ahead = Math.max(this.#ahead, ms - Date.now());
  }

  /** The chain's block that has a transaction of this logical time, by the network's rule: the first that ends at it or later. */
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
    // The last one before what is kept is the state at its beginning.
    while ((states[1]?.height ?? Number.POSITIVE_INFINITY) <= height - KEPT_STATES) states.shift();
    this.#states.set(account, states);
  }

  #contractAt(address, height) {
    const state = this.#states.get(address.toRawString())?.findLast((one) => one.height <= height);
    const known = state && loadShardAccount(Cell.fromBase64(state.boc).beginParse());
    // One that sent away all that it had and itself is nothing, as before it was anything.
    return new SmartContract(known?.account ? known : createEmptyShardAccount(address), this.#bc);
  }

  #setLt(lt) {
    this.#lt = lt;
    // The executor takes the time of a transaction from its chain, which has no way to set it.
    this.#bc.currentLt = lt;
  }

  #time() {
    return Math.floor((Date.now() + this.#ahead) / 1000);
  }

  #nextTime() {
    return Math.max(this.head.utime, this.#time());
  }
}

/** The network's configuration with gas and storage that cost nothing: an account that is paid keeps all of it. */
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
