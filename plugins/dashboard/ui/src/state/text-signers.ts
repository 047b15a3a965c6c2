import { signStandardText, standardAccountOf, useStandardWallets } from './standard-wallets.js';
import { accountOf, signBytes, signText, useWallets } from './wallets.js';

/** An account of a wallet of this browser, on any family of chains. */
export interface SigningAccount {
  readonly address: string;
  sign(text: string): Promise<string>;
  /** Of 32 bytes as hex, as its family signs them: on EVM chains the bytes, on Solana the hex as a text. */
  signId(id: string): Promise<string>;
}

export interface TextSigner {
  readonly name: string;
  readonly vmType: 'evm' | 'svm';
  account(): Promise<SigningAccount>;
}

const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/;
/** 32 bytes in base58. */
const SOLANA_ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** The family of an account, by how it is written; undefined: wallets of this browser sign for none such. */
export function familyOf(address: string): TextSigner['vmType'] | undefined {
  if (EVM_ADDRESS.test(address)) return 'evm';
  return SOLANA_ADDRESS.test(address) ? 'svm' : undefined;
}

/** Wallets that prove an address by signing a text: of EIP-6963 and of the Wallet Standard. */
export function useTextSigners(): readonly TextSigner[] {
  const wallets = useWallets();
  const standard = useStandardWallets();
  return [
    ...wallets.map((wallet) => ({
      name: wallet.name,
      vmType: 'evm' as const,
      account: async () => {
        const address = await accountOf(wallet);
        return {
          address,
          sign: (text: string) => signText(wallet, address, text),
          signId: (id: string) => signBytes(wallet, address, id),
        };
      },
    })),
    ...standard.map((wallet) => ({
      name: wallet.name,
      vmType: 'svm' as const,
      account: async () => {
        const account = await standardAccountOf(wallet);
        const sign = (text: string) => signStandardText(wallet, account, text);
        return { address: account.address, sign, signId: sign };
      },
    })),
  ];
}
