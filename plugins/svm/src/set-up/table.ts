import type { HttpClient } from '@causeway/core/rpc';
import {
  AddressLookupTableAccount,
  AddressLookupTableProgram,
  PublicKey,
  type TransactionInstruction,
} from '@solana/web3.js';
import bs58 from 'bs58';
import type { ChainConfig } from '../chain-config.js';
import { PROGRAMS } from '../programs.js';
import { associatedAccount } from '../token-accounts.js';

/** Most that a table holds. */
const MOST = 256;
/** Bytes of a table before its first address. */
const HEAD = 56;
const ADDRESS = 32;
/** In the head: whether there is an authority (1 byte), and who. */
const AUTHORITY_AT = 21;

/**
 * Everything that a deposit names and that is the same for every payer, in the order in which it is put into the table:
 * programs, the vault, then each mint with the vault's account for it. Mints for which no room is left stay out.
 */
export function tableContents({ programs }: Pick<ChainConfig, 'programs'>, vault: string): readonly string[] {
  const { system, memo, computeBudget, associatedToken, token, token2022 } = PROGRAMS;
  const mints = [...programs].flatMap(([mint, program]) => [mint, associatedAccount(mint, vault, program)]);
  return [system, memo, computeBudget, associatedToken, token, token2022, vault, ...mints].slice(0, MOST);
}

/** Those that a table does not hold yet, in their order. */
export function lackingIn(
  table: AddressLookupTableAccount | undefined,
  contents: readonly string[],
): readonly string[] {
  const held = new Set(table?.state.addresses.map((key) => key.toBase58()));
  return contents.filter((address) => !held.has(address));
}

/** Bytes of a table of so many addresses. */
export function tableBytes(addresses: number): number {
  return HEAD + addresses * ADDRESS;
}

/** Whether wallets can use a table, and this authority can put what it lacks into it: not frozen, deactivated or full. */
export function isOpenTo(table: AddressLookupTableAccount, authority: string, contents: readonly string[]): boolean {
  const filled = table.state.addresses.length + lackingIn(table, contents).length;
  return table.isActive() && table.state.authority?.toBase58() === authority && filled <= MOST;
}

interface ListedTable {
  readonly pubkey: string;
  readonly account: { readonly data: readonly [string, string] };
}

/**
 * The active tables of an authority; first the table that holds most of the wanted addresses.
 *
 * Anybody can make a table for an authority, and leave it empty: only the authority's signature puts something in. So
 * whichever comes first is ours to use.
 *
 * @throws RpcError where the node does not list accounts of a program.
 */
export async function tablesOf(
  rpc: Pick<HttpClient, 'request'>,
  authority: string,
  contents: readonly string[],
): Promise<readonly AddressLookupTableAccount[]> {
  const bytes = bs58.encode(Buffer.concat([Buffer.from([1]), new PublicKey(authority).toBuffer()]));
  const filters = [{ memcmp: { offset: AUTHORITY_AT, bytes } }];
  const options = { encoding: 'base64', commitment: 'confirmed', filters };
  const listed = await rpc.request<readonly ListedTable[]>('getProgramAccounts', [PROGRAMS.lookupTable, options]);
  const tables = listed.map(({ pubkey, account }) => {
    const state = AddressLookupTableAccount.deserialize(Buffer.from(account.data[0], 'base64'));
    return new AddressLookupTableAccount({ key: new PublicKey(pubkey), state });
  });
  // Every run has to take the same one, in whatever order a node lists them.
  const rank = new Map(tables.map((table) => [table, lackingIn(table, contents).length]));
  return tables
    .filter((table) => isOpenTo(table, authority, contents))
    .sort((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0) || (a.key.toBase58() < b.key.toBase58() ? -1 : 1));
}

/** Who a table belongs to, and who pays for it. */
export interface TableOwners {
  readonly authority: string;
  readonly payer: string;
}

/** @param slot a recent one that has a block; with the authority it gives the table its address. */
export function tableCreation(
  { authority, payer }: TableOwners,
  slot: number,
): { readonly address: string; readonly instruction: TransactionInstruction } {
  const [instruction, address] = AddressLookupTableProgram.createLookupTable({
    authority: new PublicKey(authority),
    payer: new PublicKey(payer),
    recentSlot: slot,
  });
  return { address: address.toBase58(), instruction };
}

/** More do not fit into one transaction, beside the creation of the table. */
export const ADDRESSES_AT_ONCE = 20;

export function tableExtension(
  { authority, payer }: TableOwners,
  table: string,
  addresses: readonly string[],
): TransactionInstruction {
  return AddressLookupTableProgram.extendLookupTable({
    lookupTable: new PublicKey(table),
    authority: new PublicKey(authority),
    payer: new PublicKey(payer),
    addresses: addresses.map((address) => new PublicKey(address)),
  });
}
