import type { DepositBatch, DepositObservation, Hex, IsPromised } from '@causeway/core';
import { type JsonRpcFaultProxy, jsonRpcFaultProxy } from '@causeway/core/testing';
import {
  createInitializeAccount3Instruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import {
  Keypair,
  type PublicKey,
  SystemProgram,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import { memo } from '../src/deposits.js';
import { DEFAULT_CONCURRENCY, inParallel } from '../src/parallel.js';
import type { SvmAdapter } from '../src/svm-adapter.js';
import { CHAIN, fundedSolver, type TestSolver } from './support/adapter.js';
import { anyId, eventually } from './support/legs.js';
import { type LocalNode, startNode } from './support/node.js';
import { plainToken, sendBy, type TestToken } from './support/tokens.js';

let node: LocalNode;
let payer: Keypair;
let token: TestToken;
let solver: TestSolver;
let proxy: JsonRpcFaultProxy;
let vault: PublicKey;
let account: PublicKey;
const adapters: SvmAdapter[] = [];

beforeAll(async () => {
  node = await startNode();
  payer = await node.account(1_000);
  token = await plainToken(node, payer);
  await token.give(payer.publicKey, 10n ** 9n);
  solver = await fundedSolver(node, [token]);
  vault = solver.vault.publicKey;
  account = getAssociatedTokenAddressSync(token.mint, vault, true, token.program);
  proxy = await jsonRpcFaultProxy(node.url);
});
afterAll(async () => {
  for (const adapter of adapters) await adapter.stop();
  await proxy?.close();
  await node?.stop();
});

let sent = 0;

async function send(instructions: readonly TransactionInstruction[]): Promise<string> {
  sent += 1;
  const other = SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: payer.publicKey, lamports: sent });
  const { blockhash } = await node.connection.getLatestBlockhash();
  const message = new TransactionMessage({
    payerKey: payer.publicKey,
    recentBlockhash: blockhash,
    instructions: [other, ...instructions],
  });
  const transaction = new VersionedTransaction(message.compileToV0Message());
  transaction.sign([payer]);
  return node.connection.sendTransaction(transaction, { skipPreflight: true });
}

const pays = (lamports: number) => SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: vault, lamports });

function touching(): TransactionInstruction {
  const named = [vault, account].map((pubkey) => ({ pubkey, isSigner: false, isWritable: false }));
  const touch = pays(0);
  touch.keys.push(...named);
  return touch;
}

const spam = (count: number): Promise<readonly string[]> =>
  inParallel(Array.from({ length: count }), (_, n = sent) =>
    send(n % 2 === 0 ? [touching(), memo(anyId())] : [touching()]),
  );

async function follow(cursor: string | undefined, isPromised?: IsPromised) {
  const adapter = await solver.start({ rpc: [{ http: proxy.url }], rpcMaxInFlight: 200, watch: { pollMs: 30 } });
  adapters.push(adapter);
  const rpc = adapter.providers.usable()[0]?.rpc as unknown as {
    request: (...call: readonly unknown[]) => Promise<unknown>;
  };
  const counted = { most: 0 };
  let underWay = 0;
  const request = rpc.request.bind(rpc);
  const watched = new Set(['getTransaction', 'getSignaturesForAddress']);
  rpc.request = async (...call) => {
    if (!watched.has(String(call[0]))) return request(...call);
    underWay += 1;
    counted.most = Math.max(counted.most, underWay);
    return request(...call).finally(() => {
      underWay -= 1;
    });
  };
  const stop = new AbortController();
  const batches: DepositBatch[] = [];
  const seen = new Map<string, DepositObservation>();
  const looks = new Map<string, number>();
  const listed = (): number =>
    proxy.calls.slice(begin).filter(({ method, params: [one, options] }) => {
      const { before } = (options ?? {}) as { readonly before?: string };
      return method === 'getSignaturesForAddress' && one === vault.toBase58() && before === undefined;
    }).length;
  const begin = proxy.calls.length;
  const watching = (async () => {
    for await (const batch of adapter.watchDeposits(cursor, stop.signal, isPromised && { isPromised })) {
      batches.push(batch);
      for (const one of batch.deposits) {
        if (!looks.has(one.transactionHash)) looks.set(one.transactionHash, listed());
        seen.set(one.fundingKey, one);
      }
    }
  })();
  const reads = (): number => proxy.calls.slice(begin).filter(({ method }) => method === 'getTransaction').length;
  const end = async (): Promise<void> => {
    stop.abort();
    await watching;
  };
  const settled = (): number => JSON.parse(batches.at(-1)?.cursor ?? '{"settled":0}').settled;
  return { batches, seen, looks, counted, reads, settled, end, reported: adapter.reported };
}

const hashes = (seen: ReadonlyMap<string, DepositObservation>) => [...seen.values()].map((one) => one.transactionHash);

