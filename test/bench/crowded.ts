import { existsSync, readFileSync, statSync } from 'node:fs';
import { parseEther } from 'viem';
import { crowd, MAX_INIT_CODE } from '../../plugins/evm/test/support/crowd.js';
import { API_KEY } from '../support/config.js';
import { newUser, walletOf } from '../support/wallet.js';
import { World } from '../support/world.js';
import { type Bench, ms } from './report.js';

const DEPOSITS = Number(process.env.BENCH_DEPOSITS ?? 220);
const EVENTS = Number(process.env.BENCH_EVENTS ?? 6_000);
const PAGE_SIZE = 50;
const MAX_DATABASE_MB = 16;
const MAX_PAGE_MB = 2;

/**
 * One third-party transaction with many deposits, `Transfer` events of a made-up token and maximal calldata: what the
 * service stores, and the cost of reporting it.
 */
export const crowdedBench: Bench = {
  name: 'crowded',
  about: `one transaction with ${DEPOSITS} deposits, ${EVENTS} events of a made-up token and ${MAX_INIT_CODE} bytes of calldata`,
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
        data: crowd({
          depository: a.depository,
          depositor: user.address,
          amount: each,
          deposits: DEPOSITS,
          events: EVENTS,
        }),
        value: each * BigInt(DEPOSITS),
        gas: 29_000_000n,
        to: null,
      });
      const receipt = await a.receipt(hash);
      const began = performance.now();
      for (;;) {
        const { body } = await rest.call<{ readonly requests?: readonly { data: { inTxs: { data: unknown }[] } }[] }>(
          'GET',
          `/requests/v3?limit=${PAGE_SIZE}&sortDirection=asc&depositTxHash=${hash}`,
          { key: API_KEY },
        );
        const reported = (body.requests ?? []).filter(({ data }) => data.inTxs[0]?.data);
        if (reported.length === Math.min(PAGE_SIZE, DEPOSITS) || performance.now() - began > 120_000) break;
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        if (performance.now() - began > 5_000) await a.client.mine({ blocks: 1 });
      }
      await new Promise((resolve) => setTimeout(resolve, 15_000));
      const page = await fetch(`${rest.baseUrl}/requests/v3?limit=${PAGE_SIZE}`, { headers: { 'x-api-key': API_KEY } });
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
          goal: `<= ${MAX_DATABASE_MB} MB`,
          ok: grown <= MAX_DATABASE_MB,
        },
        {
          name: 'memory before, after, at most',
          value: [before.memory, now, peak].map((kb) => mb(kb / 1e3)).join(', '),
        },
        {
          name: `a page of ${PAGE_SIZE} requests`,
          value: mb(bytes / 1e6),
          goal: `<= ${MAX_PAGE_MB} MB`,
          ok: bytes / 1e6 <= MAX_PAGE_MB,
        },
        { name: 'longest answer of GET /lives meanwhile', value: ms(longest) },
      ];
    } finally {
      await world.close();
    }
  },
};

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

function memoryOf(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? Number.NaN);
  return { now: of('VmRSS'), peak: of('VmHWM') };
}
