import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newUser } from '../support/wallet.js';
import type { World } from '../support/world.js';
import { beginProfile, DEPLOYED_OPTIONS } from './deployed.js';
import type { LoadPlan, LoadResult } from './http-load.js';
import { cpuMs, loadFrom, pinServer, unpinServer } from './pinned.js';
import { proxiedWorld } from './proxied-world.js';
import { type Bench, type Figure, ms } from './report.js';

const SECONDS = 6;
/** A quote runs far more code than bare koa: after 3 s it still takes 700 to 800 us, after 12 s 500. */
const WARMUP_SECONDS = 12;
const CONNECTIONS = 32;

const GOALS = { plain: 0.2, signed: 0.1 } as const;

/**
 * Alternates with bare koa + router + ajv on the same core, and with the same plus a durable row and an answer of a quote's
 * size. All run with the options of `config/deploy`.
 */
export const quoteBench: Bench = {
  name: 'quote',
  about: 'POST /quote/v2 against bare koa + router + ajv, one core each in turn',
  async run() {
    const { world, proxies, close } = await proxiedWorld();
    try {
      for (const chain of world.chains) await chain.client.setIntervalMining({ interval: 1 });
      const pinned = pinServer(world.service.pid);
      const bodies = quoteBodies(world);
      const baseline = await measureBaseline(bodies, 'baseline-server.ts');
      const durable = await measureDurable(world, bodies);
      const at = (path: string, extra: object): LoadPlan => ({
        host: '127.0.0.1',
        port: world.port,
        path,
        bodies: bodies.map((body) => JSON.stringify({ ...body, ...extra })),
        connections: CONNECTIONS,
        warmupSeconds: WARMUP_SECONDS,
        seconds: SECONDS,
      });
      const calls = () => [...proxies.values()].reduce((sum, proxy) => sum + proxy.count(), 0);
      const idleFrom = calls();
      await new Promise((resolve) => setTimeout(resolve, SECONDS * 1000));
      const idle = calls() - idleFrom;
      const loadedFrom = calls();
      const loadedAt = performance.now();
      beginProfile(world.service.pid);
      const plain = await withCpu(world.service.pid, () => loadFrom(at('/quote/v2', {})));
      const loaded = ((calls() - loadedFrom) * SECONDS * 1000) / (performance.now() - loadedAt);
      const signed = await withCpu(world.service.pid, () => loadFrom(at('/quote/v2', { includeProtocolData: true })));
      // Throughput is measured on one core; latency as deployed, with the store's threads on the other.
      unpinServer(world.service.pid);
      const half = await loadFrom({ ...at('/quote/v2', {}), rate: plain.perSecond / 2 });
      return figures({ baseline, durable, plain, signed, half, idle, loaded, pinned });
    } finally {
      await close();
    }
  },
};

type Costed = LoadResult & { readonly cpuUs: number };

async function withCpu(pid: number, run: () => Promise<LoadResult>): Promise<Costed> {
  const before = cpuMs(pid);
  const result = await run();
  return { ...result, cpuUs: ((cpuMs(pid) - before) * 1000) / result.served };
}

