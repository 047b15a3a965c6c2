import { randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Transaction } from 'bitcoinjs-lib';
import { addressScript, encodeAddress } from '../../plugins/bvm/src/addresses.js';
import type { ChainView } from '../../plugins/bvm/src/chain-view.js';
import { scanBlock } from '../../plugins/bvm/src/raw/block.js';
import { manyTransactions } from '../../plugins/bvm/test/support/many.js';
import { type LocalNode, startNode, until } from '../../plugins/bvm/test/support/node.js';
import { addInput, ownKey } from '../../plugins/bvm/test/support/own-key.js';
import { Following, type Own, startView } from '../../plugins/bvm/test/support/view.js';
import { type Bench, type Figure, ms, percentile } from './report.js';

const TRANSACTIONS = 2_000;
const SCRIPTS = 100_000;
const DEPOSITS = 40;
const ROUNDS = 5;
const LIMIT_MS = 300;
const BLOCKS = 2_000;
const SIZE = 20_000;
const MEGABYTE = 1024 * 1024;

export const bvmBlocksBench: Bench = {
  name: 'bvm-blocks',
  about: `UTXO chains: a block of ${TRANSACTIONS} transactions for ${SCRIPTS} scripts; memory over ${BLOCKS} blocks`,
  async run() {
    const node = await startNode('bitcoin', { blocks: 60 });
    try {
      const own = { depository: await node.address(), lane: await node.address() };
      return [...(await speed(node, own)), ...(await memory(node, own))];
    } finally {
      await node.stop();
    }
  },
};

async function speed(node: LocalNode, own: Own): Promise<readonly Figure[]> {
  const { hexes, deposits } = await manyTransactions(node, own.depository, { count: TRANSACTIONS, deposits: DEPOSITS });
  const { view } = await startView(node, own);
  const watch = new Following(view);
  try {
    await until('the first batch', () => watch.batches.length > 0);
    for (let n = 0; n < SCRIPTS; n += 1) {
      const address = encodeAddress({ type: 'p2wpkh', payload: randomBytes(20) }, node.network);
      view.scripts.add({ role: 'depositAddress', address });
    }
    const rounds: number[] = [];
    let id = '';
    for (let n = 0; n < ROUNDS; n += 1) {
      if (id !== '') await node.rpc('invalidateblock', [id]);
      id = await node.mineOnly(hexes);
      const known = performance.now();
      view.feed.poke();
      await until('the block', () => watch.isAt(id));
      rounds.push(performance.now() - known);
    }
    const found = deposits.filter((txid) => watch.state(txid) === 'included').length;
    const { bytes, json, spent } = await readings(view, id);
    const round = percentile(rounds, 0.5);
    return [
      { name: 'deposits found', value: `${found} of ${DEPOSITS}`, ok: found === DEPOSITS },
      { name: 'the block as JSON, fetched and searched (baseline)', value: ms(json) },
      { name: 'as JSON with what is spent', value: ms(spent) },
      {
        name: 'as bytes, fetched, checked and searched',
        value: `${ms(bytes)}, ${(bytes / json).toFixed(2)} of the baseline`,
        goal: `<= ${LIMIT_MS} ms, or the baseline`,
        ok: bytes <= Math.max(LIMIT_MS, json),
      },
      {
        name: `a round of the watcher with ${DEPOSITS} deposits: from a hint to what is told`,
        value: ms(round),
        goal: `<= ${LIMIT_MS} ms, or four times the baseline`,
        ok: round <= Math.max(LIMIT_MS, 4 * json),
      },
    ];
  } finally {
    await watch.stop();
    await view.stop();
  }
}

interface VerboseBlock {
  readonly tx: readonly { readonly vout: readonly { readonly scriptPubKey: { readonly hex: string } }[] }[];
}

