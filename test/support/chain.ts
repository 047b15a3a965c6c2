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
  readonly swapEntry?: Address | undefined;
  readonly depositAddresses?: Address | undefined;
  readonly permitEntry?: Address | undefined;
  readonly permit2?: Address | undefined;
  /** By symbol. */
  readonly tokens: Readonly<Record<string, Address>>;
  /** Contracts of both Uniswap generations, with pools, and the wrapper of native coin. */
  readonly venues?: VenueDeployment | undefined;
}

const NUDGE_MS = 500;

/** A real local chain with the project's contracts; the test makes its blocks. */
export class TestChain {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly depository: Address;
  readonly router: Address;
  readonly swapEntry: Address | undefined;
  readonly depositAddresses: Address | undefined;
  readonly permitEntry: Address | undefined;
  readonly permit2: Address | undefined;
  readonly tokens: Readonly<Record<string, Address>>;
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
    this.depositAddresses = setup.depositAddresses;
    this.permitEntry = setup.permitEntry;
    this.permit2 = setup.permit2;
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
   * Makes a block. Concurrent callers share one: otherwise the node would mine all the time, and a node with many
   * calls while it mines has stopped responding.
   */
  advance(): Promise<void> {
    this.advancing ??= this.mine().finally(() => {
      this.advancing = undefined;
    });
    return this.advancing;
  }

  /** Makes all that is included final: the node's `finalized` block is two behind its head. */
  async finalise(): Promise<void> {
    await this.mine(3);
  }

  /** Transactions wait in the mempool until the test mines. */
  async manual(): Promise<void> {
    this.automatically = false;
    await this.client.setAutomine(false);
  }

  async automatic(): Promise<void> {
    this.automatically = true;
    await this.client.setAutomine(true);
    await this.mine();
  }

  /**
   * Of two transactions that arrive out of order, the node mines only one. Rate-limited: a node whose mempool is read
   * while it mines has stopped responding.
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

  /**
   * Replaces the newest `depth` blocks by empty ones, except for the given transactions with their place (0 = first
   * new block).
   */
  async reorg(depth: number, again: readonly (readonly [Hex, number])[] = []): Promise<void> {
    await this.client.request<{ Method: 'anvil_reorg'; Parameters: unknown[]; ReturnType: null }>({
      method: 'anvil_reorg',
      params: [depth, again],
    });
  }

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

  /** Moves the chain's clock permanently. */
  async passTime(seconds: number): Promise<void> {
    await this.client.increaseTime({ seconds });
    await this.mine();
  }

  /**
   * A chain reverted to a snapshot continues from that time: anything compared with the service's clock, as a quote's
   * expiry, would otherwise wait as long as the snapshot is old.
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

  /** For a failure message. */
  async state(sender: Address): Promise<string> {
    const head = await this.client.getBlockNumber({ cacheTime: 0 });
    const pool = await this.client.getTxpoolStatus();
    const nonce = await this.client.getTransactionCount({ address: sender, blockTag: 'latest' });
    return `${this.name}: block ${head}, ${pool.pending} pending, ${pool.queued} queued, nonce ${nonce}`;
  }
}
