import { type Address, encodeFunctionData, type Hex, parseEther, parseUnits } from 'viem';
import { batcher } from '../../../plugins/evm/src/generated/contracts.js';
import type { TestChain } from '../../support/chain.js';
import { requestIdOf, type StepItem } from '../../support/rest.js';
import { FAUCET, fund, newAddress, walletOf } from '../../support/wallet.js';
import type { World } from '../../support/world.js';
import { patientQuote } from '../crowd.js';
import { Payer, type Signed } from './signed.js';

/**
 * `depository`: native coin, without a deposit address. Others pay to one: native coin by a transaction (`plain`) or by a
 * contract (`internal`), as exchanges do; a token.
 */
export type Kind = 'depository' | 'plain' | 'token' | 'internal';

const COIN = parseEther('0.005');
const TOKEN = parseUnits('10', 6);

export interface AddressOrder {
  readonly kind: Kind;
  readonly orderId: Hex;
  readonly requestId: string;
  readonly address: Address;
  readonly recipient: Address;
  /** Quoted, smallest unit. */
  readonly amountOut: bigint;
  readonly pay: StepItem['data'];
}

export async function addressOrder(world: World, kind: Kind): Promise<AddressOrder> {
  const { a, b } = world;
  const symbol = kind === 'token' ? 'USDC' : 'ETH';
  const recipient = newAddress();
  const quote = await patientQuote(world, {
    ...{ user: newAddress(), recipient, refundTo: newAddress(), originChainId: a.id, destinationChainId: b.id },
    ...{ originCurrency: a.currency(symbol), destinationCurrency: b.currency(symbol), tradeType: 'EXACT_INPUT' },
    amount: (kind === 'token' ? TOKEN : COIN).toString(),
    ...(kind === 'depository' ? {} : { useDepositAddress: true, strict: true }),
  });
  const [step] = quote.steps;
  const pay = step?.items[0]?.data;
  if (pay === undefined) throw new Error('the quote has no deposit step');
  const address = step?.depositAddress as Address;
  const amountOut = BigInt(quote.details.currencyOut.amount);
  return {
    kind,
    orderId: quote.protocol.v2.orderId,
    requestId: requestIdOf(quote),
    address,
    recipient,
    amountOut,
    pay,
  };
}

/** A transaction that pays for these orders. */
export interface Payment extends Signed {
  readonly orders: readonly AddressOrder[];
}

/** Accounts that sign payments in advance. */
export class Payers {
  readonly #batcher: Address;
  readonly #own: Payer;

  private constructor(chain: TestChain, batched: Address) {
    this.#batcher = batched;
    this.#own = new Payer(chain);
  }

  static async ready(chain: TestChain): Promise<Payers> {
    const hash = await walletOf(chain, FAUCET).deployContract({ ...batcher, args: [] });
    const { contractAddress } = await chain.receipt(hash);
    if (!contractAddress) throw new Error('no contract was made');
    const payers = new Payers(chain, contractAddress);
    const amounts = { ETH: parseEther('10000'), USDC: parseUnits('100000', 6) };
    await fund(chain, payers.#own.user.address, amounts);
    return payers;
  }

  /** Those by a contract all in one transaction. */
  async sign(orders: readonly AddressOrder[]): Promise<readonly Payment[]> {
    const signed: Payment[] = [];
    for (const order of orders.filter(({ kind }) => kind !== 'internal')) {
      const { to, data, value } = order.pay;
      signed.push({ ...(await this.#own.sign({ to, data, value: BigInt(value) })), orders: [order] });
    }
    const internal = orders.filter(({ kind }) => kind === 'internal');
    if (internal.length === 0) return signed;
    const calls = internal.map(({ pay }) => ({ to: pay.to, data: pay.data, value: BigInt(pay.value) }));
    const data = encodeFunctionData({ abi: batcher.abi, functionName: 'execute', args: [calls] });
    const value = calls.reduce((sum, call) => sum + call.value, 0n);
    const sent = await this.#own.sign({ to: this.#batcher, data, value, gas: 5_000_000n });
    return [...signed, { ...sent, orders: internal }];
  }
}
