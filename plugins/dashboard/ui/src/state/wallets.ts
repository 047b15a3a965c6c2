import { useEffect, useState } from 'preact/hooks';

interface Provider {
  request(ask: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>;
}

/** A wallet of this browser (EIP-6963). */
export interface Wallet {
  readonly uuid: string;
  /** Chosen by the wallet. */
  readonly name: string;
  readonly provider: Provider;
}

interface Announcement {
  readonly info?: { readonly uuid?: unknown; readonly name?: unknown };
  readonly provider?: Provider;
}

/** Wallets that have announced themselves. */
export function useWallets(): readonly Wallet[] {
  const [wallets, setWallets] = useState<readonly Wallet[]>([]);
  useEffect(() => {
    const take = (event: Event) => {
      const { info, provider } = (event as CustomEvent<Announcement>).detail;
      const uuid = info?.uuid;
      if (typeof uuid !== 'string' || !provider) return;
      const wallet = { uuid, name: String(info?.name ?? 'Wallet'), provider };
      setWallets((all) => (all.some((one) => one.uuid === uuid) ? all : [...all, wallet]));
    };
    window.addEventListener('eip6963:announceProvider', take);
    window.dispatchEvent(new Event('eip6963:requestProvider'));
    return () => window.removeEventListener('eip6963:announceProvider', take);
  }, []);
  return wallets;
}

/** The account that the visitor allows this page to use. */
export async function accountOf({ provider }: Wallet): Promise<string> {
  const accounts = (await provider.request({ method: 'eth_requestAccounts' })) as readonly string[];
  const account = accounts[0];
  if (account === undefined) throw new Error('The wallet gave no account');
  return account;
}

/** Of a text, as EIP-191 has it. */
export function signText(wallet: Wallet, account: string, text: string): Promise<string> {
  const hex = [...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return signBytes(wallet, account, `0x${hex}`);
}

/** Of bytes, as EIP-191 has them. */
export async function signBytes({ provider }: Wallet, account: string, hex: string): Promise<string> {
  return (await provider.request({ method: 'personal_sign', params: [hex, account] })) as string;
}

const RECEIPT_MS = 1_500;

/**
 * Sends a call and waits until it is included.
 *
 * @throws where it reverts.
 */
export async function sendCall(
  { provider }: Wallet,
  from: string,
  chainId: number,
  call: { readonly to: string; readonly data: string; readonly value?: string },
): Promise<string> {
  await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: `0x${chainId.toString(16)}` }] });
  const { to, data, value = '0' } = call;
  const transaction = { from, to, data, value: `0x${BigInt(value).toString(16)}` };
  const hash = (await provider.request({ method: 'eth_sendTransaction', params: [transaction] })) as string;
  for (;;) {
    const receipt = (await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] })) as {
      readonly status?: string;
    } | null;
    if (receipt?.status === '0x0') throw new Error(`Transaction ${hash} reverted`);
    if (receipt) return hash;
    await new Promise((resolve) => window.setTimeout(resolve, RECEIPT_MS));
  }
}
