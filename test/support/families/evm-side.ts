import { type Address, parseUnits } from 'viem';
import { BlockReader } from '../block-reader.js';
import type { TestChain } from '../chain.js';
import { NO_ADDRESSES, type PaidAddresses } from '../deposit-addresses.js';
import { type ChainHistory, readHistory } from '../history.js';
import type { Inventory, Pot } from '../oracle.js';
import type { Quote } from '../rest.js';
import { fund, newAddress, newUser, pay, type User } from '../wallet.js';
import type { PayingSide } from './side.js';

const SYMBOLS = ['ETH', 'USDC'] as const;

/** Mines with each transaction, and by itself in tests that wait. */
export class EvmSide implements PayingSide<User> {
  readonly coin = 'ETH';
  readonly decimals = 18;

  private constructor(
    readonly chain: TestChain,
    readonly solver: Address,
    private readonly blocks: BlockReader,
  ) {}

  static async of(chain: TestChain, solver: Address): Promise<EvmSide> {
    await chain.finalise();
    return new EvmSide(chain, solver, await BlockReader.after(chain, solver));
  }

  get id(): number {
    return this.chain.id;
  }

  get name(): string {
    return this.chain.name;
  }

  currency(symbol: string): string {
    return this.chain.currency(symbol);
  }

  balance(owner: string, symbol: string): Promise<bigint> {
    return this.chain.balance(owner as Address, symbol);
  }

  newAddress(): string {
    return newAddress();
  }

  async payer(symbol: string): Promise<User> {
    const user = newUser();
    await fund(this.chain, user.address, symbol === this.coin ? {} : { [symbol]: parseUnits('100000', 18) });
    return user;
  }

  async pay(payer: User, quote: Quote): Promise<string> {
    const hash = await pay(this.chain, payer, quote);
    const { status } = await this.chain.receipt(hash);
    if (status !== 'success') throw new Error(`the deposit ${hash} was reverted`);
    return hash;
  }

  advance(): Promise<void> {
    return this.chain.advance();
  }

  history(addresses: PaidAddresses = NO_ADDRESSES): Promise<ChainHistory> {
    return readHistory(this.blocks, addresses);
  }

  inventory(): Promise<readonly Omit<Inventory, 'before'>[]> {
    return this.ofEach([this.solver]);
  }

  pots(addresses: PaidAddresses = NO_ADDRESSES): Promise<readonly Pot[]> {
    return this.ofEach([this.chain.depository, ...(addresses.keys() as Iterable<Address>)]);
  }

  waiting(): Promise<number> {
    return this.chain.pendingFrom(this.solver);
  }

  private ofEach(owners: readonly Address[]) {
    return Promise.all(
      SYMBOLS.map(async (symbol) => {
        const all = await Promise.all(owners.map((owner) => this.chain.balance(owner, symbol)));
        const now = all.reduce((sum, one) => sum + one, 0n);
        return { chainId: this.id, token: this.chain.currency(symbol), now };
      }),
    );
  }
}
