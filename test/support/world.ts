import { freePorts } from '@causeway/core/testing';
import { type Anvil, deployCauseway, startAnvil } from '@causeway/plugin-evm/devnet';
import { type Address, parseUnits } from 'viem';
import { BlockReader } from './block-reader.js';
import { TestChain } from './chain.js';
import {
  ADMIN_KEY,
  API_KEY,
  Home,
  newSolverKeys,
  POOL_PRICES,
  type SolverKeys,
  solverConfig,
  type Tuning,
} from './config.js';
import { type Arrival, NO_ADDRESSES, type OrderAt, orderAtOpen } from './deposit-addresses.js';
import { readHistory } from './history.js';
import { type Mapped, plainDeposits } from './nonce-mappings.js';
import { type Inventory, judge, type Payout, type Pot, type Promised, payoutsOf } from './oracle.js';
import { type Quote, Rest, requestIdOf, type Status } from './rest.js';
import { endAll, Running, ready, tail } from './service.js';
import { until } from './until.js';
import { fund, newAddress, newUser, type User } from './wallet.js';

/** Without the token with a transfer fee: what arrives is not what its events say. */
const SYMBOLS = ['ETH', 'USDC', 'USDT', 'DAI', 'BLOCK'] as const;

export interface Ask {
  readonly from?: TestChain;
  readonly to?: TestChain;
  readonly input?: string;
  readonly output?: string;
  /** Smallest unit of the side that the trade type fixes. */
  readonly amount: bigint;
  readonly tradeType?: 'EXACT_INPUT' | 'EXACT_OUTPUT' | 'EXPECTED_OUTPUT';
  readonly user?: User;
  readonly recipient?: Address;
  readonly refundTo?: Address;
  readonly body?: Readonly<Record<string, unknown>>;
  /** With an API key. */
  readonly keyed?: boolean;
}

export interface Order {
  readonly quote: Quote;
  readonly requestId: string;
  readonly orderId: `0x${string}`;
  readonly user: User;
  readonly recipient: Address;
  readonly refundTo: Address;
  readonly from: TestChain;
  readonly to: TestChain;
  readonly input: string;
  readonly output: string;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly minimumOut: bigint;
}

/** The expected deposit: what is paid, or its swap's output within the deposit. */
export function arrivesOf({ steps, details }: Quote): Pick<Promised, 'currencyIn' | 'amountIn'> {
  const { origin } = details.route;
  const swapsIn = steps.at(-1)?.id === 'deposit' && origin.router !== 'relay';
  const { currency, amount } = swapsIn ? origin.outputCurrency : details.currencyIn;
  return { currencyIn: currency.address, amountIn: BigInt(amount) };
}

/** Two real chains, one real service, and the record of all promises. */
export class World {
  readonly promises: Promised[] = [];
  readonly payouts: Payout[] = [];
  readonly credited: string[] = [];
  /** Plain transfers in these transactions pay for these orders. */
  readonly mapped: Mapped[] = [];
  /** Deposit addresses that were promised, by chain. */
  private readonly addresses = new Map<number, Map<string, OrderAt>>();
  service!: Running;
  private inventoryBefore: Inventory[] = [];
  private readonly blocks = new Map<TestChain, BlockReader>();

  private constructor(
    readonly a: TestChain,
    readonly b: TestChain,
    readonly home: Home,
    readonly keys: SolverKeys,
    readonly port: number,
    readonly rest: Rest,
    readonly nodes: readonly Anvil[],
  ) {}

  get chains(): readonly [TestChain, TestChain] {
    return [this.a, this.b];
  }

