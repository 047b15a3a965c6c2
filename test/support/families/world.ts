import { join } from 'node:path';
import { freePorts, type JsonRpcFaultProxy, jsonRpcFaultProxy } from '@causeway/core/testing';
import { type Anvil, deployCauseway, startAnvil } from '@causeway/plugin-evm/devnet';
import { withCredentials } from '../../../plugins/bvm/test/support/node.js';
import { TestChain } from '../chain.js';
import { ADMIN_KEY, API_KEY, Home, newSolverKeys, solverConfig, type Tuning } from '../config.js';
import { type Inventory, judge, type Payout, type Promised, payoutsOf } from '../oracle.js';
import { type Quote, Rest, requestIdOf, type Status } from '../rest.js';
import { endAll, Running, ready, tail } from '../service.js';
import { until } from '../until.js';
import { type BvmAsk, BvmSide } from './bvm-side.js';
import { EvmSide } from './evm-side.js';
import type { Payer, PayingSide, Side } from './side.js';
import { type SvmNodes, type SvmSide, startSvm } from './svm-side.js';

export interface Ask<P extends Payer> {
  /** With the integrator's API key. */
  readonly keyed?: boolean;
  readonly from: PayingSide<P>;
  readonly to: Side;
  /** Native coins, where none is named. */
  readonly input?: string;
  readonly output?: string;
  /** Smallest unit of the side that the trade type fixes. */
  readonly amount: bigint;
  readonly tradeType?: 'EXACT_INPUT' | 'EXACT_OUTPUT' | 'EXPECTED_OUTPUT';
  readonly recipient?: string;
  readonly refundTo?: string;
  readonly body?: Readonly<Record<string, unknown>>;
  /** The test removes the deposit after the fill, which then has none. */
  readonly depositTakenAway?: boolean;
}

export interface Order {
  readonly quote: Quote;
  readonly requestId: string;
  readonly orderId: string;
  readonly payer: Payer;
  readonly recipient: string;
  readonly refundTo: string;
  readonly from: Side;
  readonly to: Side;
  readonly input: string;
  readonly output: string;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly minimumOut: bigint;
}

export interface OwnOrder<P extends Payer> extends Order {
  readonly payer: P;
  readonly from: PayingSide<P>;
}

/** Finality takes 31 of them; a service that may have lost data rests for 182 more. */
const SVM_SLOT_MS = 50;
const USDC = { symbol: 'USDC', name: 'USD Coin', address: 'devnet', decimals: 6, group: 'usd-coin' };
const FEE = {
  ...{ symbol: 'FEE', name: 'Fee On Transfer', address: 'devnet', decimals: 6, group: 'fee-token' },
  program: 'token-2022',
};

export interface FamiliesTuning extends Pick<Tuning, 'edit' | 'orderTtl' | 'collectMinUsd'> {
  readonly quoteValidityMs?: number;
  /** SVM chains; two by default. */
  readonly svm?: 0 | 1 | 2;
  /** UTXO chains; none by default. */
  readonly bvm?: readonly BvmAsk[];
  readonly slotMs?: number;
  readonly plugins?: readonly unknown[];
  /** Slot polling of SVM nodes, in addition to the websocket. */
  readonly pollMs?: number;
  /** The service reaches every node through a fault proxy, except SVM websockets. */
  readonly proxied?: boolean;
}

function svmOptions({ svm = 2, slotMs = SVM_SLOT_MS, quoteValidityMs = 60_000, pollMs }: FamiliesTuning) {
  const chain = (id: number, name: string) => ({
    ...{ id, name, displayName: name, rpc: 'devnet', blockTimeMs: slotMs, currencies: [USDC, FEE] },
    ...{
      finality: { tiers: [{ belowUsd: 100_000, depth: 0 }] },
      quoteValidityMs,
      ...(pollMs === undefined ? {} : { watch: { pollMs } }),
    },
  });
  return { chains: [chain(792703809, 'sigma'), chain(9286185, 'tau')].slice(0, svm) };
}

/** Real chains of several families, one real service, and the record of all promises. */
export class FamiliesWorld {
  private readonly promises: Promised[] = [];
  readonly payouts: Payout[] = [];
  private inventoryBefore: readonly Inventory[] = [];
  service!: Running;

  private constructor(
    readonly evm: EvmSide,
    readonly bvm: readonly BvmSide[],
    readonly rest: Rest,
    readonly home: Home,
    private readonly anvil: Anvil,
    private readonly svm: SvmNodes,
    private readonly proxies: ReadonlyMap<number, JsonRpcFaultProxy>,
  ) {}

