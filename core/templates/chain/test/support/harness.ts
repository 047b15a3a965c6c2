import { NotWrittenError } from '@causeway/core';
import { type ChainHarness, clockAhead, registerAlone } from '@causeway/core/testing';
import { plugin } from '../../src/index.js';

const missing = (what: string) => new NotWrittenError(`harness.${what}`, 'test/support/harness.ts');

/** The chain under test: a node of your own that makes blocks when it is asked. */
const OPTIONS = {
  chains: [
    {
      ...{ id: 990_002, name: 'mine', displayName: 'Mine', nodes: ['http://127.0.0.1:9'] },
      ...{ depository: 'vault', signer: { address: 'fill', key: 'env:FILL_KEY' } },
      currencies: [{ address: 'coin', symbol: 'MINE', name: 'Mine Coin', decimals: 6, group: 'mine-coin' }],
    },
  ],
};

/**
 * Drives the real chain for the kit. It says what is true on the chain, and never asks the adapter for it. Write it beside the adapter:
 * it is how you find out what your chain does. What the chain cannot express goes into `lacks`, with the reason, and out of here.
 */
export async function harness(): Promise<ChainHarness> {
  const opened: (() => Promise<void>)[] = [];
  const { clock, skip } = clockAhead();
  return {
    lacks: {},
    /** Another process of the solver: the same chain and keys. */
    open: async () => {
      const registered = registerAlone(plugin, OPTIONS, { 'env:FILL_KEY': '11'.repeat(32) }, clock);
      opened.push(registered.stop);
      await registered.start();
      const [adapter] = registered.chains;
      if (adapter === undefined) throw new Error('the plugin adds no chain');
      return { adapter, stop: registered.stop };
    },
    currencies: ['coin'],
    reorgDepth: 1,
    mostLegs: 1,
    /** Other spellings of addresses, and texts that are none. */
    addresses: { spellings: [], refused: [] },
    pass: (ms) => clock.sleep(ms),
    skip: async (ms) => skip(ms),
    dispose: async () => {
      for (const stop of opened) await stop();
    },

    // What every chain has.
    requests: () => {
      throw missing(
        'requests: how many questions nodes got from all processes so far: count them in a proxy before the node',
      );
    },
    loseNext: (_what) => {
      throw missing('loseNext: lose the next transaction or its answer, between adapter and node');
    },
    silence: (_on) => {
      throw missing('silence: let no node answer while it is on');
    },
    unit: (_currency) => {
      throw missing('unit: the least that may be moved of a currency');
    },
    user: (_n) => {
      throw missing('user: the address of payer n, 1 to 3, who holds plenty');
    },
    recipient: (_n) => {
      throw missing('recipient: an address that never received anything');
    },
    pay: async (_payer, _steps) => {
      throw missing('pay: sign and send the items of deposit steps, as a wallet does');
    },
    touch: async (_times) => {
      throw missing('touch: send least amounts to the depository and the signer, so many times');
    },
    include: async () => {
      throw missing('include: make blocks until all that waits is included');
    },
    mine: async (_blocks) => {
      throw missing('mine: make so many blocks');
    },
    finalize: async () => {
      throw missing('finalize: make blocks until the head is final');
    },
    head: async () => {
      throw missing('head: the newest block, from the chain');
    },
    finalized: async () => {
      throw missing('finalized: the newest final block, from the chain');
    },
    balance: async (_address, _currency) => {
      throw missing('balance: what an account holds at the head, from the chain');
    },
    depositoryBalance: async (_currency) => {
      throw missing('depositoryBalance: what the depository holds at the head, from the chain');
    },
    advanceTo: async (_time) => {
      throw missing('advanceTo: make blocks until the head is of that time');
    },

    // What a chain may lack: write it, or say so in `lacks` under the word that is named.
    payOrphan: async () => {
      throw missing('payOrphan: a payment without an order id, or lacks.orphans');
    },
    payForeign: async () => {
      throw missing('payForeign: a payment in a currency that no config lists, or lacks.foreignCurrencies');
    },
    payTogether: async () => {
      throw missing('payTogether: several deposits in one transaction, or lacks.depositsTogether');
    },
    payShifting: async () => {
      throw missing(
        'payShifting: a transaction that does another thing when it is included again, or lacks.shiftingEvents',
      );
    },
    payStrays: async () => {
      throw missing('payStrays: what carries an order and is no deposit of it, or lacks.strays');
    },
    payFailing: async () => {
      throw missing('payFailing: deposits that a block includes without effect, or lacks.failedDeposits');
    },
    payNaming: async () => {
      throw missing('payNaming: a payment that names somebody else as its depositor, or lacks.namedDepositors');
    },
    signText: async () => {
      throw missing('signText: what a wallet makes of a text, or lacks.signedTexts');
    },
    replacePayment: async () => {
      throw missing('replacePayment: another payment in place of one that waits, or lacks.paymentReplacement');
    },
    turning: async () => {
      throw missing('turning: recipients who become another thing, or lacks.turningRecipients');
    },
    liars: async () => {
      throw missing('liars: recipients whose code burns work or refuses, or lacks.recipientCode');
    },
    reorg: async () => {
      throw missing('reorg: replace the newest blocks, or lacks.reorgs');
    },
    expireKeys: async () => {
      throw missing('expireKeys: let every key that was prepared run out, or lacks.keyExpiry');
    },
    expireMessages: async () => {
      throw missing('expireMessages: let every transaction that was prepared run out, or lacks.messageExpiry');
    },
    payGarbled: async () => {
      throw missing('payGarbled: deposits that carry nearly the name of an order, or lacks.garbledNames');
    },
    payWritten: async () => {
      throw missing('payWritten: deposits that name an order as people write it, or lacks.writtenNames');
    },
    forget: async () => {
      throw missing('forget: let no node return what is in final blocks, or lacks.forgottenHistory');
    },
    openSecond: async () => {
      throw missing('openSecond: a process next to a failing node, or lacks.secondProvider');
    },
    openRefusing: async () => {
      throw missing('openRefusing: a process whose node can refuse a question, or lacks.refusedQuestions');
    },
  };
}