  /** Chains and configuration, no service yet. */
  static async prepare(tuning: Tuning = {}): Promise<World> {
    const keys = newSolverKeys(tuning.fillKey);
    const nodes = await Promise.all([31337, 31338].map((chainId) => startAnvil({ chainId })));
    const chains = await Promise.all(
      nodes.map(async (node, index) => {
        const roles = {
          fillSigner: keys.fill,
          allocator: keys.allocator.address,
          sweeper: keys.sweeper.address,
          executor: keys.executor.address,
        };
        const deployed = await deployCauseway(node, roles, {}, tuning.venues === true ? POOL_PRICES : undefined);
        const { depository, router, swapEntry, depositAddresses, permitEntry, permit2, venues } = deployed;
        const tokens = { ...deployed.tokens, ...venues?.tokens };
        const name = index === 0 ? 'alpha' : 'beta';
        const contracts = { depository, router, swapEntry, depositAddresses, permitEntry, permit2 };
        return new TestChain({ id: node.chainId, name, url: node.rpcUrl, ...contracts, tokens, venues });
      }),
    );
    const [a, b] = chains;
    if (a === undefined || b === undefined) throw new Error('two chains were asked for');
    const port = await freePorts();
    const home = new Home(keys);
    const world = new World(a, b, home, keys, port, new Rest(`http://127.0.0.1:${port}`, API_KEY, ADMIN_KEY), nodes);
    for (const chain of world.chains) {
      await chain.finalise();
      world.blocks.set(chain, await BlockReader.after(chain, keys.fill.address));
    }
    world.inventoryBefore = await world.inventory();
    world.configure(tuning);
    return world;
  }

  static async start(tuning: Tuning = {}): Promise<World> {
    const world = await World.prepare(tuning);
    try {
      await world.boot();
    } catch (error) {
      await world.close();
      throw error;
    }
    return world;
  }

  configure(tuning: Tuning): void {
    this.home.write(solverConfig(this.chains, this.port, tuning));
  }

  async boot(env: Readonly<Record<string, string>> = {}): Promise<void> {
    const { config, dir } = this.home;
    this.service = new Running(['start', config], env, dir, dir);
    await ready(this.service, this.rest.baseUrl);
  }

  async close(): Promise<void> {
    await Promise.all([endAll(), this.service?.kill()]);
    await Promise.all(this.nodes.map((node) => node.stop()));
    this.home.remove();
  }

  async user(amounts: Readonly<Record<string, bigint>> = {}): Promise<User> {
    const user = newUser();
    for (const chain of this.chains) await fund(chain, user.address, amounts);
    return user;
  }

  /** Each order has its own recipient and refund address, so that the oracle can distinguish payments. */
  async order(ask: Ask, rest: Rest = this.rest): Promise<Order> {
    const from = ask.from ?? this.a;
    const to = ask.to ?? (from === this.a ? this.b : this.a);
    const input = ask.input ?? 'ETH';
    const output = ask.output ?? input;
    const tradeType = ask.tradeType ?? 'EXACT_INPUT';
    const user = ask.user ?? newUser();
    if (ask.user === undefined)
      await fund(from, user.address, input === 'ETH' ? {} : { [input]: parseUnits('100000', 18) });
    const recipient = ask.recipient ?? newAddress();
    const refundTo = ask.refundTo ?? newAddress();
    const asked = {
      user: user.address,
      recipient,
      refundTo,
      originChainId: from.id,
      destinationChainId: to.id,
      originCurrency: from.currency(input),
      destinationCurrency: to.currency(output),
      amount: ask.amount.toString(),
      tradeType,
      ...ask.body,
    };
    const quote = await rest.quote(asked, ask.keyed === true ? rest.apiKey : undefined);
    const orderId = quote.protocol.v2.orderId;
    const amountIn = BigInt(quote.details.currencyIn.amount);
    const amountOut = BigInt(quote.details.currencyOut.amount);
    const minimumOut = BigInt(quote.details.currencyOut.minimumAmount);
    const { inputCurrency: gives } = quote.details.route.destination;
    const swaps = gives.currency.address !== quote.details.currencyOut.currency.address;
    this.promises.push({
      orderId,
      ...(swaps ? { given: { currency: gives.currency.address, most: BigInt(gives.amount) } } : {}),
      originChainId: from.id,
      ...arrivesOf(quote),
      destinationChainId: to.id,
      currencyOut: to.currency(output),
      expectedOut: amountOut,
      minimumOut,
      recipient,
      refundTo,
    });
    this.payouts.push(...payoutsOf(quote, to.id, recipient));
    const requestId = requestIdOf(quote);
    this.expectAt(from, quote, ask);
    return {
      quote,
      requestId,
      orderId,
      user,
      recipient,
      refundTo,
      from,
      to,
      input,
      output,
      amountIn,
      amountOut,
      minimumOut,
    };
  }