  static async start(tuning: FamiliesTuning = {}): Promise<FamiliesWorld> {
    const world = await FamiliesWorld.prepare(tuning);
    try {
      await world.boot();
    } catch (error) {
      await world.close();
      throw error;
    }
    return world;
  }

  /** Chains and configuration, no service yet. */
  static async prepare(tuning: FamiliesTuning = {}): Promise<FamiliesWorld> {
    const { slotMs: _, pollMs: __, svm: ___, bvm: asked = [], proxied = false, plugins = [], ...common } = tuning;
    const keys = newSolverKeys();
    const home = new Home(keys);
    const [anvil, svm, bvm] = await Promise.all([
      startAnvil({ chainId: 31337 }),
      startSvm(svmOptions(tuning), join(home.dir, 'keys')),
      Promise.all(asked.map((ask) => BvmSide.start(ask))),
    ]);
    const roles = { fillSigner: keys.fill, allocator: keys.allocator.address };
    const { depository, router, tokens } = await deployCauseway(anvil, roles);
    const chain = new TestChain({ id: 31337, name: 'alpha', url: anvil.rpcUrl, depository, router, tokens });
    const port = await freePorts();
    const proxies = new Map<number, JsonRpcFaultProxy>();
    if (proxied) for (const { id, url } of [chain, ...svm.sides, ...bvm]) proxies.set(id, await jsonRpcFaultProxy(url));
    const alpha = proxies.get(chain.id);
    for (const [path, text] of bvm.flatMap(({ secrets }) => Object.entries(secrets))) home.secret(path, text);
    home.write(
      solverConfig([chain], port, {
        prices: Object.assign({ solana: '150' }, ...bvm.map(({ price }) => price)) as Record<string, string>,
        withPlugins: [
          ...(svm.sides.length === 0 ? [] : [{ use: '@causeway/plugin-svm', options: behind(proxies, svm.options) }]),
          ...(bvm.length === 0 ? [] : [{ use: '@causeway/plugin-bvm', options: bvmOptions(proxies, bvm) }]),
          ...plugins,
        ],
        ...(alpha === undefined ? {} : { rpc: { [chain.id]: [{ http: alpha.url, ws: alpha.wsUrl }] } }),
        ...common,
      }),
    );
    const rest = new Rest(`http://127.0.0.1:${port}`, API_KEY, ADMIN_KEY);
    const side = await EvmSide.of(chain, keys.fill.address);
    const world = new FamiliesWorld(side, bvm, rest, home, anvil, svm, proxies);
    world.inventoryBefore = (await world.inventory()).map((one) => ({ ...one, before: one.now }));
    return world;
  }

  get s(): SvmSide {
    return present(this.svm.sides[0]);
  }

  get t(): SvmSide {
    return present(this.svm.sides[1]);
  }

  get sides(): readonly Side[] {
    return [this.evm, ...this.svm.sides, ...this.bvm];
  }

  get database(): string {
    return this.home.database;
  }

  get config(): string {
    return this.home.config;
  }

  proxy({ id }: Side): JsonRpcFaultProxy {
    const found = this.proxies.get(id);
    if (found === undefined) throw new Error(`chain ${id} has no fault proxy`);
    return found;
  }

  /** Starts the service, again or for the first time, on the same database and port. */
  async boot(env: Readonly<Record<string, string>> = {}): Promise<void> {
    const { config, dir } = this.home;
    this.service = new Running(['start', config], env, dir, dir);
    await ready(this.service, this.rest.baseUrl);
  }

  async close(): Promise<void> {
    await endAll();
    await Promise.all([this.anvil.stop(), this.svm.stop(), ...this.bvm.map((side) => side.stop())]);
    await Promise.all([...this.proxies.values()].map((proxy) => proxy.close()));
    this.home.remove();
  }

