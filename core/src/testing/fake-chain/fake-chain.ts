import type { Currency } from '../../contract/currency.js';
import type { DepositStep } from '../../contract/deposits.js';
import type { Hex, UnixMs } from '../../contract/ids.js';
import { FakeAccounts } from './accounts.js';
import { actionOfStep } from './adapter/deposit-steps.js';
import { FakeChainAdapter } from './adapter/fake-chain-adapter.js';
import type { FakeConfig } from './adapter/setup.js';
import type { FakeBlock } from './block-tree.js';
import { ChainCore } from './chain-core.js';
import { fakeAddress } from './cheap-hash.js';
import type { FakeCode } from './contracts.js';
import { coinOf, stateKey } from './execution.js';
import { configOf } from './fake-chain-config.js';
import type {
  FakeAdapter,
  FakeChain,
  FakeChainOptions,
  FakeDepositInput,
  FakeHistory,
  FakeProcessDeps,
  FakeProfileName,
  FakeUserTransaction,
  FaultPlan,
  ReorgOptions,
} from './fake-chain-types.js';
import { FakeProvider } from './fake-provider.js';
import { NATIVE } from './native.js';
import { type FakeSwap, poolAddress, type Reserves, reservesOf } from './pools.js';
import { RULES } from './rules.js';
import type { FakeAction, FakeExecute, FakeRawCall, FakeSwapIn, FakeTransaction } from './transaction.js';

/** Covers every run's fees of an account depository or a sweeper. */
const OWN_GAS = 1_000_000_000n;
/** Charge per deposit of such a depository, above the smallest deposits; unconfigured tokens are free. */
const TAKING_COSTS = 25n;

/** An in-memory chain, idle until used or started. */
export function fakeChain(options: FakeChainOptions): FakeChainWorld {
  return new FakeChainWorld(options);
}

export class FakeChainWorld implements FakeChain {
  readonly id: number;
  readonly profile: FakeProfileName;
  readonly signer: string;
  readonly depository: string;
  readonly sweeper?: string;
  readonly executor?: string;
  readonly providers: readonly FakeProvider[];
  readonly core: ChainCore;
  readonly config: FakeConfig;
  faults: FaultPlan | undefined;
  halted = false;
  forking = 0;
  calls = 0;
  readonly #options: FakeChainOptions;
  readonly #feeds = new Set<FakeChainAdapter>();
  readonly #history: FakeHistory;
  readonly #blockMs: number;
  readonly #blocked = new Set<string>();
  readonly #known = new Set<string>();
  readonly #codes = new Map<string, FakeCode>();
  readonly #accounts: FakeAccounts;
  #adapters = 0;