  private expectAt({ id }: TestChain, quote: Quote, { body }: Ask): void {
    const address = quote.steps[0]?.depositAddress;
    if (!address) return;
    const { orderId } = quote.protocol.v2;
    const known = this.addresses.get(id) ?? new Map<string, OrderAt>();
    const orderAt = body?.['strict'] === true ? () => orderId : orderAtOpen(id, requestIdOf(quote), address);
    this.addresses.set(id, known.set(address, orderAt));
  }

  /** A transfer of its input to an order's open deposit address, which brings at least nine tenths of it. */
  expect(order: Order, { before, amount }: Omit<Arrival, 'token'>): void {
    const { from, requestId, quote } = order;
    const address = quote.steps[0]?.depositAddress ?? '';
    const token = from.currency(order.input);
    const promise = this.promises.find(({ orderId }) => orderId === order.orderId);
    if (promise === undefined || order.input !== order.output) throw new Error('no such order between equals');
    const orderId = orderAtOpen(from.id, requestId, address)({ token, before, amount });
    const terms = { amountIn: amount, expectedOut: amount, minimumOut: (amount * 9n) / 10n };
    this.promises.push({ ...promise, orderId, ...terms });
  }

  /** Registers a deliberate act of the test on an order. */
  excuse(
    order: Order,
    why: Partial<Pick<Promised, 'depositTakenAway' | 'held' | 'partBack' | 'refundTo' | 'unmeasured'>>,
  ): void {
    const index = this.promises.findIndex((promise) => promise.orderId === order.orderId);
    const promise = this.promises[index];
    if (promise !== undefined) this.promises[index] = { ...promise, ...why };
  }

  /**
   * Waits for a status. With `mining`, each poll mines a block on both chains for finality, without advancing their
   * clocks.
   */
  async becomes(
    order: { readonly requestId: string },
    status: string,
    options: { readonly mining?: boolean; readonly ms?: number } = {},
  ): Promise<Status> {
    let seen: Status | undefined;
    try {
      return await until(
        `${order.requestId} becomes ${status}`,
        async () => {
          await Promise.all(this.chains.map((chain) => (options.mining === true ? chain.mine() : chain.nudge())));
          seen = await this.rest.status(order.requestId);
          return seen.status === status ? seen : undefined;
        },
        { ms: options.ms ?? 20_000, every: options.mining === true ? 100 : 50, seen: () => seen },
      );
    } catch (error) {
      const state = (await Promise.all(this.chains.map((chain) => chain.state(this.keys.fill.address)))).join('\n');
      throw new Error(`${(error as Error).message}\n${state}\nthe service said:\n${tail(this.service.output)}`);
    }
  }

  /** Makes everything included final. */
  async finalise(): Promise<void> {
    await Promise.all(this.chains.map((chain) => chain.finalise()));
  }

  /**
   * Mines until all is quiet, then returns all violations. Repeated when the signer sent something meanwhile (as
   * collects), because the reads are not one snapshot.
   */
  async verdict(): Promise<readonly string[]> {
    let quiet = 0;
    let before = '';
    return until(
      'the chains are quiet',
      async () => {
        await Promise.all(this.chains.map((chain) => chain.mine()));
        const now = await this.sent();
        quiet = now === before ? quiet + 1 : 0;
        before = now;
        if (quiet < 10) return undefined;
        const violations = await this.judgeNow();
        return (await this.sent()) === now ? violations : undefined;
      },
      { ms: 30_000, every: 100 },
    );
  }

