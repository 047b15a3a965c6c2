import type { DevnetAccount } from '@causeway/core';
import {
  AddressLookupTableAccount,
  AddressLookupTableProgram,
  Keypair,
  PublicKey,
  TransactionInstruction,
} from '@solana/web3.js';
import bs58 from 'bs58';
import { isNative, parseAddress } from '../addresses.js';
import { rpc } from './rpc.js';
import { confirmed, submit } from './send.js';

export async function sendStep(
  account: DevnetAccount,
  rpcUrl: string,
  data: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { instructions: listed, addressLookupTableAddresses: named = [] } = data;
  if (!Array.isArray(listed) || listed.length === 0) throw new Error('the step has no instructions');
  if (!Array.isArray(named)) throw new Error('the step has a list of lookup tables that is none');
  const instructions = listed.map(instruction);
  const tables = await Promise.all(named.map((address) => lookupTable(rpcUrl, address)));
  const keys = Keypair.fromSecretKey(bs58.decode(account.privateKey));
  const signature = await submit(rpcUrl, { signers: [keys], instructions, tables });
  await confirmed(rpcUrl, [signature]);
  return signature;
}

/** Smallest unit; for a token, over all accounts of the owner. */
export async function balance(rpcUrl: string, address: string, currency: string): Promise<bigint> {
  const commitment = 'confirmed';
  if (isNative(currency)) {
    const { value } = await rpc<{ readonly value: number }>(rpcUrl, 'getBalance', [address, { commitment }]);
    return BigInt(value);
  }
  const options = { commitment, encoding: 'jsonParsed' };
  const { value } = await rpc<{ readonly value: readonly ParsedTokenAccount[] }>(rpcUrl, 'getTokenAccountsByOwner', [
    address,
    { mint: currency },
    options,
  ]);
  return value.reduce((sum, { account }) => sum + BigInt(account.data.parsed.info.tokenAmount.amount), 0n);
}

interface TableAccount {
  readonly owner: string;
  readonly data: readonly [string, string];
}

interface ParsedTokenAccount {
  readonly account: { readonly data: { readonly parsed: { readonly info: { tokenAmount: { amount: string } } } } };
}

function instruction(listed: unknown, n: number): TransactionInstruction {
  const { programId, keys, data } = (listed ?? {}) as Readonly<Record<string, unknown>>;
  const where = `instruction ${n} of the step`;
  if (!Array.isArray(keys)) throw new Error(`${where} has no list of keys`);
  if (typeof data !== 'string' || !/^([0-9a-f]{2})*$/i.test(data)) throw new Error(`${where}: its data is no hex`);
  return new TransactionInstruction({
    programId: address(programId, `${where}: its program`),
    keys: keys.map(({ pubkey, isSigner, isWritable }: Readonly<Record<string, unknown>>) => ({
      pubkey: address(pubkey, `${where}: a key`),
      isSigner: isSigner === true,
      isWritable: isWritable === true,
    })),
    data: Buffer.from(data, 'hex'),
  });
}

function address(text: unknown, what: string): PublicKey {
  const parsed = parseAddress(String(text));
  if (!parsed.ok) throw new Error(`${what} is ${String(text)}: ${parsed.reason}`);
  return new PublicKey(parsed.value);
}

async function lookupTable(rpcUrl: string, text: unknown): Promise<AddressLookupTableAccount> {
  const key = address(text, 'a lookup table of the step');
  const options = { encoding: 'base64', commitment: 'confirmed' };
  const { value } = await rpc<{ readonly value: TableAccount | null }>(rpcUrl, 'getAccountInfo', [
    key.toBase58(),
    options,
  ]);
  if (value?.owner !== AddressLookupTableProgram.programId.toBase58())
    throw new Error(`there is no lookup table ${key.toBase58()} on ${rpcUrl}`);
  return new AddressLookupTableAccount({
    key,
    state: AddressLookupTableAccount.deserialize(Buffer.from(value.data[0], 'base64')),
  });
}