  /** Each order has its own recipient and refund address, so that payments can be distinguished. */
  async order<P extends Payer>(ask: Ask<P>): Promise<OwnOrder<P>> {
    const { from, to, input = from.coin, output = to.coin, tradeType = 'EXACT_INPUT' } = ask;
    const payer = await from.payer(input);
    const recipient = ask.recipient ?? to.newAddress();
    const refundTo = ask.refundTo ?? from.newAddress();
    const asked = {
      user: payer.address,
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
    const quote = await this.rest.quote(asked, ask.keyed === true ? this.rest.apiKey : undefined);
    const { orderId } = quote.protocol.v2;
    const { currencyIn, currencyOut } = quote.details;
    const amountIn = BigInt(currencyIn.amount);
    const amountOut = BigInt(currencyOut.amount);
    const minimumOut = BigInt(currencyOut.minimumAmount);
    this.promises.push({
      ...{ orderId, recipient, refundTo, amountIn, minimumOut, expectedOut: amountOut },
      ...{ originChainId: from.id, currencyIn: from.currency(input) },
      ...{ destinationChainId: to.id, currencyOut: to.currency(output) },
      depositTakenAway: ask.depositTakenAway === true,
    });
    this.payouts.push(...payoutsOf(quote, to.id, recipient));
    const requestId = requestIdOf(quote);
    return {
      ...{ quote, requestId, orderId, payer, recipient, refundTo, from, to, input, output },
      ...{ amountIn, amountOut, minimumOut },
    };
  }

  /** Waits for a status, advancing chains that stand still. */
  async becomes(order: { readonly requestId: string }, status: string, ms = 30_000): Promise<Status> {
    let seen: Status | undefined;
    try {
      return await until(
        `${order.requestId} becomes ${status}`,
        async () => {
          await Promise.all(this.sides.map((side) => side.advance()));
          seen = await this.rest.status(order.requestId);
          return seen.status === status ? seen : undefined;
        },
        { ms, every: 100, seen: () => seen },
      );
    } catch (error) {
      throw new Error(`${(error as Error).message}\nthe service said:\n${tail(this.service.output)}`);
    }
  }

  /**
   * Waits until all chains are quiet, then returns all violations. Repeated when the solver sent something meanwhile
   * (as collects), because the reads are not one snapshot.
   */
  async verdict(): Promise<readonly string[]> {
    let quiet = 0;
    let before = -1;
    return until(
      'the chains are quiet',
      async () => {
        await Promise.all(this.sides.map((side) => side.advance()));
        const now = await this.sent();
        quiet = now.waiting === 0 && now.mined === before ? quiet + 1 : 0;
        before = now.mined;
        if (quiet < 10) return undefined;
        const violations = await this.judgeNow();
        const after = await this.sent();
        return after.waiting === 0 && after.mined === now.mined ? violations : undefined;
      },
      { ms: 40_000, every: 200 },
    );
  }

  /** Transactions of the solvers, over all chains. */
  private async sent(): Promise<{ readonly mined: number; readonly waiting: number }> {
    const histories = await Promise.all(this.sides.map((side) => side.history()));
    const waiting = await Promise.all(this.sides.map((side) => side.waiting()));
    return {
      mined: histories.reduce((sum, { sent }) => sum + sent.length, 0),
      waiting: waiting.reduce((sum, count) => sum + count, 0),
    };
  }

  private async judgeNow(): Promise<readonly string[]> {
    const [histories, inventory, pots, { waiting }] = await Promise.all([
      Promise.all(this.sides.map((side) => side.history())),
      this.inventory(),
      Promise.all(this.sides.map((side) => side.pots())),
      this.sent(),
    ]);
    return judge({
      solvers: this.sides.map(({ solver }) => solver),
      histories,
      promises: this.promises,
      payouts: this.payouts,
      inventory,
      pots: pots.flat(),
      waiting,
    });
  }

  private async inventory(): Promise<readonly Inventory[]> {
    const all = (await Promise.all(this.sides.map((side) => side.inventory()))).flat();
    return all.map((one) => {
      const known = this.inventoryBefore.find(({ chainId, token }) => chainId === one.chainId && token === one.token);
      return { ...one, before: known?.before ?? one.now };
    });
  }
}

function behind(proxies: ReadonlyMap<number, JsonRpcFaultProxy>, options: unknown): unknown {
  const { chains, ...others } = options as {
    readonly chains: readonly { readonly id: number; readonly rpc: readonly { readonly ws: string }[] }[];
  };
  return {
    ...others,
    chains: chains.map(({ rpc, ...chain }) => {
      const http = proxies.get(chain.id)?.url;
      return { ...chain, rpc: rpc.map((one) => (http === undefined ? one : { ...one, http })) };
    }),
  };
}

function bvmOptions(proxies: ReadonlyMap<number, JsonRpcFaultProxy>, sides: readonly BvmSide[]): unknown {
  return {
    chains: sides.map((side) => {
      const http = proxies.get(side.id)?.url;
      return side.options(http === undefined ? undefined : withCredentials(http));
    }),
  };
}

function present(side: SvmSide | undefined): SvmSide {
  if (side === undefined) throw new Error('the world has fewer chains of this family');
  return side;
}
