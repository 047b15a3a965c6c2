import { readFileSync } from 'node:fs';
import { Keypair, SystemProgram } from '@solana/web3.js';
import bs58 from 'bs58';
import { parseEther } from 'viem';
import type { SvmSide } from '../support/families/svm-side.js';
import { FamiliesWorld } from '../support/families/world.js';
import { walletOf } from '../support/wallet.js';
import { rssOf } from './burst.js';
import { withHighLimits } from './high-limits.js';
import { type Bench, ms, percentile } from './report.js';
import { blockhash, fillsPerOrder, orderInMessage, pause, quotes, send, sign } from './svm-crowd.js';

const PER_SECOND = 50;
const SECONDS = 10;
const SLOT_MS = 400;
const AT_ONCE = 8;
const PLAIN = 300;

/** Many fills through one signer without numbers: each is its own message, none is lost and none is doubled. */
export const svmBurstBench: Bench = {
  name: 'svm-burst',
  about: `second family: ${PER_SECOND} fills a second for ${SECONDS} s, one solver signer`,
  async run() {
    const world = await FamiliesWorld.start({
      ...{ proxied: true, slotMs: SLOT_MS, quoteValidityMs: 600_000, orderTtl: '600s', edit: withHighLimits },
    });
    try {
      // On the other node, so that the one that takes the fills is fresh.
      const ceiling = await plainRate(world.s);
      const rate = Math.min(PER_SECOND, Math.floor(ceiling));
      const { evm: from, t: to } = world;
      const user = await from.payer(from.coin);
      const count = rate * SECONDS;
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
      const proxy = world.proxy(to);
      const processor = processorMs(world.service.pid);
      const first = proxy.calls.length;
      const paid = new Map<string, number>();
      const start = performance.now();
      for (const [index, serializedTransaction] of raws.entries()) {
        await pause(Math.max(0, start + (index * 1000) / rate - performance.now()));
        await from.chain.client.sendRawTransaction({ serializedTransaction });
        paid.set(quoted[index]?.orderId ?? '', performance.now());
      }
      const offered = (count * 1000) / (performance.now() - start);
      const orders = new Set(quoted.map(({ orderId }) => orderId));
      const sent = new Map<string, number>();
      const deadline = performance.now() + 60_000;
      for (let read = first; sent.size < count && performance.now() < deadline; await pause(20)) {
        for (; read < proxy.calls.length; read += 1) {
          const call = proxy.calls[read];
          if (call?.method !== 'sendTransaction') continue;
          const order = orderInMessage(String(call.params[0]), orders);
          if (order !== undefined && !sent.has(order)) sent.set(order, call.at);
        }
      }
      const spent = processorMs(world.service.pid) - processor;
      const asked = new Map<string, number>();
      for (const { method } of proxy.calls.slice(first)) asked.set(method, (asked.get(method) ?? 0) + 1);
      const most = [...asked].sort(([, a], [, b]) => b - a).slice(0, 5);
      const lags = [...sent].map(([order, at]) => at - (paid.get(order) ?? Number.NaN));
      const times = [...sent.values()];
      const filled = ((sent.size - 1) * 1000) / (Math.max(...times) - Math.min(...times));
      for (const { requestId } of quoted.slice(-20)) await world.becomes({ requestId }, 'success', 60_000);
      await pause(5_000);
      const found = await fillsPerOrder(to, orders);
      const once = [...found.values()].filter((times) => times === 1).length;
      return [
        { name: 'plain transfers a second, 8 at once (baseline)', value: ceiling.toFixed(0) },
        { name: 'deposits a second', value: offered.toFixed(1), goal: `${rate}` },
        { name: 'fills sent', value: `${sent.size} of ${count}`, ok: sent.size === count },
        {
          name: 'fills a second',
          value: filled.toFixed(1),
          goal: `${rate} a second or the baseline, less a tenth`,
          ok: filled >= 0.9 * Math.min(rate, offered),
        },
        { name: 'deposit to fill, p50', value: ms(percentile(lags, 0.5)) },
        { name: 'deposit to fill, p99', value: ms(percentile(lags, 0.99)) },
        {
          name: 'orders filled exactly once, by memos on the chain',
          value: `${once} of ${count}`,
          ok: once === count && found.size === count,
        },
        {
          name: 'RPC calls until the last fill',
          value: `${[...asked.values()].reduce((sum, n) => sum + n, 0)}: ${most.map((one) => one.join(' ')).join(', ')}`,
        },
        { name: 'processor time of the service, a fill', value: ms(spent / count) },
        { name: 'service RSS after the burst', value: `${rssOf(world.service.pid).toFixed(0)} MB` },
      ];
    } finally {
      await world.close();
    }
  },
};

/** What the node takes of a simple sender's plain transfers. */
async function plainRate(side: SvmSide): Promise<number> {
  const { privateKey } = await side.payer();
  const payer = Keypair.fromSecretKey(bs58.decode(privateKey));
  const recent = await blockhash(side);
  const all = Array.from({ length: PLAIN }, (_, n) => {
    const toPubkey = Keypair.generate().publicKey;
    return sign(
      payer,
      [SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey, lamports: 1_000_000 + n })],
      recent,
    );
  });
  const start = performance.now();
  let next = 0;
  const work = async () => {
    for (let one = all[next++]; one !== undefined; one = all[next++]) await send(side, one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return (PLAIN * 1000) / (performance.now() - start);
}

/** User and system, in the ticks of 10 ms that Linux counts. */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
