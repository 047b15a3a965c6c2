import { type Address, encodeFunctionData, type Hex, parseEther, parseUnits } from 'viem';
import { batcher } from '../../../plugins/evm/src/generated/contracts.js';
import type { TestChain } from '../../support/chain.js';
import { requestIdOf } from '../../support/rest.js';
import { FAUCET, fund, newAddress, walletOf } from '../../support/wallet.js';
import type { World } from '../../support/world.js';
import { patientQuote } from '../crowd.js';
import { Payer, type Signed } from './signed.js';

/** `plain` and `internal` are of native coin: by a transaction, by a contract as exchanges pay. */
export const KINDS = ['plain', 'internal', 'token'] as const;
export type Kind = (typeof KINDS)[number];

export interface AddressOrder {
  readonly kind: Kind;
  readonly orderId: Hex;
  readonly requestId: string;
  readonly address: Address;
  readonly recipient: Address;
  /** Quoted, smallest unit. */
  readonly amountOut: bigint;
}

export const COIN = parseEther('0.005');
export const TOKEN = parseUnits('10', 6);

export async function addressOrder(world: World, kind: Kind): Promise<AddressOrder> {
  const { a, b } = world;
  const symbol = kind === 'token' ? 'USDC' : 'ETH';
  const recipient = newAddress();
  const quote = await patientQuote(world, {
    ...{ user: newAddress(), recipient, refundTo: newAddress(), originChainId: a.id, destinationChainId: b.id },
    ...{ originCurrency: a.currency(symbol), destinationCurrency: b.currency(symbol), tradeType: 'EXACT_INPUT' },
    ...{ amount: (kind === 'token' ? TOKEN : COIN).toString(), useDepositAddress: true, strict: true },
  });
  const address = quote.steps[0]?.depositAddress as Address;
  const amountOut = BigInt(quote.details.currencyOut.amount);
  return { kind, orderId: quote.protocol.v2.orderId, requestId: requestIdOf(quote), address, recipient, amountOut };
}

/** A transaction that pays to the addresses of these orders. */
export interface Payment extends Signed {
  readonly orders: readonly AddressOrder[];
}

/** Payers of each kind, who sign in advance. */
export class Payers {
  readonly #chain: TestChain;
  readonly #batcher: Address;
  readonly #by: Readonly<Record<Kind, Payer>>;

  private constructor(chain: TestChain, batched: Address) {
    this.#chain = chain;
    this.#batcher = batched;
    this.#by = { plain: new Payer(chain), internal: new Payer(chain), token: new Payer(chain) };
  }

  static async ready(chain: TestChain): Promise<Payers> {
    const hash = await walletOf(chain, FAUCET).deployContract({ ...batcher, args: [] });
    const { contractAddress } = await chain.receipt(hash);
    if (!contractAddress) throw new Error('no contract was made');
    const payers = new Payers(chain, contractAddress);
    for (const { user } of Object.values(payers.#by))
      await fund(chain, user.address, { ETH: parseEther('1000'), USDC: parseUnits('100000', 6) });
    return payers;
  }

  /** Those by a contract all in one transaction. */
  async sign(orders: readonly AddressOrder[]): Promise<readonly Payment[]> {
    const signed: Payment[] = [];
    for (const order of orders) {
      const { kind, address } = order;
      if (kind === 'plain')
        signed.push({ ...(await this.#by.plain.sign({ to: address, value: COIN })), orders: [order] });
      if (kind === 'token') {
        const sent = await this.#by.token.transfer(this.#chain.currency('USDC'), address, TOKEN);
        signed.push({ ...sent, orders: [order] });
      }
    }
    const internal = orders.filter(({ kind }) => kind === 'internal');
    if (internal.length === 0) return signed;
    const calls = internal.map(({ address }) => ({ to: address, data: '0x' as Hex, value: COIN }));
    const data = encodeFunctionData({ abi: batcher.abi, functionName: 'execute', args: [calls] });
    const value = COIN * BigInt(internal.length);
    const sent = await this.#by.internal.sign({ to: this.#batcher, data, value, gas: 5_000_000n });
    return [...signed, { ...sent, orders: internal }];
  }
}
