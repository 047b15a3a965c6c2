import { type ChainAdapter, EVERY_LEG, laneThatSends, OptionError, type PluginContext } from '@causeway/core';
import {
  AddressLookupTableProgram,
  Keypair,
  type PublicKey,
  Transaction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import bs58 from 'bs58';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import type { InstructionData } from '../src/deposits.js';
import { plugin } from '../src/index.js';
import { instructionOf, WIRE_LIMIT } from '../src/message.js';
import type { SignerOptions, SvmChainOptions, SvmOptions } from '../src/options.js';
import { fundedSolver, type TestSolver } from './support/adapter.js';
import { anyId, eventually } from './support/legs.js';
import { type LocalNode, startNode } from './support/node.js';
import { services } from './support/services.js';
import { feeToken, plainToken, type TestToken } from './support/tokens.js';

let node: LocalNode;
let payer: Keypair;
let token: TestToken;
let solver: TestSolver;

beforeAll(async () => {
  node = await startNode();
  payer = await node.account(1_000);
  token = await plainToken(node, payer);
  await token.give(payer.publicKey, 10n ** 9n);
  solver = await fundedSolver(node, [token]);
});
afterAll(() => node?.stop());

const running: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of running.splice(0)) await stop();
});

const secrets = (solverOf: Pick<TestSolver, 'fill' | 'vault'>) => (reference: string) =>
  bs58.encode((reference === 'env:fill' ? solverOf.fill : solverOf.vault).secretKey);

function register(chains: readonly SvmChainOptions[], secret = secrets(solver), more: Partial<SignerOptions> = {}) {
  const added: ChainAdapter[] = [];
  const starts: (() => Promise<void>)[] = [];
  const options: SvmOptions = { signers: { fill: 'env:fill', vault: 'env:vault', ...more }, chains };
  const context = {
    ...{ id: 'svm', options, network: 'local', keys: { secret }, ...services() },
    chains: { add: (chain: ChainAdapter) => void added.push(chain) },
    lifecycle: {
      onStart: (task: () => Promise<void>) => void starts.push(task),
      onStop: (task: () => Promise<void>) => void running.push(task),
    },
  };
  plugin.register(context as unknown as PluginContext<SvmOptions>);
  const [adapter] = added;
  if (adapter === undefined) throw new Error('no chain');
  return { adapter, start: () => Promise.all(starts.map((task) => task())) };
}