async function readings(view: ChainView, id: string) {
  const provider = view.providers.active();
  if (provider === undefined) throw new Error('no node');
  const median = async (read: () => Promise<unknown>): Promise<number> => {
    const times: number[] = [];
    for (let n = 0; n < 7; n += 1) {
      const begun = performance.now();
      await read();
      times.push(performance.now() - begun);
    }
    return percentile(times, 0.5);
  };
  const interest = { pays: (script: string) => view.scripts.has(script), spends: () => false };
  const json = (verbosity: number) => async () => {
    const { tx } = await provider.rpc.request<VerboseBlock>('getblock', [id, verbosity]);
    return tx.flatMap(({ vout }) =>
      vout.filter(({ scriptPubKey }) => view.scripts.of(Buffer.from(scriptPubKey.hex, 'hex'))),
    );
  };
  const bytes = async () => {
    const hex = await provider.rpc.request<string>('getblock', [id, 0]);
    return scanBlock(Buffer.from(hex, 'hex'), id, interest);
  };
  return { bytes: await median(bytes), json: await median(json(2)), spent: await median(json(3)) };
}

async function memory(node: LocalNode, own: Own): Promise<readonly Figure[]> {
  const begin = await startView(node, own);
  const first = new Following(begin.view);
  await until('the first batch', () => first.batches.length > 0);
  const { cursor } = first.newest;
  await first.stop();
  await begin.view.stop();
  await largeBlocks(node, own.depository);
  const { view } = await startView(node, own);
  const stop = new AbortController();
  const figures: Resident[] = [];
  const end = await node.height();
  for await (const batch of view.watchDeposits(cursor, stop.signal)) {
    const { marks } = JSON.parse(batch.cursor) as { readonly marks: readonly (readonly [number, string])[] };
    const height = marks.at(-1)?.[0] ?? 0;
    if (height > end - (BLOCKS * 3) / 4) figures.push(resident());
    if (height === end) stop.abort();
  }
  await view.stop();
  const [quarter, all] = [figures[0], figures.at(-1)];
  if (quarter === undefined || all === undefined) throw new Error('nothing was read');
  const shown = ({ rss, heap }: Resident): string => `${rss.toFixed(0)} MB resident, ${heap.toFixed(1)} MB in use`;
  return [
    { name: `after ${BLOCKS / 4} blocks (baseline)`, value: shown(quarter) },
    {
      name: `after ${BLOCKS} blocks`,
      value: shown(all),
      goal: 'no more than 4 MB in use and 40 MB resident on top',
      ok: all.heap - quarter.heap < 4 && all.rss - quarter.rss < 40,
    },
  ];
}

/** Each block has a large transaction, one in twenty a deposit. */
async function largeBlocks(node: LocalNode, depository: string): Promise<void> {
  const key = ownKey(node.network);
  let satoshis = 100_000_000n;
  let input = await node.fund(key.address, satoshis);
  await node.mine();
  const noise = Buffer.concat([Buffer.from([0x6a, 0x4d, SIZE & 0xff, SIZE >> 8]), Buffer.alloc(SIZE, 7)]);
  for (let n = 0; n < BLOCKS; n += 1) {
    const tx = new Transaction();
    addInput(tx, input);
    const pays = n % 20 === 0;
    if (pays) {
      tx.addOutput(addressScript(depository, node.network), 10_000n);
      const order = `0x${n.toString(16).padStart(64, 'f')}`;
      tx.addOutput(Buffer.concat([Buffer.from([0x6a, 66]), Buffer.from(order)]), 0n);
    }
    const rest = satoshis - (pays ? 11_000n : 1_000n);
    tx.addOutput(key.script, rest);
    tx.addOutput(noise, 0n);
    key.sign(tx, 0, satoshis);
    await node.mineOnly([tx.toHex()]);
    input = { txid: tx.getId(), vout: pays ? 2 : 0 };
    satoshis = rest;
  }
}

interface Resident {
  readonly rss: number;
  readonly heap: number;
}

function resident(): Resident {
  setFlagsFromString('--expose_gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  for (let n = 0; n < 4; n += 1) collectGarbage();
  const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
  return { rss: rss / MEGABYTE, heap: (heapUsed + arrayBuffers) / MEGABYTE };
}
