import { type Address, encodeFunctionData, type Hex, keccak256 } from 'viem';
import { type TestChain, tokenAbi } from '../../support/chain.js';
import { newUser, type User, walletOf } from '../../support/wallet.js';

export interface Signed {
  readonly hash: Hex;
  readonly raw: Hex;
}

export interface Paid {
  readonly to: Address;
  readonly data?: Hex;
  readonly value?: bigint;
  readonly gas?: bigint;
}

/** An account that signs its transactions in advance, for any block. */
export class Payer {
  readonly user: User = newUser();
  readonly #chain: TestChain;
  #nonce = 0;

  constructor(chain: TestChain) {
    this.#chain = chain;
  }

  async sign({ to, data = '0x', value = 0n, gas = 100_000n }: Paid): Promise<Signed> {
    const raw = await walletOf(this.#chain, this.user).signTransaction({
      ...{ to, data, value, gas, nonce: this.#nonce, type: 'eip1559', chainId: this.#chain.id },
      ...{ maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n },
    });
    this.#nonce += 1;
    return { hash: keccak256(raw), raw };
  }

  transfer(token: Address, to: Address, amount: bigint): Promise<Signed> {
    const data = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [to, amount] });
    return this.sign({ to: token, data });
  }
}

/** In one request, in order. */
export async function sendAll({ url }: TestChain, transactions: readonly Signed[]): Promise<void> {
  const calls = transactions.map(({ raw }, id) => ({
    ...{ jsonrpc: '2.0', id, method: 'eth_sendRawTransaction', params: [raw] },
  }));
  const body = JSON.stringify(calls);
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const refused = ((await answer.json()) as readonly { readonly error?: { readonly message: string } }[]).find(
    ({ error }) => error !== undefined,
  );
  if (refused !== undefined) throw new Error(`the node refused a transaction: ${refused.error?.message}`);
}
