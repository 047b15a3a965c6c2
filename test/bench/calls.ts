import { encodeFunctionData } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { storeOn } from '../../core/test/store/sqlite-harness.js';
import { batcher } from '../../plugins/evm/src/generated/contracts.js';
import { addSponsor } from '../support/app-balance.js';
import { deploy } from '../support/contracts.js';
import { newAddress } from '../support/wallet.js';
import { World } from '../support/world.js';
import { beginProfile, DEPLOYED } from './deployed.js';
import { withHighLimits } from './high-limits.js';
import { cpuMs } from './pinned.js';
import { type Bench, ms, percentile } from './report.js';

/** Requests a second; fewer where other work shares the machine. */
const PER_SECOND = Number(process.env.BENCH_REQUESTS ?? 200);
const SECONDS = 10;
const WARM_UP_SECONDS = 8;
const GOAL_MS = 60;
const CHUNK = 100;
const MORE = Array.from({ length: 3 }, (_, n) => ({ name: `executor-${n + 2}`, key: generatePrivateKey() }));

/** Raw calls at a fixed rate through four executors on one chain with 1 s blocks; simulated by the node. */
export const callsBench: Bench = {
  name: 'calls',
  about: `${PER_SECOND} sponsored calls a second through four executors, 1 s blocks`,
  async run() {
    const world = await World.prepare({ gasless: true, edit: (document) => withHighLimits(withMore(document)) });
    try {
      for (const { name, key } of MORE) {
        world.home.secret(`keys/${name}`, key);
        for (const { client } of world.chains)
          await client.setBalance({ address: privateKeyToAccount(key).address, value: 10n ** 20n });
      }
      await world.b.client.setBalance({ address: world.keys.executor.address, value: 10n ** 20n });
      const sponsor = await addSponsor(world, 10n ** 12n, newAddress().toLowerCase());
      const to = await deploy(world.b, batcher);
      await world.boot(DEPLOYED);
      await world.b.client.setIntervalMining({ interval: 1 });
      const data = encodeFunctionData({ abi: batcher.abi, functionName: 'execute', args: [[]] });
      const askedAt = new Map<string, number>();
      const ask = async () => {
        const from = Date.now();
        const id = await post(world.rest.baseUrl, sponsor.apiKey, { chainId: world.b.id, to, data, value: '0' });
        if (id !== undefined) askedAt.set(id, from);
        return id !== undefined;
      };
      // The compiler's threads take a third of a core in the first ten seconds.
      await atRate(PER_SECOND, WARM_UP_SECONDS, ask);
      await pause(2_000);
      askedAt.clear();
      const baseline = await atRate(PER_SECOND, 3, () => world.b.client.call({ to, data }).then(() => true));
      const sent = await sentBy(world);
      const pids = [world.service.pid, world.nodes[1]?.pid ?? 0];
      const before = pids.map(cpuMs);
      beginProfile(world.service.pid);
      const made = await atRate(PER_SECOND, SECONDS, ask);
      const asked = PER_SECOND * SECONDS;
      const broadcast = await untilAll(world, sent + made.good);
      await pause(2_000);
      const [own, node] = pids.map((pid, n) => (cpuMs(pid) - (before[n] ?? 0)) / made.good);
      await world.service.stop();
      const untilSent = await sentAfter(world, askedAt);
      return [
        { name: 'a call tried at the node alone (baseline), p50', value: ms(percentile(baseline.times, 0.5)) },
        { name: 'accepted', value: `${made.good} of ${asked}`, goal: `${asked}` },
        { name: 'asked for within', value: ms(made.took), goal: `<= ${SECONDS * 1_100} ms` },
        { name: 'answer, p50', value: ms(percentile(made.times, 0.5)) },
        { name: 'answer, p99', value: ms(percentile(made.times, 0.99)) },
        { name: 'POST to broadcast, p50', value: ms(percentile(untilSent, 0.5)), goal: `<= ${GOAL_MS} ms` },
        { name: 'POST to broadcast, p99', value: ms(percentile(untilSent, 0.99)) },
        {
          name: 'broadcast',
          value: `${broadcast.count - sent} of ${made.good}`,
          ok: broadcast.count - sent === made.good,
        },
        { name: 'the last broadcast after the last answer', value: ms(broadcast.took) },
        { name: 'processor time of the service, per call', value: ms(own ?? 0) },
        { name: 'processor time of the node, per call', value: ms(node ?? 0) },
      ];
    } finally {
      await world.close();
    }
  },
};

function withMore(document: Record<string, unknown>): Record<string, unknown> {
  const [evm, ...others] = document.plugins as readonly { readonly options: { readonly signers: object } }[];
  const signers = { ...evm?.options.signers, executors: MORE.map(({ name }) => `file:keys/${name}`) };
  return { ...document, plugins: [{ ...evm, options: { ...evm?.options, signers } }, ...others] };
}

async function post(baseUrl: string, apiKey: string, data: object): Promise<string | undefined> {
  const headers = { 'content-type': 'application/json', 'x-api-key': apiKey };
  const body = JSON.stringify({ executionKind: 'rawCalls', data });
  const reply = await fetch(`${baseUrl}/execute`, { method: 'POST', headers, body });
  const answer = (await reply.json()) as { readonly requestId?: string };
  return reply.status === 200 ? answer.requestId : undefined;
}

/** Milliseconds from each request to its broadcast, as the service noted it: a node took the transaction. */
async function sentAfter(world: World, askedAt: ReadonlyMap<string, number>): Promise<readonly number[]> {
  const store = storeOn(world.home.database);
  await store.open();
  const times: number[] = [];
  const ids = [...askedAt.keys()] as `0x${string}`[];
  for (let n = 0; n < ids.length; n += CHUNK) {
    const views = await store.views(ids.slice(n, n + CHUNK));
    const hashes = new Map(views.flatMap(({ request, transactions: [one] }) => (one ? [[one.hash, request.id]] : [])));
    for (const { hash, sentAt } of await store.attemptsByHash(world.b.id, [...hashes.keys()])) {
      const from = askedAt.get(hashes.get(hash) ?? '');
      if (sentAt !== null && from !== undefined) times.push(sentAt - from);
    }
  }
  await store.close();
  return times;
}

async function atRate(rate: number, seconds: number, ask: () => Promise<boolean>) {
  const start = performance.now();
  const times: number[] = [];
  const answers = await Promise.all(
    Array.from({ length: rate * seconds }, async (_, n) => {
      await pause(start + (n * 1_000) / rate - performance.now());
      const from = performance.now();
      const good = await ask();
      times.push(performance.now() - from);
      return good;
    }),
  );
  return { times, good: answers.filter(Boolean).length, took: performance.now() - start };
}

async function sentBy(world: World): Promise<number> {
  const all = [world.keys.executor.address, ...MORE.map(({ key }) => privateKeyToAccount(key).address)];
  const counts = await Promise.all(
    all.map((address) => world.b.client.getTransactionCount({ address, blockTag: 'pending' })),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

async function untilAll(world: World, most: number) {
  const start = performance.now();
  let count = await sentBy(world);
  for (; count < most && performance.now() - start < 20_000; count = await sentBy(world)) await pause(20);
  return { count, took: performance.now() - start };
}

function pause(forMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, forMs)));
}
