import { Transaction } from 'bitcoinjs-lib';
import { addressScript } from '../../src/addresses.js';
import type { NodeKind } from './have-node.js';
import { coins, type LocalNode, type NodeOptions, startNode, until } from './node.js';

interface Output {
  readonly value: number;
  readonly scriptPubKey: { readonly address?: string; readonly addresses?: readonly string[]; readonly hex: string };
}

interface Decoded {
  readonly txid: string;
  readonly hex: string;
  readonly vin: readonly { readonly txid: string; readonly vout: number }[];
  readonly vout: readonly Output[];
}

export interface Raw {
  readonly txid: string;
  readonly hex: string;
}

export type WantedOutput = { readonly to: string; readonly satoshis: bigint } | { readonly data: Uint8Array | string };

export interface WantedTransaction {
  readonly outputs: readonly WantedOutput[];
  /** In order. Default: the wallet's choice. */
  readonly inputs?: readonly { readonly txid: string; readonly vout: number }[];
  /** Satoshis per vbyte. Default 10. */
  readonly rate?: number;
  /** Signals BIP 125; full-RBF nodes do not need it. */
  readonly replaceable?: boolean;
}

/** Signed by the wallet, not sent. Adds inputs as needed, with change to the wallet. */
export async function build(node: LocalNode, wanted: WantedTransaction): Promise<Raw> {
  const { outputs, inputs = [], rate = 10, replaceable = true } = wanted;
  const raw = await node.rpc<string>('createrawtransaction', [inputs, outputs.map(outputOf), 0, replaceable]);
  const change = { changePosition: outputs.length, replaceable, feeRate: (rate / 1e5).toFixed(8) };
  const funded = await node.rpc<{ hex: string }>('fundrawtransaction', [raw, change]);
  const { hex } = await node.rpc<{ hex: string }>('signrawtransactionwithwallet', [funded.hex]);
  const { txid } = await node.rpc<{ txid: string }>('decoderawtransaction', [hex]);
  return { txid, hex };
}

export async function pay(node: LocalNode, wanted: WantedTransaction): Promise<Raw> {
  const raw = await build(node, wanted);
  await node.rpc('sendrawtransaction', [raw.hex]);
  return raw;
}

/** One address in several outputs, and one text: only the raw RPC form accepts duplicates. */
export async function payOften(node: LocalNode, to: string, amounts: readonly bigint[], data: string): Promise<string> {
  const [coin] = await split(node, 1, 2_000_000n);
  if (coin === undefined) throw new Error('not split');
  const tx = new Transaction();
  tx.version = 2;
  tx.addInput(Buffer.from(coin.txid, 'hex').reverse(), coin.vout);
  for (const amount of amounts) tx.addOutput(addressScript(to, node.network), amount);
  tx.addOutput(Buffer.concat([Buffer.from([0x6a, data.length]), Buffer.from(data)]), 0n);
  tx.addOutput(addressScript(await node.address(), node.network), 1_800_000n);
  const { hex } = await node.rpc<{ hex: string }>('signrawtransactionwithwallet', [tx.toHex()]);
  return await node.rpc<string>('sendrawtransaction', [hex]);
}

/** Confirmed wallet outputs with an address each: their spenders have no mempool parents. */
export async function split(
  node: LocalNode,
  count: number,
  satoshis: bigint,
  type: 'legacy' | 'p2sh-segwit' | 'bech32' | 'bech32m' = 'bech32',
): Promise<readonly { readonly txid: string; readonly vout: number; readonly address: string }[]> {
  const made: { txid: string; vout: number; address: string }[] = [];
  for (let left = count; left > 0; left -= 200) {
    const addresses = await Promise.all(Array.from({ length: Math.min(left, 200) }, () => node.address(type)));
    const { txid } = await pay(node, { outputs: addresses.map((to) => ({ to, satoshis })) });
    made.push(...addresses.map((address, vout) => ({ txid, vout, address })));
    await node.mine();
  }
  return made;
}

