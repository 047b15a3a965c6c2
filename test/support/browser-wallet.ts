import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import bs58 from 'bs58';
import type { Page } from 'playwright-core';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

interface Ask {
  readonly method: string;
  readonly params?: readonly unknown[];
}

/**
 * Announces a wallet as EIP-6963 has it. It signs by the key, and sends by the node of the chain, which holds the key too.
 *
 * @param rpcUrls by chain.
 */
export async function addWallet(
  page: Page,
  privateKey: Hex,
  rpcUrls: ReadonlyMap<number, string>,
  name: string,
): Promise<void> {
  const account = privateKeyToAccount(privateKey);
  let chainId = [...rpcUrls.keys()][0] ?? 0;
  const answer = async ({ method, params = [] }: Ask): Promise<unknown> => {
    if (method === 'eth_requestAccounts') return [account.address];
    if (method === 'personal_sign') return account.signMessage({ message: { raw: params[0] as Hex } });
    if (method === 'wallet_switchEthereumChain') {
      chainId = Number((params[0] as { readonly chainId: string }).chainId);
      return null;
    }
    const url = rpcUrls.get(chainId);
    if (url === undefined) throw new Error(`the wallet has no chain ${chainId}`);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const { result, error } = (await response.json()) as { result: unknown; error?: { message: string } };
    if (error) throw new Error(error.message);
    return result;
  };
  await page.exposeFunction('causewayTestWallet', answer);
  await page.addInitScript(`
    const provider = { request: (ask) => window.causewayTestWallet(ask) };
    const detail = { info: { uuid: 'test', name: ${JSON.stringify(name)}, icon: '', rdns: 'test' }, provider };
    const announce = () => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
    window.addEventListener('eip6963:requestProvider', announce);
  `);
}

const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * Registers a wallet as the Wallet Standard has it, which signs texts by the key.
 *
 * @param seed 32 bytes of the Ed25519 key.
 * @returns its address.
 */
export async function addStandardWallet(page: Page, seed: Uint8Array, name: string): Promise<string> {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
  const raw = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
  const address = bs58.encode(raw);
  await page.exposeFunction('causewayStandardWallet', (message: number[]) => [
    ...sign(null, Buffer.from(message), key),
  ]);
  await page.addInitScript(`
    const account = { address: ${JSON.stringify(address)} };
    const wallet = {
      version: '1.0.0', name: ${JSON.stringify(name)}, icon: '', chains: ['solana:localnet'], accounts: [account],
      features: {
        'standard:connect': { connect: async () => ({ accounts: [account] }) },
        'solana:signMessage': {
          signMessage: async ({ message }) => [
            { signature: new Uint8Array(await window.causewayStandardWallet([...message])) },
          ],
        },
      },
    };
    const register = ({ register: add }) => add(wallet);
    window.addEventListener('wallet-standard:app-ready', ({ detail }) => register(detail));
    window.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }));
  `);
  return address;
}
