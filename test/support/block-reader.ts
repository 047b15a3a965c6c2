import type { Address, Hash } from 'viem';
import { NATIVE, type TestChain } from './chain.js';
import type { PaidAddresses } from './deposit-addresses.js';
import type { Deposited, SolverTransaction } from './history.js';

/** Concurrent block requests: with thousands the last ones time out. */
const CONCURRENCY = 100;

/** A transfer to a deposit address, in chain order within its currency. */
export interface Paid extends Omit<Deposited, 'id'> {
  readonly to: string;
}

export interface Blocks {
  readonly sent: readonly SolverTransaction[];
  /** Native coin paid to deposit addresses. */
  readonly coins: readonly Paid[];
}

interface Read extends Blocks {
  readonly number: bigint;
  readonly hash: Hash;
  readonly addresses: number;
}

const lower = (address: Address): Address => address.toLowerCase() as Address;

/**
 * What the solver sent on a chain, and what deposit addresses got. Blocks are read once while the chain has the
 * newest one that was read, so that the cost of a verdict does not grow with the age of a shared world.
 */
export class BlockReader {
  private known: Read | undefined;

  private constructor(
    readonly chain: TestChain,
    readonly solver: Address,
    private readonly first: bigint,
  ) {}

  /** Of what follows the chain's head. */
  static async after(chain: TestChain, solver: Address): Promise<BlockReader> {
    return new BlockReader(chain, solver, (await chain.client.getBlockNumber({ cacheTime: 0 })) + 1n);
  }

  async read(addresses: PaidAddresses): Promise<Blocks> {
    const known = await this.stillTrue(addresses);
    const from = known === undefined ? this.first : known.number + 1n;
    const head = await this.chain.client.getBlockNumber({ cacheTime: 0 });
    const numbers = Array.from({ length: Number(head - from) + 1 }, (_, index) => from + BigInt(index));
    const found: Read[] = known === undefined ? [] : [known];
    for (let n = 0; n < numbers.length; n += CONCURRENCY)
      found.push(
        ...(await Promise.all(numbers.slice(n, n + CONCURRENCY).map((number) => this.one(number, addresses)))),
      );
    const newest = found.at(-1);
    if (newest === undefined) return { sent: [], coins: [] };
    const all = { sent: found.flatMap(({ sent }) => sent), coins: found.flatMap(({ coins }) => coins) };
    this.known = { ...newest, ...all };
    return all;
  }

  /** Not after a reorganisation, and not where an address may have been paid before it was known. */
  private async stillTrue(addresses: PaidAddresses): Promise<Read | undefined> {
    const { known } = this;
    if (known === undefined || known.addresses !== addresses.size) return undefined;
    const now = await this.chain.client.getBlock({ blockNumber: known.number }).catch(() => undefined);
    return now?.hash === known.hash ? known : undefined;
  }

  private async one(number: bigint, addresses: PaidAddresses): Promise<Read> {
    const { client, id: chainId } = this.chain;
    const block = await client.getBlock({ blockNumber: number, includeTransactions: true });
    const sent: SolverTransaction[] = [];
    const coins: Paid[] = [];
    for (const { hash, from, to, value: amount, nonce } of block.transactions) {
      const pays = amount > 0n && to !== null && addresses.has(lower(to));
      const own = lower(from) === lower(this.solver);
      if (!own && !pays) continue;
      const receipt = await client.getTransactionReceipt({ hash });
      const ok = receipt.status === 'success';
      const fee = receipt.gasUsed * receipt.effectiveGasPrice;
      if (own) sent.push({ chainId, hash, nonce, ok, fee });
      if (pays && ok) coins.push({ chainId, hash, from: lower(from), to: lower(to), token: NATIVE, amount });
    }
    return { number, hash: block.hash, addresses: addresses.size, sent, coins };
  }
}
