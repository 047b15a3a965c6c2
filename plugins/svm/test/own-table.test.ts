import type { DepositStepsInput } from '@causeway/core';
import { type JsonRpcFaultProxy, jsonRpcFaultProxy, only } from '@causeway/core/testing';
import {
  AddressLookupTableProgram,
  Keypair,
  PublicKey,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import type { DepositData } from '../src/deposits.js';
import { depositSize, instructionOf } from '../src/message.js';
import type { SvmAdapter } from '../src/svm-adapter.js';
import type { TestSolver } from './support/adapter.js';
import { anyId } from './support/legs.js';
import { type LocalNode, startNode } from './support/node.js';
import { accountOf, bareSolver, currencyOf, heldBy, tableAt, tableIn, those } from './support/set-up.js';
import { plainToken, sendBy, type TestToken } from './support/tokens.js';

let node: LocalNode;
let minter: Keypair;
let plain: TestToken;

beforeAll(async () => {
  node = await startNode();
  minter = await node.account(1_000);
  plain = await plainToken(node, minter);
});
afterAll(() => node?.stop());

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const PLAIN = () => currencyOf(plain, 0);

async function proxied(): Promise<JsonRpcFaultProxy> {
  const proxy = await jsonRpcFaultProxy(node.url);
  ends.push(() => proxy.close());
  return proxy;
}

describe('the table of the vault', () => {
  it('is not looked for where the config names it, and not made where no one lists tables', async () => {
    const solver = await bareSolver(node);
    const proxy = await proxied();
    const options = { currencies: [PLAIN()], rpc: [{ http: proxy.url }] };
    proxy.plan = only('getProgramAccounts', { error: { code: -32010, message: 'excluded from account indexes' } });
    const refused = await solver.run(solver.unstarted(options, [solver.payer]));
    expect(those(refused, 'made')).toHaveLength(2);
    expect(those(refused, 'failed')).toMatchObject([
      { message: expect.stringMatching(/excluded from account indexes.*Name its table in lookupTables/) },
    ]);
    const authority = solver.vault.publicKey;
    const recentSlot = await node.connection.getSlot('finalized');
    const owners = { authority, payer: minter.publicKey, recentSlot };
    const [create, table] = AddressLookupTableProgram.createLookupTable(owners);
    await sendBy(node, [create], [minter, solver.vault]);
    const named = { ...options, lookupTables: [table.toBase58()] };
    expect(those(await solver.run(solver.unstarted(named, [solver.payer])), 'made')).toHaveLength(1);
    expect(await heldBy(node, table.toBase58())).toContain(accountOf(plain, authority).toBase58());
  });

  it('is the one that holds most, no matter who makes others for the vault', async () => {
    const solver = await bareSolver(node);
    const authority = solver.vault.publicKey;
    const recentSlot = await node.connection.getSlot('finalized');
    const strangers = [recentSlot, recentSlot - 1].map((slot) =>
      AddressLookupTableProgram.createLookupTable({ authority, payer: minter.publicKey, recentSlot: slot }),
    );
    const unsigned = ({ keys, ...rest }: TransactionInstruction) => ({
      ...{ ...rest, keys: keys.map((key) => ({ ...key, isSigner: key.pubkey.equals(minter.publicKey) })) },
    });
    for (const [create] of strangers) await sendBy(node, [unsigned(create)], [minter]);
    const options = { currencies: [PLAIN()] };
    const table = tableIn(await solver.run(solver.unstarted(options, [solver.payer])));
    expect((await tableAt(node, table)).state.authority?.equals(authority)).toBe(true);
    expect(await heldBy(node, table)).toContain(authority.toBase58());
    expect(tableIn(await solver.run(solver.unstarted(options, [solver.payer]), { dryRun: true }))).toBe(table);
  });

  it('is made again where the former one is deactivated or frozen; the doctor and quotes know', async () => {
    const solver = await bareSolver(node);
    const owner = { authority: solver.vault.publicKey };
    const currencies = [PLAIN()];
    const run = async (lookupTables: readonly string[]) =>
      tableIn(await solver.run(solver.unstarted({ currencies, lookupTables }, [solver.payer])));
    const dead = await run([]);
    const lookupTable = new PublicKey(dead);
    const off = AddressLookupTableProgram.deactivateLookupTable({ ...owner, lookupTable });
    await sendBy(node, [off], [minter, solver.vault]);
    const frozen = await run([dead]);
    expect(frozen).not.toBe(dead);
    const freeze = AddressLookupTableProgram.freezeLookupTable({ ...owner, lookupTable: new PublicKey(frozen) });
    await sendBy(node, [freeze], [minter, solver.vault]);
    const third = await run([dead, frozen]);
    expect([dead, frozen]).not.toContain(third);
    const adapter = await solver.start({ currencies, lookupTables: [dead, third] });
    ends.push(() => adapter.stop());
    const wish = { payer: minter.publicKey.toBase58(), currency: NATIVE, amount: 1n, orderId: anyId() };
    expect(dataOf(adapter, wish).addressLookupTableAddresses).toEqual([third]);
    const reported = await doctor(solver, [dead, third]);
    expect(reported).toEqual([expect.stringContaining(`${dead} is deactivated`)]);
  });

  it('is made again where the former one has no room for all that deposits name', async () => {
    const solver = await bareSolver(node);
    const authority = solver.vault.publicKey;
    const run = async () => tableIn(await solver.run(solver.unstarted({ currencies: [PLAIN()] }, [solver.payer])));
    const full = await run();
    const others = Array.from({ length: 247 }, () => Keypair.generate().publicKey);
    const owners = { authority, payer: minter.publicKey, lookupTable: new PublicKey(full) };
    for (let from = 0; from < others.length; from += 25) {
      const addresses = others.slice(from, from + 25);
      await sendBy(
        node,
        [AddressLookupTableProgram.extendLookupTable({ ...owners, addresses })],
        [minter, solver.vault],
      );
    }
    expect(await run()).toBe(full);
    const joined = await plainToken(node, minter);
    const currencies = [PLAIN(), currencyOf(joined, 1)];
    const next = tableIn(await solver.run(solver.unstarted({ currencies, lookupTables: [full] }, [solver.payer])));
    expect(next).not.toBe(full);
    expect(await heldBy(node, next)).toHaveLength(11);
  });

  it('is reported by the doctor where it lacks something, or is not there', async () => {
    const solver = await bareSolver(node);
    const table = tableIn(await solver.run(solver.unstarted({ currencies: [PLAIN()] }, [solver.payer])));
    expect(await doctor(solver, [table])).toEqual([]);
    const joined = await plainToken(node, minter);
    await joined.give(solver.fill.publicKey, 1n);
    await joined.give(solver.vault.publicKey, 0n);
    expect(await doctor(solver, [table], [PLAIN(), currencyOf(joined, 1)])).toEqual([
      expect.stringMatching(new RegExp(`none contains ${joined.mint.toBase58()}, .*run causeway setup`)),
    ]);
    const nothing = Keypair.generate().publicKey.toBase58();
    expect(await doctor(solver, [nothing, table])).toEqual([
      expect.stringContaining(`the lookup table ${nothing} does not exist`),
    ]);
  });
});

describe('a deposit that a wallet compiles with the table', () => {
  it('is smaller where it pays a token, taken by the node, and seen by the watcher', async () => {
    const solver = await bareSolver(node);
    const currencies = [PLAIN()];
    const table = tableIn(await solver.run(solver.unstarted({ currencies }, [solver.payer])));
    const payer = await node.account(1);
    await plain.give(payer.publicKey, 1_000n);
    const proxy = await proxied();
    const adapter = await solver.start({ currencies, lookupTables: [table], rpc: [{ http: proxy.url }] });
    const watching = new AbortController();
    ends.push(async () => {
      watching.abort();
      await adapter.stop();
    });
    // The public network lists a transaction under table accounts too; this node only under its payer.
    const vaults = accountOf(plain, solver.vault.publicKey).toBase58();
    proxy.plan = only('getSignaturesForAddress', ({ method, params: [address, ...options] }) =>
      address === vaults ? { ask: { method, params: [payer.publicKey.toBase58(), ...options] } } : 'pass',
    );
    const batches = adapter.watchDeposits(undefined, watching.signal)[Symbol.asyncIterator]();
    await batches.next();

    const orderId = anyId();
    const wish = { payer: payer.publicKey.toBase58(), currency: plain.mint.toBase58(), amount: 700n, orderId };
    const data = dataOf(adapter, wish);
    expect(data.addressLookupTableAddresses).toEqual([table]);
    const [short, long] = [
      await compiled(data, payer),
      await compiled({ ...data, addressLookupTableAddresses: [] }, payer),
    ];
    // Two 32-byte addresses less; plus the table's name, four counts and indexes, and two lists.
    expect(long.serialize().length - short.serialize().length).toBe(28);
    expect(depositSize(data, [await tableAt(node, table)])).toBe(short.serialize().length);
    const signature = await node.connection.sendTransaction(short);
    await node.confirmed(signature);
    const { meta, transaction } = await node.transaction(signature);
    expect(transaction.message.accountKeys).not.toContain(vaults);
    expect(meta?.loadedAddresses?.writable).toEqual([vaults]);
    for (;;) {
      const { value } = await batches.next();
      const [deposit] = value?.deposits ?? [];
      if (deposit === undefined) continue;
      expect(deposit).toMatchObject({
        ...{ orderId, amount: 700n, currency: plain.mint.toBase58() },
        depositor: wish.payer,
      });
      expect(deposit.transactionHash).toBe(signature);
      break;
    }
    const native = dataOf(adapter, { ...wish, currency: NATIVE });
    const [with_, without] = [
      await compiled(native, payer),
      await compiled({ ...native, addressLookupTableAddresses: [] }, payer),
    ];
    expect(with_.serialize().length - without.serialize().length).toBe(3);
  });
});

function dataOf(adapter: SvmAdapter, wish: DepositStepsInput): DepositData {
  const [step] = adapter.depositSteps(wish);
  return step?.items[0]?.data as DepositData;
}

async function compiled(data: DepositData, payer: Keypair): Promise<VersionedTransaction> {
  const tables = await Promise.all(data.addressLookupTableAddresses.map((address) => tableAt(node, address)));
  const { blockhash } = await node.connection.getLatestBlockhash();
  const instructions = data.instructions.map(instructionOf);
  const message = new TransactionMessage({ payerKey: payer.publicKey, recentBlockhash: blockhash, instructions });
  const transaction = new VersionedTransaction(message.compileToV0Message(tables));
  transaction.sign([payer]);
  return transaction;
}

async function doctor(solver: TestSolver, lookupTables: readonly string[], currencies = [PLAIN()]) {
  const found = await solver.unstarted({ currencies, lookupTables }).probe(new AbortController().signal);
  const tables = found.filter(({ name }) => name === 'local: lookup tables');
  expect(tables.length).toBeGreaterThan(0);
  return tables.filter(({ ok }) => !ok).map(({ message }) => message);
}
