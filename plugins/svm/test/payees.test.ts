import { Keypair, PublicKey } from '@solana/web3.js';
import { expect, it } from 'vitest';
import type { ShownAccount } from '../src/accounts.js';
import { refuseAccount } from '../src/payees.js';
import { PROGRAMS } from '../src/programs.js';
import { associatedAccount } from '../src/token-accounts.js';

const key = () => Keypair.generate().publicKey;
const FUNDED: ShownAccount = {
  ...{ lamports: 890_880n, owner: PROGRAMS.system, executable: false, data: new Uint8Array() },
};

/** As a multisig derives the vault that it signs for. */
function vaultOfMultisig(): string {
  const [vault] = PublicKey.findProgramAddressSync([Buffer.from('vault'), key().toBuffer()], key());
  return vault.toBase58();
}

it('refuses an address that no key can sign for until it holds coins, and says what to do', () => {
  const vault = vaultOfMultisig();
  const words = refuseAccount(vault, undefined);
  expect(words).toMatch(/multisig, send it some coins once and ask again/);
  expect(words).toMatch(/token account, name the account that owns it/);
  expect(refuseAccount(vault, FUNDED)).toBeUndefined();
});

it('refuses a token account that is not open yet, and pays a key that holds nothing', () => {
  const owner = key().toBase58();
  const account = associatedAccount(key().toBase58(), owner, PROGRAMS.token);
  expect(refuseAccount(account, undefined)).toMatch(/name the account that owns it/);
  expect(refuseAccount(owner, undefined)).toBeUndefined();
});
