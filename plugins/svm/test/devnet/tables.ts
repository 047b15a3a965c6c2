import { AddressLookupTableProgram, PublicKey } from '@solana/web3.js';
import { minter } from '../../src/devnet/accounts.js';
import { rpc } from '../../src/devnet/rpc.js';
import { confirmed, submit } from '../../src/devnet/send.js';

export async function tableOf(url: string, address: string): Promise<string> {
  const slot = await rpc<number>(url, 'getSlot', [{ commitment: 'processed' }]);
  const owner = { authority: minter.publicKey, payer: minter.publicKey };
  const [create, table] = AddressLookupTableProgram.createLookupTable({ ...owner, recentSlot: slot - 1 });
  const addresses = [new PublicKey(address)];
  const extend = AddressLookupTableProgram.extendLookupTable({ ...owner, lookupTable: table, addresses });
  await confirmed(url, [await submit(url, { signers: [minter], instructions: [create, extend] })]);
  return table.toBase58();
}