/** Spends the same first input back to the wallet at ten times the fee rate. */
export async function rivalOf(node: LocalNode, txid: string, outputs?: readonly WantedOutput[]): Promise<Raw> {
  const { vin } = await decoded(node, txid);
  const [first] = vin;
  if (first === undefined) throw new Error(`${txid} has no inputs`);
  const parent = await decoded(node, first.txid);
  const spent = parent.vout[first.vout];
  if (spent === undefined) throw new Error(`${first.txid} has no output ${first.vout}`);
  const value = BigInt(Math.round(spent.value * 1e8));
  const fee = value / 20n > 50_000n ? 50_000n : value / 20n;
  const wanted = outputs ?? [{ to: await node.address(), satoshis: value - fee }];
  const inputs = [{ txid: first.txid, vout: first.vout, sequence: 0xfffffffd }];
  const raw = await node.rpc<string>('createrawtransaction', [inputs, wanted.map(outputOf)]);
  // The wallet does not find spent outputs.
  const reported = { txid: first.txid, vout: first.vout, scriptPubKey: spent.scriptPubKey.hex, amount: spent.value };
  const { hex } = await node.rpc<{ hex: string }>('signrawtransactionwithwallet', [raw, [reported]]);
  const { txid: rival } = await node.rpc<{ txid: string }>('decoderawtransaction', [hex]);
  return { txid: rival, hex };
}

/**
 * Double-spends a waiting wallet transaction permanently: in the mempool if the node replaces, else (or with `block`)
 * by a block with only the conflicting one.
 */
export async function doubleSpend(node: LocalNode, txid: string, how: 'pool' | 'block' = 'pool'): Promise<Raw> {
  const rival = await rivalOf(node, txid);
  if (how === 'pool' && node.network.rbf) await node.rpc('sendrawtransaction', [rival.hex]);
  else await node.mineOnly([rival.hex]);
  return rival;
}

/**
 * Replaces the newest `depth` blocks by `length` others (default one more). Their transactions confirm in the last
 * new block, except dropped wallet transactions, which are double-spent in the first.
 */
export async function reorg(
  node: LocalNode,
  depth: number,
  options: { readonly drop?: readonly string[]; readonly length?: number; readonly keep?: 'waiting' | 'included' } = {},
): Promise<readonly string[]> {
  const { drop = [], length = depth + 1, keep = 'included' } = options;
  const rivals = await Promise.all(drop.map((txid) => rivalOf(node, txid)));
  const height = await node.height();
  const first = await node.rpc<string>('getblockhash', [height - depth + 1]);
  await node.rpc('invalidateblock', [first]);
  const hashes = [await node.mineOnly(rivals.map(({ hex }) => hex))];
  while (hashes.length < length) {
    const last = hashes.length === length - 1;
    hashes.push(last && keep === 'included' ? ((await node.mine())[0] ?? '') : await node.mineOnly([]));
  }
  return hashes;
}

export interface Pair {
  readonly nodes: readonly [LocalNode, LocalNode];
  partition(): Promise<void>;
  /** Resolves once both have the longer chain. */
  heal(): Promise<void>;
  stop(): Promise<void>;
}

export async function startPair(kind: NodeKind = 'bitcoin', options: NodeOptions = {}): Promise<Pair> {
  const [one, two] = await Promise.all([startNode(kind, options), startNode(kind, { ...options, blocks: 0 })]);
  const connect = async (): Promise<void> => {
    await Promise.all([one, two].map((node) => node.rpc('setnetworkactive', [true])));
    await two.rpc('addnode', [`127.0.0.1:${one.peerPort}`, 'onetry']);
    await until('the nodes to agree', async () => {
      const [a, b] = await Promise.all([one, two].map((node) => node.rpc<string>('getbestblockhash')));
      return a === b && (await two.rpc<number>('getconnectioncount')) > 0;
    });
  };
  await connect();
  return {
    nodes: [one, two],
    partition: async () => {
      await Promise.all([one, two].map((node) => node.rpc('setnetworkactive', [false])));
      await until('the nodes to part', async () => (await two.rpc<number>('getconnectioncount')) === 0);
    },
    heal: connect,
    stop: async () => {
      await Promise.all([one.stop(), two.stop()]);
    },
  };
}

export function decoded(node: LocalNode, txid: string): Promise<Decoded> {
  return node.rpc<Decoded>('getrawtransaction', [txid, true]);
}

function outputOf(output: WantedOutput): Readonly<Record<string, string>> {
  if (!('data' in output)) return { [output.to]: coins(output.satoshis) };
  return { data: Buffer.from(output.data).toString('hex') };
}