it('reports a promised deposit at once, and all others, among hundreds that only touch the vault, of which two cannot be read', async () => {
  const first = await follow(undefined);
  await eventually(
    async () => first.batches.length,
    (count) => count > 0,
  );
  const cursor = first.batches.at(-1)?.cursor;
  await first.end();
  const order: Hex = anyId();
  const before = await spam(250);
  const dust = await send([pays(7)]);
  const honest = await send([pays(5_000), memo(order)]);
  const after = await spam(250);
  await node.confirmed(after.at(-1) ?? '');
  const { slot } = await node.transaction(after.at(-1) ?? '');
  const odd = new Set([before[120], after[40]]);
  const refusal = { error: { code: -32015, message: 'Transaction version (1) is not supported' } };
  proxy.plan = ({ method, params: [signature] }) =>
    method === 'getTransaction' && odd.has(String(signature)) ? refusal : 'pass';
  const watch = await follow(cursor, async (ids) => new Set(ids.filter((id) => id === order)));
  await eventually(
    async () => hashes(watch.seen),
    (reported) => reported.includes(honest) && reported.includes(dust),
  );
  expect(watch.looks.get(honest)).toBeLessThanOrEqual(2);
  expect([...watch.seen.values()].find((one) => one.transactionHash === honest)).toMatchObject({
    ...{ orderId: order, amount: 5_000n, currency: NATIVE },
  });
  // Their blocks show that the two brought nothing.
  await node.clock.reach('finalized', slot + 40);
  await eventually(
    async () => watch.settled(),
    (settled) => settled > slot,
  );
  expect(watch.seen.size).toBe(2);
  expect(watch.batches.flatMap(({ unread = [] }) => unread)).toEqual([]);
  expect(watch.reported.alerts.list()).toEqual([]);
  // Once each, except those two.
  expect(watch.reads()).toBeLessThanOrEqual(502 + 2 * 6);
  expect(watch.counted.most).toBeLessThanOrEqual(DEFAULT_CONCURRENCY);
  await watch.end();
  proxy.heal();
}, 120_000);

it('raises an alert while one that paid cannot be read, reports the others, and it once it can', async () => {
  const watch = await follow(undefined);
  await eventually(
    async () => watch.batches.length,
    (count) => count > 0,
  );
  const refusal = { error: { code: -32015, message: 'Transaction version (1) is not supported' } };
  let odd = '';
  let isHidden = true;
  proxy.plan = ({ method, params: [signature] }) =>
    method === 'getTransaction' && isHidden && (odd === '' || signature === odd) ? refusal : 'pass';
  odd = await send([pays(9)]);
  const later = await send([pays(10)]);
  await eventually(
    async () => hashes(watch.seen),
    (reported) => reported.includes(later),
  );
  const alert = () => watch.reported.alerts.list().find(({ id }) => id === `unread-${CHAIN}`);
  await eventually(
    async () => alert()?.message,
    (message) => message?.includes(odd) === true,
  );
  const { slot } = await node.transaction(odd);
  await node.clock.reach('finalized', slot + 40);
  await eventually(
    async () => watch.settled(),
    (settled) => settled >= slot - 1,
  );
  await node.clock.reach('finalized', slot + 80);
  await eventually(
    async () => watch.batches.at(-1)?.finalized.height ?? 0,
    (height) => height > slot + 76,
  );
  expect(watch.settled()).toBe(slot - 1);
  isHidden = false;
  await eventually(
    async () => hashes(watch.seen),
    (reported) => reported.includes(odd),
  );
  await eventually(
    async () => alert(),
    (found) => found === undefined,
  );
  await eventually(
    async () => watch.settled(),
    (settled) => settled >= slot,
  );
  expect(watch.batches.flatMap(({ unread = [] }) => unread)).toEqual([]);
  await watch.end();
  proxy.heal();
}, 120_000);

it('notifies an operator of what arrived at another account in the vault’s name, and credits it nowhere', async () => {
  const watch = await follow(undefined);
  await eventually(
    async () => watch.batches.length,
    (count) => count > 0,
  );
  const keys = Keypair.generate();
  const lamports = await node.connection.getMinimumBalanceForRentExemption(165);
  const made = { fromPubkey: payer.publicKey, newAccountPubkey: keys.publicKey, space: 165, lamports };
  const source = getAssociatedTokenAddressSync(token.mint, payer.publicKey, true, token.program);
  const { mint, program } = token;
  const signature = await sendBy(
    node,
    [
      SystemProgram.createAccount({ ...made, programId: program }),
      createInitializeAccount3Instruction(keys.publicKey, mint, vault, program),
      createTransferCheckedInstruction(source, mint, keys.publicKey, payer.publicKey, 700n, 6, [], program),
      touching(),
      memo(anyId()),
    ],
    [payer, keys],
  );
  const stray = await eventually(
    async () => [...watch.seen.values()].find(({ transactionHash }) => transactionHash === signature),
    (found) => found !== undefined,
  );
  expect(stray).toMatchObject({ stray: true, orderId: null, amount: 700n, currency: mint.toBase58() });
  if (stray?.block == null) throw new Error('no block');
  const [adapter] = adapters.slice(-1) as [SvmAdapter];
  expect(await adapter.witness([{ ...stray, block: stray.block, providers: 1 }])).toEqual([true]);
  await watch.end();
}, 60_000);
