import {
  type Address,
  createWalletClient,
  encodeFunctionData,
  type Hash,
  type Hex,
  http,
  parseEther,
  type Transport,
  toHex,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { depositAbi, NATIVE, type TestChain, tokenAbi } from './chain.js';
import type { Quote, StepItem } from './rest.js';

export interface User {
  readonly address: Address;
  readonly privateKey: Hex;
  readonly account: ReturnType<typeof privateKeyToAccount>;
}

export function newUser(): User {
  const privateKey = generatePrivateKey();
  const account = privateKeyToAccount(privateKey);
  return { address: account.address, privateKey, account };
}

export function newAddress(): Address {
  return newUser().address;
}

/** The node's cheat for coin, the test tokens' faucet for tokens. */
export async function fund(
  chain: TestChain,
  owner: Address,
  symbols: Readonly<Record<string, bigint>> = {},
): Promise<void> {
  await chain.client.setBalance({ address: owner, value: symbols.ETH ?? parseEther('100') });
  for (const [symbol, amount] of Object.entries(symbols)) {
    if (symbol === 'ETH') continue;
    if (symbol === 'WETH') {
      await wrapFor(chain, owner, amount);
      continue;
    }
    const hash = await walletOf(chain, FAUCET).writeContract({
      address: chain.currency(symbol),
      abi: tokenAbi,
      functionName: 'mint',
      args: [[owner], amount],
    });
    await chain.receipt(hash);
  }
}

async function wrapFor(chain: TestChain, owner: Address, amount: bigint): Promise<void> {
  const wrapped = chain.currency('WETH');
  const wallet = walletOf(chain, FAUCET);
  const value = amount + parseEther('10000');
  await chain.client.setBalance({ address: FAUCET.address, value });
  await chain.receipt(
    await wallet.writeContract({ address: wrapped, abi: tokenAbi, functionName: 'deposit', value: amount }),
  );
  const give = { address: wrapped, abi: tokenAbi, functionName: 'transfer', args: [owner, amount] } as const;
  await chain.receipt(await wallet.writeContract(give));
}

export const FAUCET: User = (() => {
  const privateKey: Hex = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
  const account = privateKeyToAccount(privateKey);
  return { address: account.address, privateKey, account };
})();

/** As wallets do: a depository emptied between estimate and block makes a token deposit more expensive. */
function withGasToSpare(url: string): Transport {
  const plain = http(url, { retryCount: 0 });
  return (options) => {
    const transport = plain(options);
    const request = async (call: { readonly method: string }) => spared(call.method, await transport.request(call));
    return { ...transport, request: request as typeof transport.request };
  };
}

const spare = (gas: Hex): Hex => toHex((BigInt(gas) * 3n) / 2n);

function spared(method: string, answer: unknown): unknown {
  if (method === 'eth_estimateGas') return spare(answer as Hex);
  if (method !== 'eth_fillTransaction') return answer;
  const { tx, ...rest } = answer as { readonly tx: { readonly gas: Hex } };
  return { ...rest, tx: { ...tx, gas: spare(tx.gas) } };
}

export function walletOf(chain: TestChain, user: User) {
  return createWalletClient({
    account: user.account,
    chain: {
      id: chain.id,
      name: chain.name,
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [chain.url] } },
    },
    transport: withGasToSpare(chain.url),
    pollingInterval: 20,
  });
}

interface Call {
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
  readonly gas?: bigint;
  readonly nonce?: number;
}

async function send(chain: TestChain, user: User, call: Call): Promise<Hash> {
  return walletOf(chain, user).sendTransaction(call);
}

/** Sends one step item with only what the service put there. */
export async function sendItem(chain: TestChain, user: User, item: StepItem): Promise<Hash> {
  const { data } = item;
  if (data.chainId !== chain.id) throw new Error(`the step is for chain ${data.chainId}`);
  return send(chain, user, {
    to: data.to,
    data: data.data,
    value: BigInt(data.value),
    ...(data.gas === undefined ? {} : { gas: BigInt(data.gas) }),
  });
}

/** All steps in order; resolves with the deposit's hash, on a manual chain not yet mined. */
export async function pay(chain: TestChain, user: User, quote: Quote): Promise<Hash> {
  let last: Hash | undefined;
  const items = quote.steps.flatMap((step) => step.items);
  for (const [index, item] of items.entries()) {
    last = await sendItem(chain, user, item);
    if (index < items.length - 1) await chain.receipt(last);
  }
  if (last === undefined) throw new Error('the quote has no steps');
  return last;
}

interface OwnDeposit {
  readonly symbol: string;
  readonly amount: bigint;
  readonly id: Hex;
  readonly depositor?: Address;
  readonly nonce?: number;
}

/** A deposit outside a quote: any amount, currency and id. */
export async function depositDirectly(chain: TestChain, user: User, deposit: OwnDeposit): Promise<Hash> {
  if (chain.currency(deposit.symbol) !== NATIVE) await approve(chain, user, deposit.symbol, deposit.amount);
  return depositApproved(chain, user, deposit);
}

export async function approve(chain: TestChain, user: User, symbol: string, amount: bigint): Promise<void> {
  const hash = await walletOf(chain, user).writeContract({
    address: chain.currency(symbol),
    abi: tokenAbi,
    functionName: 'approve',
    args: [chain.depository, amount],
  });
  await chain.receipt(hash);
}

/** One transaction, after an approval. */
export async function depositApproved(chain: TestChain, user: User, deposit: OwnDeposit): Promise<Hash> {
  const { amount, id, depositor = NATIVE, nonce } = deposit;
  const token = chain.currency(deposit.symbol);
  const data =
    token === NATIVE
      ? encodeFunctionData({ abi: depositAbi, functionName: 'depositNative', args: [depositor, id] })
      : encodeFunctionData({ abi: depositAbi, functionName: 'depositErc20', args: [depositor, token, amount, id] });
  return send(chain, user, {
    to: chain.depository,
    data,
    value: token === NATIVE ? amount : 0n,
    ...(nonce === undefined ? {} : { nonce }),
  });
}
