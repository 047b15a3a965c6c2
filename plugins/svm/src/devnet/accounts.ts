import { createHash } from 'node:crypto';
import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';

export interface TestAccount {
  readonly address: string;
  /** Base58 of seed and public key, as wallets export it. */
  readonly privateKey: string;
}

export function publicKeypair(name: string): Keypair {
  return Keypair.fromSeed(createHash('sha256').update(`causeway devnet ${name}`).digest());
}

export const users: readonly TestAccount[] = Array.from({ length: 8 }, (_, n) => account(publicKeypair(`user ${n}`)));

export function newAccount(): TestAccount {
  return account(Keypair.generate());
}

function account({ publicKey, secretKey }: Keypair): TestAccount {
  return { address: publicKey.toBase58(), privateKey: bs58.encode(secretKey) };
}

export const minter: Keypair = publicKeypair('minter');
