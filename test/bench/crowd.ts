import { type Hex, keccak256, parseUnits } from 'viem';
import type { TestChain } from '../support/chain.js';
import { type Quote, requestIdOf } from '../support/rest.js';
import { newUser, type User, walletOf } from '../support/wallet.js';
import type { World } from '../support/world.js';

export interface SignedDeposit {
  readonly orderId: Hex;
  readonly requestId: string;
  readonly hash: Hex;
  readonly raw: Hex;
}

export async function payer(chain: TestChain): Promise<User> {
  const user = newUser();
  await chain.client.setBalance({ address: user.address, value: parseUnits('100000', 18) });
  return user;
}

export async function signDeposits(
  world: World,
  from: TestChain,
  to: TestChain,
  user: User,
  count: number,
  amount: bigint,
): Promise<SignedDeposit[]> {
  const wallet = walletOf(from, user);
  let nonce = await from.client.getTransactionCount({ address: user.address });
  const deposits: SignedDeposit[] = [];
  for (let index = 0; index < count; index += 1) {
    const quote = await patientQuote(world, {
      user: user.address,
      recipient: newUser().address,
      originChainId: from.id,
      destinationChainId: to.id,
      originCurrency: from.currency('ETH'),
      destinationCurrency: to.currency('ETH'),
      amount: amount.toString(),
      tradeType: 'EXACT_INPUT',
    });
    const data = quote.steps[0]?.items[0]?.data;
    if (!data) throw new Error('the quote has no deposit step');
    const raw = await wallet.signTransaction({
      to: data.to,
      data: data.data,
      value: BigInt(data.value),
      nonce,
      gas: 200_000n,
      maxFeePerGas: 100_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
      type: 'eip1559',
      chainId: from.id,
    });
    nonce += 1;

    deposits.push({ orderId: quote.protocol.v2.orderId, requestId: requestIdOf(quote), hash: keccak256(raw), raw });
  }
  return deposits;
}

/** Waits where liquidity is bound at present. */
export async function patientQuote(world: World, ask: Readonly<Record<string, unknown>>): Promise<Quote> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const reply = await world.rest.call<Quote & { errorCode?: string }>('POST', '/quote/v2', { body: ask });
    if (reply.status === 200) return reply.body;
    if (reply.body.errorCode !== 'INSUFFICIENT_LIQUIDITY' || performance.now() > deadline) {
      throw new Error(`quote answered ${reply.status}: ${JSON.stringify(reply.body)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

export function ordersIn(raw: string, orders: ReadonlySet<string>): readonly string[] {
  return [...orders].filter((id) => raw.includes(id.slice(2)));
}

export async function statuses(world: World, ids: readonly string[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const id of ids) {
    const { status } = await world.rest.status(id);
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}
