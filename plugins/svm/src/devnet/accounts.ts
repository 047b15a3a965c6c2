import { createHash } from 'node:crypto';
import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';

export interface TestAccount {
  readonly address: string;
  /** Base58 of seed and public key, as wallets export it. */
  readonly privateKey: string;
}

/** A key that everybody can make: worthless elsewhere. */
export function publicKeypair(name: string): Keypair {
  return Keypair.fromSeed(createHash('sha256').update(`causeway devnet ${name}`).digest());
}

/** Funded users of a local chain. */
export const users: readonly TestAccount[] = Array.from({ length: 8 }, (_, n) => account(publicKeypair(`user ${n}`)));

/** An account that no chain has heard of. */
export function newAccount(): TestAccount {
  return account(Keypair.generate());
}

function account({ publicKey, secretKey }: Keypair): TestAccount {
  return { address: publicKey.toBase58(), privateKey: bs58.encode(secretKey) };
}

/** Makes the tokens of a local chain. Never a user, never a solver key. */
export const minter: Keypair = publicKeypair('minter');