  constructor(options: FakeChainOptions) {
    const { id, clock, random } = options;
    this.#options = options;
    this.#blockMs = options.blockTimeMs ?? 2_000;
    this.id = id;
    this.profile = options.profile ?? 'nonce';
    this.signer = fakeAddress(`solver:${id}`);
    this.depository = fakeAddress(`depository:${id}`);
    const rules = RULES[this.profile];
    const sweeper = fakeAddress(`sweeper:${id}`);
    if (options.addresses && !rules.coins) this.sweeper = sweeper;
    const executor = fakeAddress(`executor:${id}`);
    if (options.calls && this.profile === 'nonce') this.executor = executor;
    const addressOf = (salt: Hex): string => fakeAddress(`deposit address:${id}:${salt}`);
    const finalityDepth = options.finalityDepth ?? 6;
    const started = clock.now() - clock.monotonic();
    this.core = new ChainCore({
      profile: this.profile,
      name: `${id}`,
      native: NATIVE,
      finalityDepth,
      baseFee: options.baseFee ?? 10n,
      poolSize: options.poolSize ?? 5_000,
      now: () => Math.floor(started + clock.monotonic()),
      contracts: {
        chainId: id,
        depository: this.depository,
        takingCosts: (currency) => (options.vault && this.config.currencies.has(currency) ? TAKING_COSTS : 0n),
        allocator: options.vault ? this.depository : this.signer,
        stray: fakeAddress(`stray:${id}`),
        ...(options.addresses ? { addresses: { sweeper, of: addressOf, known: this.#known } } : {}),
        blocked: this.#blocked,
        codes: this.#codes,
      },
    });
    const derive = (salt: Hex): string => {
      const address = addressOf(salt);
      if (rules.coins) this.#known.add(address);
      return address;
    };
    this.config = configOf(options, {
      signer: this.signer,
      depository: this.depository,
      sweeper,
      executor,
      derive,
      rules,
    });
    this.#accounts = new FakeAccounts(this.core, this.signer);
    const latency = random.fork(`latency:${id}`);
    const site = {
      core: this.core,
      clock,
      plan: () => this.faults,
      latency: () => drawn(latency, options.latencyMs),
      depositOf: (input: FakeDepositInput, head: FakeBlock) => this.#accounts.deposit(this.#named(input), head),
      changed: () => this.#changed(),
      counted: () => {
        this.calls += 1;
      },
    };
    this.providers = Array.from({ length: options.providers ?? 2 }, (_, index) => new FakeProvider(index, site));
    for (const currency of this.config.currencies.values())
      this.core.give(this.signer, currency.address, stock(options, currency));
    if (options.vault) this.core.give(this.depository, NATIVE, OWN_GAS);
    for (const account of [this.sweeper, this.executor])
      if (account !== undefined) this.core.give(account, NATIVE, OWN_GAS);
    for (const sides of options.pools ?? []) {
      const [one, other] = sides.map(({ symbol }) => this.currencyOf(symbol)) as [string, string];
      for (const { symbol, holds } of sides)
        this.core.give(poolAddress(id, one, other), this.currencyOf(symbol), holds);
    }
    const { core } = this;
    this.#history = {
      get head() {
        return core.head;
      },
      get finalized() {
        return core.finalized();
      },
      deposits: core.tree.deposits,
      fills: core.tree.fills,
      withdrawals: core.tree.withdrawals,
      fees: core.tree.fees,
      executions: core.tree.executions,
      transfers: core.tree.transfers,
      sweeps: core.tree.sweeps,
      calls: core.tree.calls,
      get reorgs() {
        return core.reorgs;
      },
    };
  }

  currencyOf(symbol: string): string {
    const found = [...this.config.currencies.values()].find((currency) => currency.symbol === symbol);
    if (found === undefined) throw new Error(`chain ${this.id} has no ${symbol}`);
    return found.address;
  }

  adapter(deps: FakeProcessDeps): FakeAdapter {
    this.#adapters += 1;
    const random = this.#options.random.fork(`news:${this.id}:${this.#adapters}`);
    const adapter = new FakeChainAdapter(this.config, this.providers, deps, () =>
      drawn(random, this.#options.propagationMs ?? [1, 50]),
    );
    this.#feeds.add(adapter);
    deps.signal.addEventListener('abort', () => this.#feeds.delete(adapter), { once: true });
    return adapter;
  }

  start(signal: AbortSignal): void {
    const { clock, random } = this.#options;
    const jitter = random.fork(`blocks:${this.id}`);
    const forks = random.fork(`forks:${this.id}`);
    const run = async (): Promise<void> => {
      while (!signal.aborted) {
        await clock.sleep(this.#blockMs * pace(jitter.fraction(), this.#options.irregular === true), signal);
        if (signal.aborted || this.halted) continue;
        if (forks.fraction() < this.forking) this.core.fork(() => forks.fraction() < 0.5);
        else this.mine();
      }
    };
    void run();
  }

  mine(count = 1): void {
    for (let n = 0; n < count; n += 1) {
      this.core.mine();
      for (const provider of this.providers) provider.followed();
    }
    this.#changed();
  }

  reorg(depth: number, options: ReorgOptions = {}): void {
    this.core.reorg(depth, options);
    this.#changed();
  }

  get reachable(): number {
    const firm = this.providers.map((provider) => provider.firm);
    return Math.max(0, this.core.head.height - Math.max(this.core.finalized().height, ...firm));
  }

  get baseFee(): bigint {
    return this.core.baseFee;
  }

  set baseFee(price: bigint) {
    this.core.baseFee = price;
  }

  deposit(input: FakeDepositInput): FakeUserTransaction {
    return this.#submit(this.#accounts.deposit(this.#named(input)));
  }

  pay(steps: readonly DepositStep[], price?: bigint): FakeUserTransaction {
    let last: FakeUserTransaction | undefined;
    for (const { data } of steps.flatMap(({ items }) => items)) {
      const { from, action } = actionOfStep(data);
      last = this.transact(from, [action], price);
    }
    if (last === undefined) throw new Error('nothing to pay');
    return last;
  }

  execute(from: string, action: FakeExecute): string {
    return this.transact(from, [action]).hash;
  }

  call(from: string, action: FakeRawCall, price?: bigint): FakeUserTransaction {
    return this.transact(from, [action], price);
  }

  swapIn(from: string, actions: readonly FakeSwapIn[], price?: bigint): FakeUserTransaction {
    return this.transact(from, actions, price);
  }

  transact(from: string, actions: readonly FakeAction[], price?: bigint): FakeUserTransaction {
    return this.#submit(this.#accounts.transaction(from, actions, price));
  }

  transfer(from: string, to: string, currency: string, amount: bigint, price?: bigint): FakeUserTransaction {
    return this.transact(from, [{ do: 'transfer', currency: this.#address(currency), to, amount }], price);
  }

  forward(from: string, salt: Hex, currency: string): string {
    const { contracts } = this.core;
    if (contracts.addresses === undefined) throw new Error(`chain ${this.id} has no deposit addresses`);
    const address = contracts.addresses.of(salt);
    const moved = { currency: this.#address(currency), to: this.depository, amount: 0n };
    return this.transact(from, [{ do: 'sweep', useKey: null, from: address, salt, ...moved }]).hash;
  }

  replaceDeposit(
    hash: string,
    instead: Omit<FakeDepositInput, 'from'> | null,
    price?: bigint,
  ): FakeUserTransaction | undefined {
    const before = this.core.pool.get(hash);
    const input = instead === null ? null : this.#named({ ...instead, from: '' });
    const transaction = before && this.#accounts.instead(before, input, price);
    return transaction === undefined ? undefined : this.#submit(transaction);
  }

  doubleSpend(hash: string, depth: number): string | undefined {
    const before = this.core.tree.receipt(this.core.head, hash)?.transaction;
    const rival = before && this.#accounts.instead(before, null);
    if (before === undefined || rival === undefined) return undefined;
    this.core.pool.add(rival);
    this.reorg(depth, { drop: [before.hash], first: [rival.hash] });
    return rival.hash;
  }

  evict(hash: string): boolean {
    const evicted = this.core.evict(hash);
    if (evicted) this.#poolChanged();
    return evicted;
  }

  rebroadcast(hash: string): boolean {
    const said = this.core.rebroadcast(hash);
    if (said) this.#poolChanged();
    return said;
  }

  prepay(from: string, price?: bigint): string {
    return this.transact(from, [{ do: 'transfer', currency: NATIVE, to: from, amount: 0n }], price).hash;
  }

  coin(fundingKey: string): bigint | undefined {
    if (!this.core.rules.coins) return undefined;
    const read = (key: string): bigint => this.core.tree.read(this.core.head, key);
    return read(stateKey.coin(coinOf(read, fundingKey)));
  }

  pool(): readonly string[] {
    return [...this.core.processed(), ...[...this.core.pool.all()].map(({ hash }) => hash)];
  }

  waits(name: string): boolean {
    const carries = (action: FakeAction): boolean =>
      (action.do === 'fill' && action.orderId === name) ||
      ((action.do === 'withdraw' || action.do === 'sweep' || action.do === 'call') && action.useKey === name);
    return [...this.core.pool.all()].some(({ actions }) => actions.some(carries));
  }

  useSignerElsewhere(to: string, currency: string, amount: bigint, from = this.signer): string {
    const action: FakeAction = { do: 'transfer', currency: this.#address(currency), to, amount };
    return this.#submit(this.#accounts.bare(from, [action])).hash;
  }

  fund(account: string, currency: string, amount: bigint): void {
    this.core.give(account, this.#address(currency), amount);
  }

  trade(from: string, swap: FakeSwap, price?: bigint): string {
    const lacks = swap.amount - this.balance(from, swap.input);
    if (lacks > 0n) this.core.give(from, swap.input, lacks);
    return this.transact(from, [{ do: 'swap', ...swap }], price).hash;
  }

  reserves(input: string, output: string): Reserves {
    return reservesOf(this.core.after(this.core.head), { input, output });
  }

  closeAccount(owner: string, currency: string): void {
    this.transact(owner, [{ do: 'close', currency: this.#address(currency) }]);
  }

  giveAway(owner: string, currency: string, to: string): void {
    this.transact(owner, [{ do: 'giveAway', currency: this.#address(currency), to }]);
  }

  riddle(from: string): void {
    this.transact(from, [{ do: 'riddle' }]);
  }

  deploy(recipient: string, code: FakeCode): void {
    this.#codes.set(recipient, code);
  }

  block(recipient: string): void {
    this.#blocked.add(recipient);
  }

  unblock(recipient: string): void {
    this.#blocked.delete(recipient);
  }

  history(): FakeHistory {
    return this.#history;
  }

  balance(account: string, currency: string): bigint {
    return this.core.after(this.core.head).balance(account, this.#address(currency));
  }

  now(): UnixMs {
    return this.core.after(this.core.head).timestamp;
  }

  #changed(): void {
    for (const adapter of this.#feeds) adapter.feed.poke();
  }

  #poolChanged(): void {
    if (this.core.rules.publicPool) this.#changed();
  }

  #named(input: FakeDepositInput): FakeDepositInput {
    return { ...input, currency: this.#address(input.currency) };
  }

  #address(currency: string): string {
    return this.config.currencies.has(currency) || currency.startsWith('0x') ? currency : this.currencyOf(currency);
  }

  #submit(transaction: FakeTransaction): FakeUserTransaction {
    const submitted = this.#accounts.submit(transaction);
    this.#poolChanged();
    return submitted;
  }
}

/** Block intervals relative to the usual one: memoryless, with an upper bound. */
function pace(fraction: number, irregular: boolean): number {
  return irregular ? Math.min(5, Math.max(0.05, -Math.log(1 - fraction))) : 0.8 + 0.4 * fraction;
}

function stock({ inventory }: FakeChainOptions, { symbol, decimals }: Currency): bigint {
  return inventory?.[symbol] ?? 10n ** BigInt(decimals + 6);
}

function drawn(random: { fraction(): number }, range: readonly [number, number] | undefined): number {
  if (range === undefined || range[1] <= 0) return 0;
  return Math.floor(range[0] + random.fraction() * (range[1] - range[0] + 1));
}
