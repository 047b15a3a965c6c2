import { signStandardText, standardAccountOf, useStandardWallets } from './standard-wallets.js';
import { accountOf, signText, useWallets } from './wallets.js';

/** An account of a wallet of this browser, on any family of chains. */
export interface SigningAccount {
  readonly address: string;
  sign(text: string): Promise<string>;
}

export interface TextSigner {
  readonly name: string;
  account(): Promise<SigningAccount>;
}

/** Wallets that prove an address by signing a text: of EIP-6963 and of the Wallet Standard. */
export function useTextSigners(): readonly TextSigner[] {
  const wallets = useWallets();
  const standard = useStandardWallets();
  return [
    ...wallets.map((wallet) => ({
      name: wallet.name,
      account: async () => {
        const address = await accountOf(wallet);
        return { address, sign: (text: string) => signText(wallet, address, text) };
      },
    })),
    ...standard.map((wallet) => ({
      name: wallet.name,
      account: async () => {
        const account = await standardAccountOf(wallet);
        return { address: account.address, sign: (text: string) => signStandardText(wallet, account, text) };
      },
    })),
  ];
}
