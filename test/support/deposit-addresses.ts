import { type Address, encodeFunctionData, type Hash, keccak256, toHex } from 'viem';
import { NATIVE, type TestChain, tokenAbi } from './chain.js';
import { fund, newUser, type User, walletOf } from './wallet.js';

/** What arrived at a deposit address at once: `amount`, after `before` of the same currency; smallest unit. */
export interface Arrival {
  readonly token: string;
  readonly before: bigint;
  readonly amount: bigint;
}

/** The order that an arrival pays for. */
export type OrderAt = (arrival: Arrival) => string;

/** By address, as its quote wrote it. */
export type PaidAddresses = ReadonlyMap<string, OrderAt>;

export const NO_ADDRESSES: PaidAddresses = new Map();

export function writtenAs(write: (address: string) => string, addresses: PaidAddresses): PaidAddresses {
  return new Map([...addresses].map(([address, orderAt]) => [write(address), orderAt]));
}

/** Of an open address on an EVM chain, as in core/docs/decisions/0087-deposit-addresses.md; without the product's code. */
export function orderAtOpen(chainId: number, requestId: string, address: string): OrderAt {
  return ({ token, before, amount }) => {
    const range = `${chainId}:at:${address}:${token}:${before}:${before + amount}`.toLowerCase();
    return keccak256(toHex(`deposit-address:${requestId}:${range}`));
  };
}

/** Names arrivals one after the other. */
export class Arrivals {
  readonly #sums = new Map<string, bigint>();

  constructor(private readonly addresses: PaidAddresses) {}

  /** Undefined: no deposit address. */
  orderOf(address: string, token: string, amount: bigint): string | undefined {
    const orderAt = this.addresses.get(address);
    if (orderAt === undefined) return undefined;
    const key = `${address} ${token}`;
    const before = this.#sums.get(key) ?? 0n;
    this.#sums.set(key, before + amount);
    return orderAt({ token, before, amount });
  }
}

/** As an exchange pays: from an account that has nothing to do with the order. Resolves once it is in a block. */
export async function payAddress(
  chain: TestChain,
  address: Address,
  symbol: string,
  amount: bigint,
): Promise<{ readonly user: User; readonly hash: Hash }> {
  const user = newUser();
  const token = chain.currency(symbol);
  await fund(chain, user.address, token === NATIVE ? {} : { [symbol]: amount });
  const wallet = walletOf(chain, user);
  const transfer = { abi: tokenAbi, functionName: 'transfer', args: [address, amount] } as const;
  const hash =
    token === NATIVE
      ? await wallet.sendTransaction({ to: address, value: amount })
      : await wallet.sendTransaction({ to: token, data: encodeFunctionData(transfer) });
  await chain.receipt(hash);
  return { user, hash };
}
