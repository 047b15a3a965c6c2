import type { SetUpItem, SetUpOptions } from '@causeway/core';
import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { type AddressLookupTableAccount, type Keypair, PublicKey } from '@solana/web3.js';
import type { SvmAdapter } from '../../src/svm-adapter.js';
import { fundedSolver, type TestSolver } from './adapter.js';
import type { LocalNode } from './node.js';
import type { TestToken } from './tokens.js';

export interface BareSolver extends TestSolver {
  readonly payer: Keypair;
  run(adapter: SvmAdapter, more?: Partial<SetUpOptions>): Promise<readonly SetUpItem[]>;
}

export async function bareSolver(node: LocalNode): Promise<BareSolver> {
  const solver = await fundedSolver(node, [], 10);
  const payer = await node.account(10);
  const run = async (adapter: SvmAdapter, more: Partial<SetUpOptions> = {}) => {
    const items: SetUpItem[] = [];
    const options = { dryRun: false, payer: payer.publicKey.toBase58(), signal: new AbortController().signal, ...more };
    for await (const item of adapter.setUp(options)) items.push(item);
    return items;
  };
  return { ...solver, payer, run };
}

export function currencyOf({ mint }: TestToken, n: number) {
  return { symbol: `T${n}`, name: `Token ${n}`, address: mint.toBase58(), decimals: 6, group: `t${n}` };
}

export function states(items: readonly SetUpItem[]): readonly SetUpItem['state'][] {
  return items.map(({ state }) => state);
}

export function those(items: readonly SetUpItem[], state: SetUpItem['state']): readonly SetUpItem[] {
  return items.filter((item) => item.state === state);
}

export const TABLE = "the vault's lookup table";

export function tableIn(items: readonly SetUpItem[]): string {
  const reported = items.filter(({ name }) => name === TABLE).at(-1)?.message ?? '';
  const found = /[1-9A-HJ-NP-Za-km-z]{32,44}/.exec(reported)?.[0];
  if (found === undefined) throw new Error(`no table in ${reported}`);
  return found;
}

export async function tableAt(node: LocalNode, address: string): Promise<AddressLookupTableAccount> {
  const { value } = await node.connection.getAddressLookupTable(new PublicKey(address), { commitment: 'confirmed' });
  if (value === null) throw new Error(`there is no table ${address}`);
  return value;
}

export async function heldBy(node: LocalNode, address: string): Promise<readonly string[]> {
  return (await tableAt(node, address)).state.addresses.map((key) => key.toBase58());
}

export function accountOf(token: TestToken, owner: PublicKey): PublicKey {
  return getAssociatedTokenAddressSync(token.mint, owner, true, token.program);
}
