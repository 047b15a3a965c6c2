import { readFileSync } from 'node:fs';
import { ComputeBudgetProgram, Keypair, PublicKey, SystemProgram, TransactionInstruction } from '@solana/web3.js';
import bs58 from 'bs58';
import { parseEther } from 'viem';
import type { SvmSide } from '../support/families/svm-side.js';
import { FamiliesWorld } from '../support/families/world.js';
import { walletOf } from '../support/wallet.js';
import { rssOf } from './burst.js';
import { withHighLimits } from './high-limits.js';
import { type Bench, ms, percentile } from './report.js';
import { blockhash, Fills, fillsPerOrder, pause, quotes, send, sign } from './svm-crowd.js';

const PER_SECOND = 50;
const SECONDS = 10;
const SLOT_MS = 400;
const ORIGIN_BLOCK_MS = 1_000;
const CONCURRENCY = 8;
const MEMO = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

export const svmBurstBench: Bench = {
  name: 'svm-burst',
  about: `SVM: ${PER_SECOND} fills a second for ${SECONDS} s, one solver signer`,
  async run() {
    const world = await FamiliesWorld.start({
      ...{ slotMs: SLOT_MS, quoteValidityMs: 600_000, orderTtl: '600s', edit: withHighLimits },
    });
    try {
      // On the other node, so that both start with an empty history: each slows down as it grows.
      const ceiling = await ceilingOf(world.s, PER_SECOND * SECONDS);
      const { evm: from, t: to } = world;
      // Slot-based, as on real chains; a block per deposit would be another load.
      await from.chain.client.setAutomine(false);
      await from.chain.client.setIntervalMining({ interval: ORIGIN_BLOCK_MS / 1000 });
      await pause(2 * ORIGIN_BLOCK_MS);
      const user = await from.payer(from.coin);
      const count = PER_SECOND * SECONDS;
      const quoted = await quotes(world, { from, to, user: user.address, amount: parseEther('0.01'), count });
      const wallet = walletOf(from.chain, user);
      const nonce = await from.chain.client.getTransactionCount({ address: user.address });
      const raws = await Promise.all(
        quoted.map(({ quote }, n) => {
          const item = quote.steps.at(-1)?.items[0];
          if (item === undefined) throw new Error('the quote has no deposit step');
          const { to: target, data, value } = item.data;
          return wallet.signTransaction({
            ...{ to: target, data, value: BigInt(value), nonce: nonce + n, gas: 200_000n, type: 'eip1559' },
            ...{ maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n, chainId: from.id },
          });
        }),
      );
      const orders = new Set(quoted.map(({ orderId }) => orderId));
      const fills = new Fills(to, orders);
      const processor = processorMs(world.service.pid);
      const paid = new Map<string, number>();
      const start = performance.now();
      for (const [index, serializedTransaction] of raws.entries()) {
        await pause(Math.max(0, start + (index * 1000) / PER_SECOND - performance.now()));
        await from.chain.client.sendRawTransaction({ serializedTransaction });
        paid.set(quoted[index]?.orderId ?? '', performance.now());
      }
      const offered = (count * 1000) / (performance.now() - start);
      const deadline = performance.now() + 60_000;
      while (fills.seen.size < count && performance.now() < deadline) await pause(50);
      const spent = processorMs(world.service.pid) - processor;
      fills.stop();
      const lags = [...fills.seen].map(([order, at]) => at - (paid.get(order) ?? Number.NaN));
      const times = [...fills.seen.values()];
      const filled = ((fills.seen.size - 1) * 1000) / (Math.max(...times) - Math.min(...times));
      for (const { requestId } of quoted.slice(-20)) await world.becomes({ requestId }, 'success', 60_000);
      await pause(5_000);
      const found = await fillsPerOrder(to, orders);
      const once = [...found.values()].filter((times) => times === 1).length;
      const goal = Math.min(PER_SECOND, ceiling);
      return [
        { name: 'messages of the same kind a second, made beforehand (baseline)', value: ceiling.toFixed(1) },
        { name: 'deposits a second', value: offered.toFixed(1), goal: `${PER_SECOND}` },
        { name: 'fills on the chain', value: `${fills.seen.size} of ${count}`, ok: fills.seen.size === count },
        {
          name: 'fills a second',
          value: `${filled.toFixed(1)}, ${(filled / ceiling).toFixed(2)} of the baseline`,
          ratio: filled / ceiling,
          goal: `${PER_SECOND} a second or the baseline, whichever is lower`,
          // First and last are seen to within a slot or two.
          ok: filled >= 0.95 * goal,
        },
        { name: 'messages that carried them', value: `${fills.messages.size}` },
        { name: 'deposit to fill confirmed, p50', value: ms(percentile(lags, 0.5)) },
        { name: 'deposit to fill confirmed, p99', value: ms(percentile(lags, 0.99)) },
        {
          name: 'orders filled exactly once, by memos on the chain',
          value: `${once} of ${count}`,
          ok: once === count && found.size === count,
        },
        { name: 'processor time of the service, a fill', value: ms(spent / count) },
        { name: 'service RSS after the burst', value: `${rssOf(world.service.pid).toFixed(0)} MB` },
      ];
    } finally {
      await world.close();
    }
  },
};

/** Rate at which the node accepts presigned messages of the same kind as fills. */
async function ceilingOf(side: SvmSide, count: number): Promise<number> {
  const { privateKey } = await side.payer();
  const payer = Keypair.fromSecretKey(bs58.decode(privateKey));
  const recent = await blockhash(side);
  const all = Array.from({ length: count }, (_, n) => {
    const toPubkey = Keypair.generate().publicKey;
    const memo = Buffer.from(`0x${n.toString(16).padStart(64, '0')}`);
    return sign(
      payer,
      [
        ComputeBudgetProgram.setComputeUnitLimit({ units: 50_000 }),
        ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1_000 }),
        SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey, lamports: 1_000_000 + n }),
        new TransactionInstruction({ programId: MEMO, keys: [], data: memo }),
      ],
      recent,
    );
  });
  const start = performance.now();
  let next = 0;
  const work = async () => {
    for (let one = all[next++]; one !== undefined; one = all[next++]) await send(side, one);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return (count * 1000) / (performance.now() - start);
}

/** User and system time, in Linux ticks of 10 ms. */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
