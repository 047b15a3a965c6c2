import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { freePorts } from '@causeway/core/testing';
import { devnet as evm } from '@causeway/plugin-evm/devnet';
import { devnet as ton } from '@causeway/plugin-tonvm/devnet';
import { LocalBuild, type LocalSide } from '../support/local-build.js';
import { until } from '../support/until.js';
import { rssOf } from './burst.js';
import { type InUse, inUse } from './in-use.js';
import { type Bench, type Figure, ms, percentile } from './report.js';

const POLL_MS = 50;
const BLOCK_MS = 400;
const DEPOSITS = 30;
/** Unmeasured, so that code is compiled and connections are open. */
const WARM_UP = 5;
const FILLS = 100;
const MAX_ORDERS = 2;
const FOREIGN_TRANSACTIONS = 10_000;
const BATCH_SIZE = 100;
const MAX_CHAIN_MB = 300;
const MAX_GROWTH_MB = 40;

/** A service between TON and an EVM chain: latency of fills in both directions, and memory. */
export const tonBench: Bench = {
  name: 'ton',
  about: `TON: a block has the deposit -> fill sent, ${POLL_MS} ms polls, ${BLOCK_MS} ms blocks; ${FILLS} fills at once; memory over ${FOREIGN_TRANSACTIONS} transactions`,
  async run() {
    const port = await freePorts();
    const build = await LocalBuild.start(
      'ton.yaml',
      (text) =>
        text.replaceAll('blockTimeMs: 1000', `blockTimeMs: ${BLOCK_MS}`).replace('pollMs: 250', `pollMs: ${POLL_MS}`),
      { NODE_OPTIONS: `--inspect-port=${port}` },
    );
    try {
      const sides = { here: build.side(224235520, ton), there: build.side(31337, evm) };
      return [
        ...(await latency(build, sides)),
        ...(await batches(build, sides)),
        ...(await memory(build, sides.here, port)),
      ];
    } finally {
      await build.stop();
    }
  },
};

interface Sides {
  readonly here: LocalSide;
  readonly there: LocalSide;
}

async function ask<T>(url: string, method: string, params: unknown): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return ((await response.json()) as { readonly result: T }).result;
}

async function report(side: LocalSide, what: string, given: object = {}): Promise<void> {
  const response = await fetch(new URL(`/dev/${what}`, side.chain.rpcUrl), {
    method: 'POST',
    body: JSON.stringify(given),
  });
  if (!response.ok) throw new Error(`${what}: ${response.status}`);
}

/** Polls without pause until the response changes; resolves with the time of that response. */
async function change<T>(read: () => Promise<T>, from: T): Promise<number> {
  for (const end = performance.now() + 60_000; performance.now() < end; await pause(2))
    if ((await read()) !== from) return performance.now();
  throw new Error('nothing came of it');
}

/**
 * Sequential, as an observer of both chains sees it: the deposit's block, and the fill in the other chain's mempool.
 */
async function latency(build: LocalBuild, { here, there }: Sides): Promise<readonly Figure[]> {
  const [payer] = here.accounts;
  const recipient = there.accounts[1]?.address;
  if (payer === undefined || recipient === undefined) throw new Error('no payer');
  const { depository = '' } = here.chain.contracts;
  const filler = (await build.rest.audit()).lanes.find(({ chainId }) => chainId === there.chain.id)?.signer ?? '';
  const newest = async () =>
    (
      await ask<{ readonly last_transaction_id: { readonly lt: string } }>(here.chain.rpcUrl, 'getAddressInformation', {
        address: depository,
      })
    ).last_transaction_id.lt;
  const sent = () => ask<string>(there.chain.rpcUrl, 'eth_getTransactionCount', [filler, 'pending']);
  const took: number[] = [];
  for (let n = 0; n < WARM_UP + DEPOSITS; n += 1) {
    const wish = { from: here, to: there, input: 'TON', output: 'USDC', amount: 5n * 10n ** 9n, payer, recipient };
    const { quote, requestId } = await build.quote(wish);
    const [lt, count] = [await newest(), await sent()];
    const [paidAt, filledAt] = await Promise.all([change(newest, lt), change(sent, count), here.pay(payer, quote)]);
    if (n >= WARM_UP) took.push(filledAt - paidAt);
    await build.ends(requestId, 'success');
  }
  const began = performance.now();
  for (let n = 0; n < 50; n += 1) await newest();
  const trip = (performance.now() - began) / 50;
  const [p50, p99] = [percentile(took, 0.5), percentile(took, 0.99)];
  return [
    { name: 'one request to the chain (baseline)', value: ms(trip) },
    {
      name: 'block with the deposit to fill sent, p50',
      value: `${ms(p50)}, ${(p50 / trip).toFixed(0)} requests`,
      ...{ goal: `the poll's ${POLL_MS} ms and 100 ms, or 60 requests`, ok: p50 <= Math.max(POLL_MS + 100, 60 * trip) },
    },
    { name: 'p99', value: ms(p99) },
  ];
}

