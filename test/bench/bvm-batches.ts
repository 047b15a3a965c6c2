import { FamiliesWorld, type OwnOrder } from '../support/families/world.js';
import { withHighLimits } from './high-limits.js';
import { type Bench, ms } from './report.js';

const PAYOUTS = 100;
const MAX_TRANSACTIONS = 2;
const AMOUNT = 5n * 10n ** 16n;

type Payer = Awaited<ReturnType<FamiliesWorld['evm']['payer']>>;

interface Sized {
  readonly vsize: number;
}

export const bvmBatchesBench: Bench = {
  name: 'bvm-batches',
  about: `UTXO chains: ${PAYOUTS} deposits elsewhere -> as many payouts, through one lane`,
  async run() {
    const world = await FamiliesWorld.start({
      ...{ svm: 0, quoteValidityMs: 600_000, orderTtl: '600s', edit: withHighLimits },
      bvm: [{ kind: 'bitcoin', options: { batches: { most: 100, waitMs: 2_000 } } }],
    });
    try {
      const [to] = world.bvm;
      if (to === undefined) throw new Error('no UTXO chain');
      const from = world.evm;
      const orders: OwnOrder<Payer>[] = [];
      while (orders.length < PAYOUTS) orders.push(await world.order({ from, to, amount: AMOUNT }));
      for (const { payer, quote } of orders) await from.pay(payer, quote);
      const paid = performance.now();
      const transactions = new Set<string>();
      for (const order of orders) {
        const { txHashes } = await world.becomes(order, 'success', 120_000);
        for (const hash of txHashes) transactions.add(hash);
      }
      const took = performance.now() - paid;
      let exact = 0;
      for (const { recipient, amountOut } of orders) if ((await to.balance(recipient)) === amountOut) exact += 1;
      const sizes = await Promise.all([...transactions].map((txid) => sizeOf(to, txid)));
      const each = sizes.reduce((sum, size) => sum + size, 0) / PAYOUTS;
      const plain = await sizeOf(to, (await to.node.fund(to.newAddress(), 100_000n)).txid);
      return [
        { name: 'paid exactly what was quoted', value: `${exact} of ${PAYOUTS}`, ok: exact === PAYOUTS },
        {
          name: 'transactions',
          value: String(transactions.size),
          goal: `<= ${MAX_TRANSACTIONS}`,
          ok: transactions.size <= MAX_TRANSACTIONS,
        },
        { name: 'a payment of its own, by the wallet of the node (baseline)', value: `${plain} vbytes` },
        {
          name: 'a payout',
          value: `${each.toFixed(1)} vbytes, ${(each / plain).toFixed(2)} of the baseline`,
          goal: '<= 0.5 of the baseline',
          ok: each <= plain / 2,
        },
        { name: 'last deposit -> last payout in a block', value: ms(took) },
      ];
    } finally {
      await world.close();
    }
  },
};

async function sizeOf({ node }: FamiliesWorld['bvm'][number], txid: string): Promise<number> {
  return (await node.rpc<Sized>('getrawtransaction', [txid, true])).vsize;
}
