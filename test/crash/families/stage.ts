import { freePorts } from '@causeway/core/testing';
import { type Anvil, deployCauseway, startAnvil } from '@causeway/plugin-evm/devnet';
import { TestChain } from '../../support/chain.js';
import {
  ADMIN_KEY,
  API_KEY,
  Home,
  newSolverKeys,
  type SolverKeys,
  solverConfig,
  type Tuning,
} from '../../support/config.js';
import { NO_ADDRESSES, type OrderAt, type PaidAddresses } from '../../support/deposit-addresses.js';
import { EvmSide } from '../../support/families/evm-side.js';
import type { Payer, PayingSide, Side } from '../../support/families/side.js';
import type { ChainHistory } from '../../support/history.js';
import { type Inventory, judge, type Promised } from '../../support/oracle.js';
import { Rest, requestIdOf } from '../../support/rest.js';
import { WarmServices } from '../warm-service.js';
import type { Audit } from './lost-fees.js';

const HOUR_MS = 3_600_000;

export interface Ask {
  readonly input: string;
  readonly output: string;
  readonly amount: bigint;
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface Order {
  readonly requestId: string;
  readonly from: Side;
  readonly to: Side;
  readonly input: string;
  readonly output: string;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly recipient: string;
  readonly refundTo: string;
  /** Empty: it has none. */
  readonly depositAddress: string;
  pay(): Promise<string>;
}

export interface Extra<S extends Side> {
  readonly side: S;
  readonly plugin: { readonly use: string; readonly options: unknown };
  readonly prices: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Plays are not reset: each has its own order, and all are judged together. */
export class FamiliesStage<S extends Side = Side> {
  readonly #promises: Promised[] = [];
  readonly #addresses = new Map<number, Map<string, OrderAt>>();
  #before: readonly Inventory[] = [];

  private constructor(
    readonly evm: EvmSide,
    readonly rest: Rest,
    readonly home: Home,
    readonly services: WarmServices,
    private readonly extra: Extra<S>,
    private readonly chain: TestChain,
    private readonly port: number,
    private readonly anvil: Anvil,
  ) {}

  static async open<S extends Side>(start: (home: Home) => Promise<Extra<S>>): Promise<FamiliesStage<S>> {
    const keys: SolverKeys = newSolverKeys();
    const home = new Home(keys);
    const [anvil, extra] = await Promise.all([startAnvil({ chainId: 31337 }), start(home)]);
    const roles = { fillSigner: keys.fill, allocator: keys.allocator.address };
    const { depository, router, tokens } = await deployCauseway(anvil, roles);
    const chain = new TestChain({ id: 31337, name: 'alpha', url: anvil.rpcUrl, depository, router, tokens });
    const port = await freePorts();
    const rest = new Rest(`http://127.0.0.1:${port}`, API_KEY, ADMIN_KEY);
    const plugins = ['@causeway/plugin-evm', extra.plugin.use];
    const services = new WarmServices(home.config, home.dir, 1, plugins);
    const evm = await EvmSide.of(chain, keys.fill.address);
    const stage = new FamiliesStage(evm, rest, home, services, extra, chain, port, anvil);
    stage.#before = (await stage.#inventory()).map((one) => ({ ...one, before: one.now }));
    return stage;
  }

  get other(): S {
    return this.extra.side;
  }

  get sides(): readonly Side[] {
    return [this.evm, this.other];
  }

  configure(tuning: Tuning = {}): void {
    const common = {
      ...{ quoteValidityMs: HOUR_MS, orderTtl: '1h', collectMinUsd: '1000000000', collectEvery: '300ms' },
      ...{ prices: this.extra.prices, withPlugins: [this.extra.plugin] },
    };
    this.home.write(solverConfig([this.chain], this.port, { ...common, ...tuning }));
  }

  async order<P extends Payer>(from: PayingSide<P>, to: Side, ask: Ask): Promise<Order> {
    const { input, output } = ask;
    const payer = await from.payer(input);
    const recipient = to.newAddress();
    const refundTo = from.newAddress();
    const quote = await this.rest.quote({
      ...{ user: payer.address, recipient, refundTo, originChainId: from.id, destinationChainId: to.id },
      ...{ originCurrency: from.currency(input), destinationCurrency: to.currency(output) },
      ...{ amount: ask.amount.toString(), tradeType: 'EXACT_INPUT', ...ask.body },
    });
    const { currencyIn, currencyOut } = quote.details;
    const amountIn = BigInt(currencyIn.amount);
    const amountOut = BigInt(currencyOut.amount);
    this.#promises.push({
      ...{ orderId: quote.protocol.v2.orderId, recipient, refundTo, amountIn, expectedOut: amountOut },
      ...{ minimumOut: BigInt(currencyOut.minimumAmount) },
      ...{ originChainId: from.id, currencyIn: from.currency(input) },
      ...{ destinationChainId: to.id, currencyOut: to.currency(output) },
    });
    const requestId = requestIdOf(quote);
    const { depositAddress = '' } = quote.steps[0] ?? {};
    const { orderId } = quote.protocol.v2;
    if (depositAddress !== '') this.#expectAt(from.id, depositAddress, () => orderId);
    const pay = () => from.pay(payer, quote);
    const sides = { from, to, input, output };
    return { requestId, ...sides, amountIn, amountOut, recipient, refundTo, depositAddress, pay };
  }

  #expectAt(chainId: number, address: string, orderAt: OrderAt): void {
    const known = this.#addresses.get(chainId) ?? new Map<string, OrderAt>();
    this.#addresses.set(chainId, known.set(address, orderAt));
  }

  #addressesOf({ id }: Side): PaidAddresses {
    return this.#addresses.get(id) ?? NO_ADDRESSES;
  }

  async advance(): Promise<void> {
    await Promise.all(this.sides.map((side) => side.advance()));
  }

  async audit(): Promise<Audit> {
    const { baseUrl, adminKey } = this.rest;
    const response = await fetch(`${baseUrl}/admin/audit`, { headers: { 'x-admin-key': adminKey } });
    if (response.status !== 200) throw new Error(`the audit answered ${response.status}`);
    return (await response.json()) as Audit;
  }

  async sent(): Promise<number> {
    return (await this.histories()).reduce((sum, { sent }) => sum + sent.length, 0);
  }

  histories(): Promise<readonly ChainHistory[]> {
    return Promise.all(this.sides.map((side) => side.history(this.#addressesOf(side))));
  }

  async violations(): Promise<readonly string[]> {
    const [histories, inventory, pots, waiting] = await Promise.all([
      this.histories(),
      this.#inventory(),
      Promise.all(this.sides.map((side) => side.pots(this.#addressesOf(side)))),
      Promise.all(this.sides.map((side) => side.waiting())),
    ]);
    return judge({
      ...{ solvers: this.sides.map(({ solver }) => solver), histories, promises: this.#promises, inventory },
      ...{ pots: pots.flat(), waiting: waiting.reduce((sum, count) => sum + count, 0) },
    });
  }

  async close(): Promise<void> {
    await this.services.close();
    await Promise.all([this.anvil.stop(), this.extra.stop()]);
    this.home.remove();
  }

  async #inventory(): Promise<readonly Inventory[]> {
    const all = (await Promise.all(this.sides.map((side) => side.inventory()))).flat();
    return all.map((one) => {
      const known = this.#before.find(({ chainId, token }) => chainId === one.chainId && token === one.token);
      return { ...one, before: known?.before ?? one.now };
    });
  }
}
