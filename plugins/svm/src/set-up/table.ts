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

const MAX_TABLE_ADDRESSES = 256;
const HEAD = 56;
const ADDRESS = 32;
/** In the head: authority flag (1 byte), then the authority. */
const AUTHORITY_AT = 21;

/**
 * The payer-independent accounts of deposits in table order: programs, the vault, then mints with the vault's
 * accounts. Mints beyond the capacity are left out.
 */
export function tableContents({ programs }: Pick<ChainConfig, 'programs'>, vault: string): readonly string[] {
  const { system, memo, computeBudget, associatedToken, token, token2022 } = PROGRAMS;
  const mints = [...programs].flatMap(([mint, program]) => [mint, associatedAccount(mint, vault, program)]);
  return [system, memo, computeBudget, associatedToken, token, token2022, vault, ...mints].slice(
    0,
    MAX_TABLE_ADDRESSES,
  );
}

export function lackingIn(
  table: AddressLookupTableAccount | undefined,
  contents: readonly string[],
): readonly string[] {
  const held = new Set(table?.state.addresses.map((key) => key.toBase58()));
  return contents.filter((address) => !held.has(address));
}

export function tableBytes(addresses: number): number {
  return HEAD + addresses * ADDRESS;
}

/** Whether wallets can use a table and this authority can extend it: not frozen, deactivated or full. */
export function isOpenTo(table: AddressLookupTableAccount, authority: string, contents: readonly string[]): boolean {
  const filled = table.state.addresses.length + lackingIn(table, contents).length;
  return table.isActive() && table.state.authority?.toBase58() === authority && filled <= MAX_TABLE_ADDRESSES;
}

interface ListedTable {
  readonly pubkey: string;
  readonly account: { readonly data: readonly [string, string] };
}

/**
 * First the one with most of the wanted addresses. Anyone can create an empty table for an authority, but only its
 * signature adds addresses, so any is safe to use.
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
  // Deterministic, whatever order a node lists them in.
  const rank = new Map(tables.map((table) => [table, lackingIn(table, contents).length]));
  return tables
    .filter((table) => isOpenTo(table, authority, contents))
    .sort((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0) || (a.key.toBase58() < b.key.toBase58() ? -1 : 1));
}

export interface TableOwners {
  readonly authority: string;
  readonly payer: string;
}

/** @param slot a recent one that has a block; with the authority it determines the table's address. */
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

/** The limit of one transaction that also creates the table. */
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