describe('the start', () => {
  it('serves what is configured, and is healthy when all accounts are there', async () => {
    const { adapter, start } = register([solver.options()]);
    expect(adapter.status().healthy).toBe(false);
    await start();
    expect(adapter.status()).toMatchObject({ healthy: true, reason: null });
    expect(adapter.facts.depository).toBe(solver.vault.publicKey.toBase58());
    expect(adapter.lanes).toEqual([{ signer: solver.fill.publicKey.toBase58(), sends: EVERY_LEG }]);
    const probes = (await adapter.probe?.(new AbortController().signal)) ?? [];
    expect(probes.filter(({ ok }) => !ok)).toEqual([]);
    expect(probes.length).toBeGreaterThan(4);
  });

  it('is refused by a provider of another chain', async () => {
    const other = Keypair.generate().publicKey.toBase58();
    const { adapter, start } = register([solver.options({ genesisHash: other })]);
    await expect(start()).rejects.toThrow(OptionError);
    const probes = (await adapter.probe?.(new AbortController().signal)) ?? [];
    expect(probes[0]).toMatchObject({ ok: false, level: 'error', message: expect.stringContaining(other) });
    const genesisHash = await node.connection.getGenesisHash();
    const right = register([solver.options({ genesisHash })]);
    await right.start();
    expect(right.adapter.status().healthy).toBe(true);
  });

  it('says which account is missing and how to make it, and is healthy once it is made', async () => {
    const bare = await fundedSolver(node, []);
    const { currencies = [] } = solver.options();
    const { adapter, start } = register([bare.options({ currencies })], secrets(bare));
    await start();
    expect(adapter.status()).toMatchObject({
      healthy: false,
      reason: expect.stringMatching(/the fill signer has no account for T0 .*causeway setup/),
    });
    const probes = (await adapter.probe?.(new AbortController().signal)) ?? [];
    const missing = probes.filter(({ name, ok }) => name === 'local: accounts' && !ok);
    expect(missing.map(({ message }) => /^the (fill signer|vault)/.exec(message)?.[1])).toEqual([
      'fill signer',
      'vault',
    ]);
    await token.give(bare.fill.publicKey, 0n);
    await token.give(bare.vault.publicKey, 0n);
    await eventually(
      async () => adapter.status().healthy,
      (healthy) => healthy,
    );
  });

  it('says that a mint is not as configured', async () => {
    const [currency] = solver.options().currencies ?? [];
    if (currency === undefined) throw new Error('no currency');
    const wrong = [
      [{ ...currency, decimals: 9 }, /6 decimals, not 9/],
      [{ ...currency, program: 'token-2022' as const }, /not to the configured token program/],
      [{ ...currency, address: payer.publicKey.toBase58() }, /belongs to/],
      [{ ...currency, address: Keypair.generate().publicKey.toBase58() }, /there is no mint/],
    ] as const;
    for (const [one, message] of wrong) {
      const { adapter, start } = register([solver.options({ currencies: [one] })]);
      await start();
      expect(adapter.status().reason).toMatch(message);
    }
  });

  it('reports a mint that charges a fee on transfer, which is charged and booked and no fault', async () => {
    const costly = await feeToken(node, payer, 250);
    const { adapter } = register([(await fundedSolver(node, [costly])).options()]);
    const probes = (await adapter.probe?.(new AbortController().signal)) ?? [];
    const mints = probes.filter(({ name }) => name === 'local: mints');
    expect(mints.map(({ ok, level }) => [ok, level])).toEqual([
      [true, 'error'],
      [true, 'error'],
    ]);
    expect(mints[0]?.message).toMatch(/charges up to 250 bps/);
    const started = register([(await fundedSolver(node, [costly])).options()]);
    await started.start();
    expect(started.adapter.legCost('fill', costly.mint.toBase58())?.transferFeeBps).toBe(250);
    expect(started.adapter.legCost('collect', NATIVE)?.transferFeeBps).toBeUndefined();
  });

  it('takes no key that is none, and not one key for both roles; the key is in no message', () => {
    expect(() => register([solver.options()], () => 'nonsense')).toThrow(OptionError);
    const { fill } = solver;
    const one = bs58.encode(fill.secretKey);
    const both = () => register([solver.options()], () => one);
    expect(both).toThrow(/one/);
    expect(both).not.toThrow(one);
    const broken = `${one.slice(0, -4)}1111`;
    expect(() => register([solver.options()], () => broken)).not.toThrow(broken);
  });

  it('gives each replaced fill key a lane that gets nothing new, and refuses one that is still in use', () => {
    const known = new Map(['env:one', 'env:two', 'env:sweeper'].map((name) => [name, Keypair.generate()]));
    const secret = (reference: string) => {
      const keys = known.get(reference);
      return keys === undefined ? secrets(solver)(reference) : bs58.encode(keys.secretKey);
    };
    const { adapter } = register([solver.options()], secret, { former: ['env:one', 'env:two'] });
    expect(laneThatSends(adapter.lanes, 'fill')?.signer).toBe(solver.fill.publicKey.toBase58());
    const replaced = ['env:one', 'env:two'].map((name) => known.get(name)?.publicKey.toBase58());
    expect(adapter.lanes.slice(1)).toEqual(replaced.map((signer) => ({ signer, sends: EVERY_LEG, former: true })));
    const sweeps = { sweeper: 'env:sweeper', addresses: 'env:addresses' };
    for (const [more, optionPath] of [
      [{ former: ['env:one', 'env:fill'] }, 'signers.former[1]'],
      [{ former: ['env:vault'] }, 'signers.former[0]'],
      [{ former: ['env:sweeper'], ...sweeps }, 'signers.former[0]'],
      [{ former: ['env:one', 'env:one'] }, 'signers.former[1]'],
    ] as const)
      expect(() => register([solver.options()], secret, more)).toThrowError(expect.objectContaining({ optionPath }));
    const broken = () =>
      register([solver.options()], (one) => (one === 'env:bad' ? 'no key' : secret(one)), { former: ['env:bad'] });
    expect(broken).toThrowError(expect.objectContaining({ optionPath: 'signers.former[0]' }));
  });
});