  private async sent(): Promise<string> {
    const { address } = this.keys.fill;
    const counts = this.chains.map((chain) => chain.client.getTransactionCount({ address, blockTag: 'pending' }));
    return (await Promise.all(counts)).join();
  }

  /** For callers that know the chains to be quiet. */
  async judgeNow(): Promise<readonly string[]> {
    const { fill, sweeper } = this.keys;
    const { address } = fill;
    const [histories, waiting, inventory, pots] = await Promise.all([
      Promise.all(
        [...this.blocks].map(async ([chain, blocks]) => {
          const read = await readHistory(blocks, this.addresses.get(chain.id) ?? NO_ADDRESSES);
          return { ...read, deposits: [...read.deposits, ...(await plainDeposits(chain, this.mapped, read.deposits))] };
        }),
      ),
      Promise.all(this.chains.flatMap((chain) => [address, sweeper.address].map((one) => chain.pendingFrom(one)))),
      this.inventory(),
      this.pots(),
    ]);
    return judge({
      solvers: [address],
      histories,
      promises: this.promises,
      payouts: this.payouts,
      credited: this.credited,
      inventory,
      pots,
      waiting: waiting.reduce((total, count) => total + count, 0),
    });
  }

  /** Registers an id under which deposits top up an app balance, or a linked payer whose deposits do. */
  credits(idOrPayer: string): void {
    this.credited.push(idOrPayer.toLowerCase());
  }

  /** Registers funds that a test gives to the fill signer. */
  toppedUp(chain: TestChain, symbol: string, amount: bigint): void {
    const token = chain.currency(symbol);
    this.inventoryBefore = this.inventoryBefore.map((one) =>
      one.chainId === chain.id && one.token === token ? { ...one, before: one.before + amount } : one,
    );
  }

  remember(): () => void {
    const promises = [...this.promises];
    const payouts = [...this.payouts];
    const credited = [...this.credited];
    const mapped = [...this.mapped];
    const inventory = this.inventoryBefore;
    const addresses = new Map([...this.addresses].map(([id, known]) => [id, new Map(known)]));
    return () => {
      this.addresses.clear();
      for (const [id, known] of addresses) this.addresses.set(id, new Map(known));
      this.promises.splice(0, this.promises.length, ...promises);
      this.payouts.splice(0, this.payouts.length, ...payouts);
      this.credited.splice(0, this.credited.length, ...credited);
      this.mapped.splice(0, this.mapped.length, ...mapped);
      this.inventoryBefore = inventory;
    };
  }

  private async inventory(): Promise<Inventory[]> {
    return this.ofEveryToken(async (chain, symbol, token) => {
      const now = await chain.balance(this.keys.fill.address, symbol);
      const known = this.inventoryBefore.find((one) => one.chainId === chain.id && one.token === token);
      return { chainId: chain.id, token, before: known?.before ?? now, now };
    });
  }

  private async pots(): Promise<Pot[]> {
    return this.ofEveryToken(async (chain, symbol, token) => {
      const addresses = [...(this.addresses.get(chain.id)?.keys() ?? [])] as Address[];
      const held = await Promise.all([chain.depository, ...addresses].map((one) => chain.balance(one, symbol)));
      return { chainId: chain.id, token, now: held.reduce((sum, amount) => sum + amount, 0n) };
    });
  }

  private ofEveryToken<T>(read: (chain: TestChain, symbol: string, token: Address) => Promise<T>): Promise<T[]> {
    const all = this.chains.flatMap((chain) =>
      [...SYMBOLS, ...Object.keys(chain.venues?.tokens ?? {})].map((symbol) => ({ chain, symbol })),
    );
    return Promise.all(all.map(({ chain, symbol }) => read(chain, symbol, chain.currency(symbol))));
  }
}
