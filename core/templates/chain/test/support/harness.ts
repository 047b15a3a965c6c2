import { NotWrittenError } from '@causeway/core';
import { type ChainHarness, clockAhead, registerAlone } from '@causeway/core/testing';
import { plugin } from '../../src/index.js';

const missing = (what: string) => new NotWrittenError(`harness.${what}`, 'test/support/harness.ts');

/** The chain under test: a local node that makes blocks on demand. */
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
 * Controls the real chain for the kit and reports its state without using the adapter. Write it together with the adapter: it shows
 * how your chain behaves. If the chain cannot express an ability, remove its method and give the reason in `lacks`.
 */
export async function harness(): Promise<ChainHarness> {
  const opened: (() => Promise<void>)[] = [];
  const { clock, skip } = clockAhead();
  return {
    lacks: {},
    /** Opens another process of the same solver: same chain, same keys. */
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
    /** Other spellings of valid addresses, and invalid texts that resemble one. */
    addresses: { spellings: [], refused: [] },
    pass: (ms) => clock.sleep(ms),
    skip: async (ms) => skip(ms),
    dispose: async () => {
      for (const stop of opened) await stop();
    },

    // Required.
    requests: () => {
      throw missing(
        'requests: return the number of queries of all processes so far; count them in a proxy in front of the node',
      );
    },
    loseNext: (_what) => {
      throw missing('loseNext: drop the next transaction, or the reply to it, between adapter and node');
    },
    silence: (_on) => {
      throw missing('silence: while on, no node answers');
    },
    unit: (_currency) => {
      throw missing('unit: return the smallest amount of a currency that can be transferred');
    },
    user: (_n) => {
      throw missing('user: return the address of payer n (1 to 3), which holds plenty of each currency');
    },
    recipient: (_n) => {
      throw missing('recipient: return an address that never received a payment');
    },
    pay: async (_payer, _steps) => {
      throw missing('pay: sign and send the items of deposit steps, as a wallet does');
    },
    touch: async (_times) => {
      throw missing(
        'touch: send the smallest amount to the depository and to the signer, the given number of times each',
      );
    },
    include: async () => {
      throw missing('include: make blocks until no transaction is waiting');
    },
    mine: async (_blocks) => {
      throw missing('mine: make the given number of blocks');
    },
    finalize: async () => {
      throw missing('finalize: make blocks until the present head is final');
    },
    head: async () => {
      throw missing('head: read the newest block from the chain');
    },
    finalized: async () => {
      throw missing('finalized: read the newest final block from the chain');
    },
    balance: async (_address, _currency) => {
      throw missing('balance: read the balance of an account at the head from the chain');
    },
    depositoryBalance: async (_currency) => {
      throw missing('depositoryBalance: read the balance of the depository at the head from the chain');
    },
    advanceTo: async (_time) => {
      throw missing('advanceTo: make blocks until the timestamp of the head reaches the given time');
    },

    // Optional: write each one, or remove it and give the reason in `lacks` under the name in its message.
    payOrphan: async () => {
      throw missing('payOrphan: pay without an order id, or lacks.orphans');
    },
    payForeign: async () => {
      throw missing('payForeign: pay in an unconfigured currency, or lacks.foreignCurrencies');
    },
    payTogether: async () => {
      throw missing('payTogether: make several deposits in one transaction, or lacks.depositsTogether');
    },
    payShifting: async () => {
      throw missing(
        'payShifting: send a transaction that acts differently when included again after a reorg, or lacks.shiftingEvents',
      );
    },
    payStrays: async () => {
      throw missing('payStrays: make transfers that carry the order id but are no deposits, or lacks.strays');
    },
    payFailing: async () => {
      throw missing('payFailing: make deposits that are included in a block without effect, or lacks.failedDeposits');
    },
    payNaming: async () => {
      throw missing('payNaming: make a payment that names another account as its depositor, or lacks.namedDepositors');
    },
    signText: async () => {
      throw missing('signText: sign a text as a wallet does, or lacks.signedTexts');
    },
    replacePayment: async () => {
      throw missing('replacePayment: replace an unconfirmed payment, or lacks.paymentReplacement');
    },
    turning: async () => {
      throw missing('turning: return recipients whose accounts change their kind, or lacks.turningRecipients');
    },
    liars: async () => {
      throw missing('liars: return recipients whose code wastes gas or refuses payments, or lacks.recipientCode');
    },
    reorg: async () => {
      throw missing('reorg: replace the newest blocks, or lacks.reorgs');
    },
    expireKeys: async () => {
      throw missing('expireKeys: wait until all prepared keys have expired, or lacks.keyExpiry');
    },
    expireMessages: async () => {
      throw missing('expireMessages: wait until all prepared transactions have expired, or lacks.messageExpiry');
    },
    payGarbled: async () => {
      throw missing('payGarbled: make deposits with malformed order ids, or lacks.garbledNames');
    },
    payWritten: async () => {
      throw missing('payWritten: make deposits with the order id in other notations, or lacks.writtenNames');
    },
    forget: async () => {
      throw missing('forget: make all nodes prune the transactions of final blocks, or lacks.forgottenHistory');
    },
    openSecond: async () => {
      throw missing('openSecond: open a process with two nodes, the first of them faulty, or lacks.secondProvider');
    },
    openRefusing: async () => {
      throw missing('openRefusing: open a process whose node can refuse single queries, or lacks.refusedQuestions');
    },
  };
}