async function batches(build: LocalBuild, { here, there }: Sides): Promise<readonly Figure[]> {
  const { inventory = '' } = here.chain.contracts;
  const orders = async () => {
    const reported = await ask<{ readonly stack: readonly (readonly [string, string])[] }>(
      here.chain.rpcUrl,
      'runGetMethod',
      { address: inventory, method: 'seqno', stack: [] },
    );
    return Number(reported.stack[0]?.[1]);
  };
  const payers = there.accounts.slice(0, 5);
  const recipient = here.accounts[1]?.address ?? '';
  const quoted = await Promise.all(
    Array.from({ length: FILLS }, async (_, n) => {
      const payer = payers[n % payers.length];
      if (payer === undefined) throw new Error('no payer');
      const wish = { from: there, to: here, input: 'ETH', output: 'TON', amount: 10n ** 15n, payer, recipient };
      return { payer, ...(await build.quote(wish)) };
    }),
  );
  const before = await orders();
  await ask(there.chain.rpcUrl, 'evm_setIntervalMining', [0]);
  for (const { quote } of quoted)
    for (const { items } of quote.steps)
      for (const { data } of items) {
        const { from, to, data: input, value } = data;
        const transaction = { from, to, input, value: `0x${BigInt(value).toString(16)}` };
        await ask(there.chain.rpcUrl, 'eth_sendTransaction', [transaction]);
      }
  await until('all of them wait', async () => {
    const { pending } = await ask<{ readonly pending: string }>(there.chain.rpcUrl, 'txpool_status', []);
    return Number(pending) >= FILLS;
  });
  await ask(there.chain.rpcUrl, 'evm_setIntervalMining', [1]);
  for (const { requestId } of quoted) await build.ends(requestId, 'success');
  const sent = (await orders()) - before;
  return [
    {
      name: `${FILLS} fills of one block`,
      value: `${sent} orders of the wallet`,
      ...{ goal: `<= ${MAX_ORDERS}`, ok: sent <= MAX_ORDERS },
    },
  ];
}

/**
 * Third parties send the depository dust in separate transactions, which the service reads. Memory in use after a
 * garbage collection decides; resident memory is only printed.
 */
async function memory(build: LocalBuild, here: LocalSide, port: number): Promise<readonly Figure[]> {
  const { depository = '' } = here.chain.contracts;
  const chain = build.chainPids.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('tonvm/devnet'));
  if (chain === undefined) throw new Error('the local chain has no process');
  const spend = async (count: number) => {
    for (let n = 0; n < count; n += BATCH_SIZE) {
      const source = here.accounts[n % here.accounts.length]?.address;
      await Promise.all(
        Array.from({ length: BATCH_SIZE }, () =>
          report(here, 'forge', { source, destination: depository, amount: '1000000', bounce: false }),
        ),
      );
      await pause(BLOCK_MS);
    }
    await pause(10 * BLOCK_MS);
  };
  const held = async () => ({ rss: rssOf(build.servicePid), ...(await inUse(build.servicePid, port)) });
  const text = ({ rss, heap, external, reserved, resident }: InUse & { readonly rss: number }) =>
    `${(heap + external).toFixed(1)} MB in use, ${reserved.toFixed(0)} MB reserved for the heap; resident ${rss.toFixed(0)} MB before its garbage was collected and ${resident.toFixed(0)} MB after`;
  await spend(FOREIGN_TRANSACTIONS / 4);
  const early = await held();
  await spend((FOREIGN_TRANSACTIONS * 3) / 4);
  const [late, facade] = [await held(), rssOf(chain)];
  const grown = late.heap + late.external - early.heap - early.external;
  return [
    { name: `service after ${FOREIGN_TRANSACTIONS / 4} transactions`, value: text(early) },
    {
      name: `and after ${FOREIGN_TRANSACTIONS}`,
      value: text(late),
      ...{ goal: `${MAX_GROWTH_MB} MB more in use at most`, ok: grown <= MAX_GROWTH_MB },
    },
    {
      name: 'local chain after them',
      value: `${facade.toFixed(0)} MB`,
      ...{ goal: `<= ${MAX_CHAIN_MB} MB`, ok: facade <= MAX_CHAIN_MB },
    },
  ];
}
