import type { DepositObservation, Sighting } from '@causeway/core';
import { type JsonRpcFaultProxy, jsonRpcFaultProxy, only } from '@causeway/core/testing';
import { type Keypair, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import { depositInstructions } from '../src/deposits.js';
import type { SvmAdapter } from '../src/svm-adapter.js';
import { CHAIN, fundedSolver, type TestSolver } from './support/adapter.js';
import { changed } from './support/faulty-nodes.js';
import { anyId } from './support/legs.js';
import { type LocalNode, startNode } from './support/node.js';

let node: LocalNode;
let solver: TestSolver;
let payer: Keypair;
let proxy: JsonRpcFaultProxy;
let adapter: SvmAdapter;
let sighting: Sighting;

beforeAll(async () => {
  node = await startNode();
  [solver, payer] = await Promise.all([fundedSolver(node, []), node.account(10)]);
  proxy = await jsonRpcFaultProxy(node.url);
  adapter = await solver.start({
    rpc: [{ http: node.url }, { http: proxy.url }],
    quorum: { aboveUsd: 100, providers: 2 },
  });
  const stop = new AbortController();
  const batches = adapter.watchDeposits(undefined, stop.signal)[Symbol.asyncIterator]();
  await batches.next();
  const signature = await pay();
  let deposit: DepositObservation | undefined;
  while (deposit?.block == null) {
    const { value } = await batches.next();
    deposit = value?.deposits.find(({ transactionHash }: DepositObservation) => transactionHash === signature);
  }
  stop.abort();
  await batches.return?.();
  sighting = { ...deposit, block: deposit.block, providers: 2 };
});
afterEach(() => proxy.heal());
afterAll(async () => {
  await adapter?.stop();
  await proxy?.close();
  await node?.stop();
});

async function pay(): Promise<string> {
  const target = {
    chainId: CHAIN,
    vault: solver.vault.publicKey.toBase58(),
    lookupTables: [],
    tokenOf: () => undefined,
    arriving: (_: string, sent: bigint) => sent,
  };
  const input = { payer: payer.publicKey.toBase58(), currency: NATIVE, amount: 1_000_000n, orderId: anyId() };
  const { blockhash: recentBlockhash } = await node.connection.getLatestBlockhash();
  const instructions = [...depositInstructions(target, input)];
  const message = new TransactionMessage({ payerKey: payer.publicKey, recentBlockhash, instructions });
  const transaction = new VersionedTransaction(message.compileToV0Message());
  transaction.sign([payer]);
  return node.connection.sendTransaction(transaction, { skipPreflight: true });
}

const reported = async (one: Sighting) => (await adapter.witness([one]))[0];
const alone = (): Sighting => ({ ...sighting, providers: 1 });

describe('what a provider reported', () => {
  it('needs as many as asked from its value on', () => {
    expect([adapter.quorum(99_999_999n), adapter.quorum(100_000_000n)]).toEqual([1, 2]);
  });

  it('is witnessed by nodes that have the same transfer in the same slot', async () => {
    expect(await reported(sighting)).toBe(true);
    expect(await reported({ ...sighting, amount: sighting.amount + 1n })).toBe(false);
    expect(await reported({ ...sighting, orderId: anyId() })).toBe(false);
    expect(await reported({ ...sighting, block: { ...sighting.block, id: 'another' } })).toBe(false);
  });

  it('is not, where one has it in another slot, however many agree', async () => {
    proxy.plan = only(
      'getTransaction',
      changed<{ readonly slot: number }>((shown) => ({ ...shown, slot: shown.slot + 1 })),
    );
    expect(await reported(alone())).toBe(false);
  });

  it('waits for a node that does not have it yet, or does not answer, where two are asked', async () => {
    for (const plan of [only('getTransaction', { result: null }), only('getTransaction', 'dropBefore')]) {
      proxy.plan = plan;
      expect(await reported(sighting)).toBe(false);
      expect(await reported(alone())).toBe(true);
    }
  });
});