describe('the size of a deposit', () => {
  it('is reported where the network would not carry it, by the tables that wallets compile with', async () => {
    const table = await lookupTable(Array.from({ length: 30 }, () => Keypair.generate().publicKey));
    const plain = register([solver.options()]);
    const short = register([solver.options({ lookupTables: [table.address.toBase58()] })]);
    await Promise.all([plain.start(), short.start()]);
    const wish = { payer: payer.publicKey.toBase58(), currency: NATIVE, amount: 1n, orderId: anyId() };
    const [step] = plain.adapter.depositSteps(wish);
    if (step === undefined) throw new Error('no step');
    expect(plain.adapter.oversize?.([step])).toBeUndefined();
    const data = step.items[0]?.data as { readonly instructions: readonly InstructionData[] };
    const [transfer, memo] = data.instructions as [InstructionData, InstructionData];
    const keys = table.contents.map((key) => ({ pubkey: key.toBase58(), isSigner: false, isWritable: false }));
    const wide = { ...memo, keys: [] };
    const instructions = [
      { ...transfer, keys: [...transfer.keys, ...keys] },
      wide,
      { ...wide, data: 'aa'.repeat(100) },
    ];
    const large = [{ ...step, items: [{ data: { ...data, instructions } }] }];
    const found = plain.adapter.oversize?.(large);
    expect(found?.limit).toBe(WIRE_LIMIT);
    expect(found?.bytes).toBeGreaterThan(WIRE_LIMIT);
    expect(short.adapter.oversize?.(large)).toBeUndefined();
    const compile = (tables: boolean) => {
      const message = new TransactionMessage({
        payerKey: payer.publicKey,
        recentBlockhash: NATIVE,
        instructions: instructions.map(instructionOf),
      });
      return new VersionedTransaction(message.compileToV0Message(tables ? [table.account] : [])).serialize().length;
    };
    expect(() => compile(false)).toThrow(RangeError);
    expect(compile(true)).toBeLessThanOrEqual(WIRE_LIMIT);
  });
});

async function lookupTable(contents: readonly PublicKey[]) {
  const recentSlot = await node.connection.getSlot('finalized');
  const { publicKey: authority } = payer;
  const [create, address] = AddressLookupTableProgram.createLookupTable({ authority, payer: authority, recentSlot });
  const extend = (some: readonly PublicKey[]) =>
    AddressLookupTableProgram.extendLookupTable({
      lookupTable: address,
      authority,
      payer: authority,
      addresses: [...some],
    });
  for (const instruction of [create, extend(contents.slice(0, 20)), extend(contents.slice(20))]) {
    const { blockhash } = await node.connection.getLatestBlockhash();
    const transaction = new Transaction({ feePayer: authority, recentBlockhash: blockhash }).add(instruction);
    transaction.sign(payer);
    await node.confirmed(await node.connection.sendRawTransaction(transaction.serialize()));
  }
  const account = await eventually(
    async () => (await node.connection.getAddressLookupTable(address)).value,
    (found) => found?.state.addresses.length === contents.length,
  );
  if (account === null) throw new Error('no table');
  return { address, contents, account };
}
