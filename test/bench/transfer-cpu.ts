import { keccak256, toHex } from 'viem';
import { World } from '../support/world.js';
import { payer, type SignedDeposit, signDeposits, statuses } from './crowd.js';
import { withHighLimits } from './high-limits.js';
import { cpuMs } from './pinned.js';
import { type Bench, ms } from './report.js';

const TRANSFERS = Number(process.env.BENCH_REQUESTS ?? 300);
const WARM_UP = 40;
const PER_SECOND = 10;
const AMOUNT = 10n ** 15n;
const REST_MS = 10_000;
const MAX_MS = 120_000;
const GOAL = 6;

/**
 * Processor time of all threads of the service, from the quotes of some hundred transfers until the last is
 * collected. Idle usage is reported separately.
 */
export const transferCpuBench: Bench = {
  name: 'transfer-cpu',
  about: `processor time of ${TRANSFERS} transfers from quote to collect, ${PER_SECOND} a second, 1 s blocks`,
  async run() {
    const world = await World.start({
      ...{ quoteValidityMs: 600_000, orderTtl: '600s', collectEvery: '2s', collectMinUsd: '1' },
      edit: withHighLimits,
    });
    try {
      for (const chain of world.chains) await chain.client.setIntervalMining({ interval: 1 });
      await transfer(world, WARM_UP);
      const { pid } = world.service;
      const whenIdle = await measured(pid, () => pause(REST_MS));
      let deposits: readonly SignedDeposit[] = [];
      const before = baselineMs();
      const busy = await measured(pid, async () => {
        deposits = await transfer(world, TRANSFERS);
      });
      const baseline = (before + baselineMs()) / 2;
      const seen = await statuses(
        world,
        deposits.map(({ requestId }) => requestId),
      );
      const whole = busy.cpu / TRANSFERS;
      const own = (busy.cpu - (whenIdle.cpu * busy.ms) / whenIdle.ms) / TRANSFERS;
      return [
        { name: 'transfers', value: JSON.stringify(seen), ok: seen['success'] === TRANSFERS },
        { name: 'a thousand of keccak and JSON (baseline)', value: ms(baseline) },
        { name: 'when idle', value: `${((100 * whenIdle.cpu) / whenIdle.ms).toFixed(1)} % of a core` },
        { name: 'a transfer, with what the service takes when idle meanwhile', value: ms(whole) },
        {
          name: 'a transfer',
          value: `${ms(own)}, ${(own / baseline).toFixed(2)} of the baseline`,
          goal: `<= ${GOAL} ms`,
        },
      ];
    } finally {
      await world.close();
    }
  },
};

async function transfer(world: World, count: number): Promise<readonly SignedDeposit[]> {
  const { a, b } = world;
  const user = await payer(a);
  const from = await b.client.getBlockNumber({ cacheTime: 0 });
  const deposits = await signDeposits(world, a, b, user, count, AMOUNT);
  const start = performance.now();
  for (const [n, { raw }] of deposits.entries()) {
    await pause(start + (n * 1_000) / PER_SECOND - performance.now());
    await a.client.sendRawTransaction({ serializedTransaction: raw });
  }
  const last = deposits.at(-1)?.hash;
  if (last === undefined) throw new Error('no deposit was signed');
  await until(async () => (await a.client.getTransactionReceipt({ hash: last }).catch(() => undefined)) !== undefined);
  const orders = new Set<string>(deposits.map(({ orderId }) => orderId));
  await until(async () => {
    const logs = await b.client.getLogs({ address: b.router, fromBlock: from });
    const filled = logs.flatMap(({ topics }) => topics.filter((topic) => topic !== undefined && orders.has(topic)));
    return new Set(filled).size === count;
  });
  await until(async () => (await a.client.getBalance({ address: a.depository })) === 0n);
  return deposits;
}

async function measured(
  pid: number,
  task: () => Promise<void>,
): Promise<{ readonly cpu: number; readonly ms: number }> {
  const [cpu, start] = [cpuMs(pid), performance.now()];
  await task();
  return { cpu: cpuMs(pid) - cpu, ms: performance.now() - start };
}

/** Processor time of this process for a fixed amount of the service's most frequent work. */
function baselineMs(): number {
  const body = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`field${n}`, `${n}`.repeat(20)]));
  const from = process.cpuUsage();
  let seen = 0;
  for (let n = 0; n < 1_000; n += 1) {
    const text = JSON.stringify({ ...body, n });
    seen += keccak256(toHex(text)).length + Object.keys(JSON.parse(text) as object).length;
  }
  const { user, system } = process.cpuUsage(from);
  if (seen === 0) throw new Error('nothing was done');
  return (user + system) / 1_000;
}

function pause(forMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, forMs)));
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + MAX_MS; performance.now() < end; await pause(500)) if (await isSo()) return;
  throw new Error('the transfers did not get there in time');
}
