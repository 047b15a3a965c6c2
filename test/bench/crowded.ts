import { existsSync, readFileSync, statSync } from 'node:fs';
import { type Address, encodeFunctionData, type Hex, numberToHex, parseEther } from 'viem';
import { depositAbi } from '../support/chain.js';
import { API_KEY } from '../support/config.js';
import { newUser, walletOf } from '../support/wallet.js';
import { World } from '../support/world.js';
import { type Bench, ms } from './report.js';

const DEPOSITS = Number(process.env.BENCH_DEPOSITS ?? 220);
const EVENTS = Number(process.env.BENCH_EVENTS ?? 6_000);
/** Of contract creations (EIP-3860). */
const MOST_INIT_CODE = 49_152;
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const PAGE = 50;
const MOST_DATABASE_MB = 16;
const MOST_PAGE_MB = 2;

/**
 * One transaction of a stranger with many deposits, many `Transfer` events of a made-up token and as much calldata as a creation may have:
 * what the service keeps of it, and what it costs to tell of it.
 */
export const crowdedBench: Bench = {
  name: 'crowded',
  about: `one transaction with ${DEPOSITS} deposits, ${EVENTS} events of a made-up token and ${MOST_INIT_CODE} bytes of calldata`,
  async run() {
    const world = await World.start();
    try {
      const { a, rest, home, service } = world;
      const size = () => sizeOf(home.database) + sizeOf(`${home.database}-wal`);
      const before = { database: size(), memory: memoryOf(service.pid).now };
      const stops = watchStops(`${rest.baseUrl}/lives`);
      const user = newUser();
      await a.client.setBalance({ address: user.address, value: parseEther('1000') });
      const each = parseEther('0.01');
      const hash = await walletOf(a, user).sendTransaction({
        data: crowd(a.depository, user.address, each),
        value: each * BigInt(DEPOSITS),
        gas: 29_000_000n,
        to: null,
      });
      const receipt = await a.receipt(hash);
      const began = performance.now();
      for (;;) {
        const { body } = await rest.call<{ readonly requests?: readonly { data: { inTxs: { data: unknown }[] } }[] }>(
          'GET',
          `/requests/v3?limit=${PAGE}&sortDirection=asc&depositTxHash=${hash}`,
          { key: API_KEY },
        );
        const told = (body.requests ?? []).filter(({ data }) => data.inTxs[0]?.data);
        if (told.length === Math.min(PAGE, DEPOSITS) || performance.now() - began > 120_000) break;
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        if (performance.now() - began > 5_000) await a.client.mine({ blocks: 1 });
      }
      await new Promise((resolve) => setTimeout(resolve, 15_000));
      const page = await fetch(`${rest.baseUrl}/requests/v3?limit=${PAGE}`, { headers: { 'x-api-key': API_KEY } });
      const bytes = (await page.arrayBuffer()).byteLength;
      const longest = stops.end();
      const { now, peak } = memoryOf(service.pid);
      const grown = (size() - before.database) / 1e6;
      const mb = (value: number) => `${value.toFixed(1)} MB`;
      return [
        { name: 'gas of the transaction', value: `${receipt.gasUsed}` },
        {
          name: 'database, grown by',
          value: mb(grown),
          goal: `<= ${MOST_DATABASE_MB} MB`,
          ok: grown <= MOST_DATABASE_MB,
        },
        {
          name: 'memory before, after, at most',
          value: [before.memory, now, peak].map((kb) => mb(kb / 1e3)).join(', '),
        },
        {
          name: `a page of ${PAGE} requests`,
          value: mb(bytes / 1e6),
          goal: `<= ${MOST_PAGE_MB} MB`,
          ok: bytes / 1e6 <= MOST_PAGE_MB,
        },
        { name: 'longest answer of GET /lives meanwhile', value: ms(longest) },
      ];
    } finally {
      await world.close();
    }
  },
};

/** Init code: a loop of deposits, each of an order id of its own, and a loop of events; the rest is filled up. */
function crowd(depository: Address, depositor: Address, amount: bigint): Hex {
  const call = encodeFunctionData({
    abi: depositAbi,
    functionName: 'depositNative',
    args: [depositor, numberToHex(1n << 200n, { size: 32 })],
  }).slice(2);
  const push = (value: bigint | number, bytes: number): string =>
    `${(0x60 + bytes - 1).toString(16)}${value.toString(16).padStart(bytes * 2, '0')}`;
  const copy = (at: number) => `${push(68, 1)}${push(at, 2)}${push(0, 1)}39`;
  // Each loop counts down to zero on the stack; the counter is in the order id, and in the topics.
  const loop = (times: number, at: number, body: string) =>
    `${push(times, 2)}5b${body}60019003${'80'}${push(at + 3, 2)}5750`;
  const deposit = `80${push(1n << 200n, 32)}01602452${push(0, 1)}${push(0, 1)}${push(68, 1)}${push(0, 1)}${push(amount, 32)}${push(BigInt(depository), 20)}5af11561000057`;
  const event = `80${push(1n << 150n, 20)}01${'81'}${push(1n << 152n, 20)}017f${TRANSFER}60206024a3`;
  const assemble = (dataAt: number) => {
    const start = copy(dataAt);
    const first = start + loop(DEPOSITS, start.length / 2, deposit);
    return `${first}${loop(EVENTS, first.length / 2, event)}00`;
  };
  const code = `${assemble(assemble(0).length / 2)}${call}`;
  return `0x${code}${'5b'.repeat(MOST_INIT_CODE - code.length / 2)}`;
}

/** Longest time in which the service answered nothing, by asking it again and again. */
function watchStops(url: string): { end(): number } {
  let [over, longest] = [false, 0];
  void (async () => {
    while (!over) {
      const from = performance.now();
      await fetch(url).then((answer) => answer.arrayBuffer());
      longest = Math.max(longest, performance.now() - from);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })().catch(() => undefined);
  return {
    end: () => {
      over = true;
      return longest;
    },
  };
}

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

/** Of a process, in kB. */
function memoryOf(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? Number.NaN);
  return { now: of('VmRSS'), peak: of('VmHWM') };
}
