import { useEffect, useState } from 'preact/hooks';

const CONNECT = 'standard:connect';
const SIGN = 'solana:signMessage';

interface Account {
  readonly address: string;
}

/** What the page uses of a wallet of the Wallet Standard. */
export interface StandardWallet {
  readonly name: string;
  readonly features: {
    readonly [CONNECT]?: { connect(): Promise<{ readonly accounts: readonly Account[] }> };
    readonly [SIGN]?: {
      signMessage(ask: {
        readonly account: Account;
        readonly message: Uint8Array;
      }): Promise<readonly { readonly signature: Uint8Array }[]>;
    };
  };
}

interface Registry {
  register(...wallets: readonly StandardWallet[]): () => void;
}

/**
 * Wallets of this browser that sign texts for Solana, by the two window events of the Wallet Standard: the page says that
 * it is ready, and wallets that load later say that they are there.
 */
export function useStandardWallets(): readonly StandardWallet[] {
  const [wallets, setWallets] = useState<readonly StandardWallet[]>([]);
  useEffect(() => {
    const registry: Registry = {
      register: (...more) => {
        const able = more.filter(({ features }) => features[CONNECT] && features[SIGN]);
        setWallets((all) => [...all, ...able.filter((one) => !all.includes(one))]);
        return () => setWallets((all) => all.filter((one) => !more.includes(one)));
      },
    };
    const take = (event: Event) => (event as CustomEvent<(registry: Registry) => void>).detail(registry);
    window.addEventListener('wallet-standard:register-wallet', take);
    window.dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: registry }));
    return () => window.removeEventListener('wallet-standard:register-wallet', take);
  }, []);
  return wallets;
}

/** The account that the visitor allows this page to use. */
export async function standardAccountOf({ features }: StandardWallet): Promise<Account> {
  const account = (await features[CONNECT]?.connect())?.accounts[0];
  if (account === undefined) throw new Error('The wallet gave no account');
  return account;
}

/** @returns the Ed25519 signature of the text, in base64. */
export async function signStandardText({ features }: StandardWallet, account: Account, text: string): Promise<string> {
  const signed = (await features[SIGN]?.signMessage({ account, message: new TextEncoder().encode(text) }))?.[0];
  if (signed === undefined) throw new Error('The wallet gave no signature');
  return btoa(String.fromCharCode(...signed.signature));
}
