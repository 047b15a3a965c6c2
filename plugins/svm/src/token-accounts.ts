import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';

const MAX_CACHED_ACCOUNTS = 10_000;
const known = new Map<string, string>();

/** The associated token account. Cached: the derivation takes about a millisecond of hashing. */
export function associatedAccount(mint: string, owner: string, program: string): string {
  const key = `${mint}:${owner}:${program}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const account = deriveAccount(mint, owner, program);
  if (known.size >= MAX_CACHED_ACCOUNTS) known.clear();
  known.set(key, account);
  return account;
}

/** As `associatedAccount`, for callers that keep it. */
export function deriveAccount(mint: string, owner: string, program: string): string {
  const [asset, holder, tokens] = [mint, owner, program].map((text) => new PublicKey(text)) as [
    PublicKey,
    PublicKey,
    PublicKey,
  ];
  return getAssociatedTokenAddressSync(asset, holder, true, tokens).toBase58();
}
