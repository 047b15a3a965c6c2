import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';

/** Where tokens of a mint are paid to an owner: the account that the associated token program gives them. */
export function associatedAccount(mint: string, owner: string, program: string): string {
  return getAssociatedTokenAddressSync(
    new PublicKey(mint),
    new PublicKey(owner),
    true,
    new PublicKey(program),
  ).toBase58();
}