function figures(seen: {
  baseline: Costed;
  durable: Costed;
  plain: Costed;
  signed: Costed;
  half: LoadResult;
  idle: number;
  loaded: number;
  pinned: boolean;
}): Figure[] {
  const { baseline, durable, plain, signed, half, idle, loaded } = seen;
  const ratio = plain.perSecond / baseline.perSecond;
  const signedRatio = signed.perSecond / baseline.perSecond;
  const share = Math.max(0, loaded - idle) / plain.ok;
  const refused = [plain, signed, half];
  const refusals = refused.reduce((sum, { notOk }) => sum + notOk, 0);
  const refusal = refused.find((each) => each.refusal !== undefined)?.refusal;
  return [
    { name: 'one core each', value: seen.pinned ? 'yes' : 'no (taskset is missing): ratios are only indicative' },
    { name: 'baseline', value: `${baseline.perSecond.toFixed(0)} requests/s` },
    { name: 'quotes', value: `${plain.perSecond.toFixed(0)}/s, p50 ${ms(plain.p50)}, p99 ${ms(plain.p99)}` },
    {
      name: 'quotes / baseline',
      value: ratio.toFixed(3),
      ...{ ratio, baseline: baseline.perSecond },
      ...{ goal: `>= ${GOALS.plain}`, ok: ratio >= GOALS.plain },
    },
    {
      name: 'durable baseline: the same answer and a committed row',
      value: `${durable.perSecond.toFixed(0)}/s, ${(durable.perSecond / baseline.perSecond).toFixed(3)} of the baseline`,
    },
    {
      name: 'quotes / durable baseline',
      value: (plain.perSecond / durable.perSecond).toFixed(3),
      ...{ ratio: plain.perSecond / durable.perSecond, baseline: durable.perSecond },
    },
    {
      name: 'processor time per request',
      value: `${plain.cpuUs.toFixed(0)} us, signed ${signed.cpuUs.toFixed(0)} us, baselines ${baseline.cpuUs.toFixed(0)} and ${durable.cpuUs.toFixed(0)} us`,
    },
    { name: 'signed quotes', value: `${signed.perSecond.toFixed(0)}/s, p50 ${ms(signed.p50)}, p99 ${ms(signed.p99)}` },
    {
      name: 'signed / baseline',
      value: signedRatio.toFixed(3),
      ...{ ratio: signedRatio, baseline: baseline.perSecond },
      goal: `>= ${GOALS.signed}`,
      ok: signedRatio >= GOALS.signed,
    },
    {
      name: 'p99 at half that peak, all cores',
      value: `${ms(half.p99)} at ${half.perSecond.toFixed(0)}/s`,
      goal: '<= 25 ms',
    },
    {
      name: 'answers that were not 200',
      value: refusal === undefined ? '0' : `${refusals}, the first: ${refusal}`,
      goal: '0',
      ok: refusals === 0,
    },
    {
      name: 'RPC calls',
      value: `${loaded.toFixed(0)} in ${SECONDS} s with ${plain.ok} quotes, ${idle} in ${SECONDS} s without any`,
      goal: 'none per quote',
      ok: share < 0.02,
    },
  ];
}

async function measureDurable(world: World, bodies: readonly object[]): Promise<Costed> {
  const answer = await fetch(`http://127.0.0.1:${world.port}/quote/v2`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(bodies[0]),
  });
  if (!answer.ok) throw new Error(`a quote was refused: ${await answer.text()}`);
  const folder = mkdtempSync(join(tmpdir(), 'quote-bench-'));
  try {
    writeFileSync(join(folder, 'answer.json'), await answer.text());
    return await measureBaseline(bodies, 'durable-baseline-server.ts', folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureBaseline(bodies: readonly object[], name: string, ...args: string[]): Promise<Costed> {
  const script = fileURLToPath(new URL(`./${name}`, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: DEPLOYED_OPTIONS },
  });
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const pid = child.pid ?? 0;
    pinServer(pid);
    return await withCpu(pid, () =>
      loadFrom({
        host: '127.0.0.1',
        port: Number(line.toString('utf8')),
        path: '/quote/v2',
        bodies: bodies.map((body) => JSON.stringify(body)),
        connections: CONNECTIONS,
        warmupSeconds: WARMUP_SECONDS,
        seconds: SECONDS,
      }),
    );
  } finally {
    child.kill('SIGTERM');
  }
}

function quoteBodies(world: World): object[] {
  return Array.from({ length: 64 }, (_, index) => ({
    user: newUser().address,
    recipient: newUser().address,
    originChainId: index % 2 === 0 ? world.a.id : world.b.id,
    destinationChainId: index % 2 === 0 ? world.b.id : world.a.id,
    originCurrency: world.a.currency(index % 3 === 0 ? 'ETH' : 'USDC'),
    destinationCurrency: world.a.currency(index % 3 === 1 ? 'ETH' : 'USDC'),
    amount: String(index % 3 === 0 ? 10n ** 16n + BigInt(index) : 50_000_000n + BigInt(index)),
    tradeType: 'EXACT_INPUT',
  }));
}
