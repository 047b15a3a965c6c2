import type { VenueDeployment } from '@causeway/plugin-evm/devnet';
import {
  type Address,
  createTestClient,
  type Hash,
  type Hex,
  http,
  parseAbi,
  publicActions,
  type TransactionReceipt,
  walletActions,
} from 'viem';
import { sleep, until } from './until.js';

export const NATIVE: Address = '0x0000000000000000000000000000000000000000';

export const tokenAbi = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function transfer(address to, uint256 amount) returns (bool)',
  'function approve(address spender, uint256 amount) returns (bool)',
  'function mint(address[] accounts, uint256 amount)',
  'function setBlocked(address account, bool value)',
  'function deposit() payable',
]);

export const depositAbi = parseAbi([
  'function depositNative(address depositor, bytes32 id) payable',
  'function depositErc20(address depositor, address token, uint256 amount, bytes32 id)',
]);

function clientOf(url: string) {
  return createTestClient({ mode: 'anvil', transport: http(url, { retryCount: 0 }), pollingInterval: 20 })
    .extend(publicActions)
    .extend(walletActions);
}

export interface ChainSetup {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly depository: Address;
  readonly router: Address;
  /** Where users execute what stays within the chain. */
  readonly swapEntry?: Address | undefined;
  /** By symbol. */
  readonly tokens: Readonly<Record<string, Address>>;
  /** Contracts of both generations of Uniswap, with pools, and what wraps native coin. */
  readonly venues?: VenueDeployment | undefined;
}

const NUDGE_MS = 500;

/** One real local chain with our contracts, whose blocks the test makes. */
export class TestChain {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly depository: Address;
  readonly router: Address;
  readonly swapEntry: Address | undefined;
  readonly tokens: Readonly<Record<string, Address>>;
  /** Undefined: the chain has none. */
  readonly venues: VenueDeployment | undefined;
  readonly client: ReturnType<typeof clientOf>;
  private automatically = true;
  private nextNudge = 0;
  private advancing: Promise<void> | undefined;

  constructor(setup: ChainSetup) {
    this.id = setup.id;
    this.name = setup.name;
    this.url = setup.url;
    this.depository = setup.depository;
    this.router = setup.router;
    this.swapEntry = setup.swapEntry;
    this.tokens = setup.tokens;
    this.venues = setup.venues;
    this.client = clientOf(setup.url);
  }

  /** `ETH` is the native coin; other symbols are the deployed tokens. */
  currency(symbol: string): Address {
    if (symbol === 'ETH') return NATIVE;
    const token = this.tokens[symbol];
    if (token === undefined) throw new Error(`no token ${symbol} on ${this.name}`);
    return token;
  }

  async balance(owner: Address, symbol: string): Promise<bigint> {
    const token = this.currency(symbol);
    if (token === NATIVE) return this.client.getBalance({ address: owner });
    return this.client.readContract({ address: token, abi: tokenAbi, functionName: 'balanceOf', args: [owner] });
  }

  async mine(blocks = 1): Promise<void> {
    for (let i = 0; i < blocks; i += 1) await this.client.mine({ blocks: 1 });
  }

  /**
   * A block. Whoever asks while one is being made is given that one: many who wait side by side for what blocks bring would
   * have the node mine all the time, and a node that is asked for much while it mines was seen to answer nothing any more.
   */
  advance(): Promise<void> {
    this.advancing ??= this.mine().finally(() => {
      this.advancing = undefined;
    });
    return this.advancing;
  }

  /** Makes everything that is included now final. The node's `finalized` block is two behind its head. */
  async finalise(): Promise<void> {
    await this.mine(3);
  }

  /** A transaction waits in the pool until the test mines. */
  async manual(): Promise<void> {
    this.automatically = false;
    await this.client.setAutomine(false);
  }

  /** Every transaction gets a block of its own at once; what waits in the pool is mined now. */
  async automatic(): Promise<void> {
    this.automatically = true;
    await this.client.setAutomine(true);
    await this.mine();
  }

  /**
   * Of two transactions that arrive in the wrong order, the node mines only one by itself. Seldom asked, however often it is
   * called: a node that is asked for its pool while it mines was seen to answer nothing any more.
   */
  async nudge(): Promise<void> {
    const now = performance.now();
    if (!this.automatically || now < this.nextNudge) return;
    this.nextNudge = now + NUDGE_MS;
    for (let look = 0; look < 3; look += 1) {
      const { pending } = await this.client.getTxpoolStatus();
      if (pending === 0) return;
      await sleep(20);
    }
    await this.mine();
  }

  /** Replaces the newest `depth` blocks by empty ones, except for the transactions given with their place (0 = first new block). */
  async reorg(depth: number, again: readonly (readonly [Hex, number])[] = []): Promise<void> {
    await this.client.request<{ Method: 'anvil_reorg'; Parameters: unknown[]; ReturnType: null }>({
      method: 'anvil_reorg',
      params: [depth, again],
    });
  }

  /** Replaces every block from the one that includes a transaction on; see `reorg`. */
  async reorgOut(hash: Hash, again: readonly (readonly [Hex, number])[] = []): Promise<void> {
    const { blockNumber } = await this.receipt(hash);
    const head = await this.client.getBlockNumber({ cacheTime: 0 });
    await this.reorg(Number(head - blockNumber) + 1, again);
  }

  async receipt(hash: Hash): Promise<TransactionReceipt> {
    return until(`receipt of ${hash} on ${this.name}`, async () => {
      try {
        return await this.client.getTransactionReceipt({ hash });
      } catch {
        return undefined;
      }
    });
  }

  /** Moves the chain's clock, for good. */
  async passTime(seconds: number): Promise<void> {
    await this.client.increaseTime({ seconds });
    await this.mine();
  }

  /**
   * A chain that was put back to a snapshot goes on from the time of that. What is compared with the service's own clock, as the
   * end of a quote is, would be waited for as long as the snapshot is old.
   */
  async catchUp(): Promise<void> {
    const { timestamp } = await this.client.getBlock();
    const now = BigInt(Math.floor(Date.now() / 1_000));
    if (timestamp < now) await this.client.setNextBlockTimestamp({ timestamp: now });
    await this.mine();
  }

  async pendingFrom(sender: Address): Promise<number> {
    const latest = await this.client.getTransactionCount({ address: sender, blockTag: 'latest' });
    const pending = await this.client.getTransactionCount({ address: sender, blockTag: 'pending' });
    return pending - latest;
  }
}
