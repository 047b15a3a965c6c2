import type { Hex } from '../../contract/ids.js';
import type { ApiKeyRow } from '../../contract/store-rows.js';
import { ApiError } from '../../errors/api-error.js';
import type { QuoteAnswer } from '../../quoting/answer.js';
import type { QuoteAsk } from '../../quoting/ask.js';
import { fakeAddress } from '../fake-chain/cheap-hash.js';
import type { FakeChain, FakeUserTransaction } from '../fake-chain/fake-chain-types.js';
import { POOLS } from '../fake-chain/pool-source.js';
import type { SeededRandom } from '../seeded-random.js';
import { disturb, payOpenAddress } from './address-user.js';
import { POOL_TOKEN, SYMBOLS } from './drawn-values.js';
import { payGasless } from './gasless-user.js';
import { increment } from './increment.js';
import { integratorOf, KEYS, keyName, keyRow } from './integrators.js';
import { type Promised, promisedBy } from './oracle/promised.js';
import { actByItself } from './payer-swap-user.js';
import type { AddressWishes, GaslessWishes, SwapWishes, UserKind, UserPlan } from './scenario.js';
import type { World } from './world.js';

const CALL_TIMEOUT_MS = 3_000;
const MAX_QUOTE_TRIES = 12;
const MAX_POLLS = 60;
const CHEAP = 5n;
const POLLS_MS = [1_000, 4_000, 15_000];

/** One client with its wallet. Knows the service by its answers alone. */
export class User {
  readonly world: World;
  readonly plan: Omit<UserPlan, 'kind'>;
  readonly random: SeededRandom;
  readonly name: string;
  readonly origin: FakeChain;

  constructor(
    world: World,
    plan: Omit<UserPlan, 'kind'>,
    role: 'user' | 'attack' = 'user',
    random: SeededRandom = world.random.fork(`${role} ${plan.id}`),
  ) {
    this.world = world;
    this.plan = plan;
    this.random = random;
    this.name = `${role.slice(0, 1)}${plan.id}`;
    this.origin = world.chain(plan.origin);
  }

  account(purpose: string): Hex {
    return fakeAddress(`${this.name} ${purpose}`);
  }

  wait(least: number, most = least): Promise<void> {
    return this.world.clock.sleep(this.random.between(least, most));
  }

  /** Amount for `microUsd`, smallest unit. */
  worth(chainId: number, symbol: string, microUsd: number): bigint {
    const chain = this.world.chain(chainId);
    const currency = this.world.spectator(chainId).currency(chain.currencyOf(symbol));
    if (!currency) throw new Error(`no ${symbol} on chain ${chainId}`);
    const price = BigInt(this.world.market.get(currency.group));
    return (BigInt(microUsd) * 10n ** BigInt(currency.decimals)) / price;
  }

  /** Retries until answered; undefined when the service keeps refusing. */
  async ask(
    overrides: Partial<QuoteAsk> = {},
    mostAsks = MAX_QUOTE_TRIES,
  ): Promise<{ promise: Promised; answer: QuoteAnswer } | undefined> {
    const { origin, destination, pays, gets, tradeType, value } = this.plan;
    const exactIn = tradeType === 'EXACT_INPUT';
    const ask: QuoteAsk = {
      user: this.account('wallet'),
      recipient: this.account('recipient'),
      originChainId: origin,
      destinationChainId: destination,
      originCurrency: this.origin.currencyOf(pays),
      destinationCurrency: this.world.chain(destination).currencyOf(gets),
      amount: (exactIn ? this.worth(origin, pays, value) : this.worth(destination, gets, value)).toString(),
      tradeType,
      ...(this.plan.address?.refunds === false ? {} : { refundTo: this.account('refunds') }),
      ...addressAsk(this.plan.address, this.account('recovery')),
      ...this.world.claims.feesOf(this.plan.id),
      ...swapAsk(this.plan.swaps),
      ...topUpAsk(this.plan.topUp),
      ...callAsk(this.account('called'), this.plan.coinForCall),
      ...(this.plan.fixed ? { fixedRate: '0' } : {}),
      ...gaslessAsk(this.plan.gasless),
      ...overrides,
    };
    for (let tries = 0; tries < mostAsks; tries += 1) {
      const answer = await this.#answer(ask);
      if (answer && !(answer instanceof ApiError)) {
        const promise = promisedBy(ask, answer, this.#keyFor(ask));
        this.world.promised(promise);
        this.world.note(this.name, `was promised ${promise.orderId}`);
        return { promise, answer };
      }
      if (answer) this.world.note(this.name, `refused: ${answer.code}`);
      await this.wait(500, 3_000);
    }
    return undefined;
  }

  async #answer(ask: QuoteAsk): Promise<QuoteAnswer | ApiError | undefined> {
    const running = this.world.running;
    if (running.length === 0) return undefined;
    const process = this.random.pick(running);
    return Promise.race([
      process.quoter.quote(ask, { ...this.#caller(ask), party: this.name, granted: [] }).catch(() => undefined),
      this.world.clock.sleep(CALL_TIMEOUT_MS).then(() => undefined),
    ]);
  }

  #keyFor({ fixedRate }: QuoteAsk): string | null {
    return fixedRate === undefined && this.plan.keyed !== true ? null : this.key;
  }

  #caller(ask: QuoteAsk): { readonly keyId: string | null; readonly integratorId?: string } {
    const keyId = this.#keyFor(ask);
    return this.plan.gasless === undefined ? { keyId } : { keyId, integratorId: integratorOf(this.plan.id % KEYS) };
  }

  get keyRow(): ApiKeyRow {
    return keyRow(this.plan.id % KEYS);
  }

  get key(): string {
    return keyName(this.plan.id % KEYS);
  }

  patiently<T>(answer: Promise<T>): Promise<T | undefined> {
    return Promise.race([answer.catch(() => undefined), this.world.clock.sleep(CALL_TIMEOUT_MS).then(() => undefined)]);
  }

  /** @returns hash of the last signed step. */
  execute({ answer }: Pick<Quoted, 'answer'>): string {
    const { hash } = this.origin.pay(answer.steps as Parameters<FakeChain['pay']>[0]);
    this.note(`executes in ${hash}`);
    return hash;
  }

  async report({ requestId, originChainId }: Promised, hash: string): Promise<void> {
    const [process] = this.world.running;
    if (process) await this.patiently(process.report(requestId, originChainId, hash));
  }

  /** Polls the status. A promise is never unknown. */
  async poll({ requestId, orderId }: Promised): Promise<void> {
    for (const ms of POLLS_MS) {
      await this.wait(ms);
      const { running } = this.world;
      if (running.length === 0) continue;
      const asked = this.random.pick(running).status(requestId);
      const status = await this.patiently(asked.then((known) => known ?? 'unknown'));
      this.world.note(this.name, `reads ${status}`);
      if (status === 'unknown' && !this.world.forgotten.has(orderId))
        this.world.findings.say('promise-forgotten', `request ${requestId} is unknown to its service`);
    }
  }

  pay(
    promise: Promised,
    instead: {
      from?: Hex;
      amount?: bigint;
      currency?: string;
      orderId?: Hex | null;
      chain?: FakeChain;
      price?: bigint;
      parent?: string;
    } = {},
  ): FakeUserTransaction {
    const { swapIn } = promise;
    if (swapIn !== undefined && Object.keys(instead).every((key) => key === 'price')) {
      const swapped = this.origin.pay(swapIn.steps, instead.price);
      this.note(`swaps and pays in ${swapped.hash}`);
      return swapped;
    }
    if (promise.address !== undefined && !('chain' in instead || 'orderId' in instead || 'parent' in instead))
      return this.transfer(promise.address.address, promise, instead);
    const chain = instead.chain ?? this.origin;
    const orderId = instead.orderId === undefined ? promise.orderId : instead.orderId;
    const sent = chain.deposit({
      from: instead.from ?? this.account('wallet'),
      currency: instead.currency ?? promise.currencyIn,
      amount: instead.amount ?? promise.amountIn,
      orderId,
      ...(instead.price === undefined ? {} : { price: instead.price }),
      ...(instead.parent === undefined ? {} : { parent: instead.parent }),
    });
    this.world.note(this.name, `pays in ${sent.hash}`);
    return sent;
  }

  transfer(
    to: string,
    { currencyIn, amountIn }: Pick<Promised, 'currencyIn' | 'amountIn'>,
    instead: { from?: Hex; amount?: bigint; currency?: string; price?: bigint } = {},
  ): FakeUserTransaction {
    const { from = this.account('wallet'), amount = amountIn, currency = currencyIn, price } = instead;
    const sent = this.origin.transfer(from, to, currency, amount, price);
    this.note(`sends ${amount} of ${currency} to its deposit address in ${sent.hash}`);
    return sent;
  }

  /** Gas price that is included in one of the next blocks. */
  highGasPrice(): bigint {
    return this.origin.baseFee * 2n + 3n;
  }

  replace(hash: string, instead: Parameters<FakeChain['replaceDeposit']>[1], price = this.highGasPrice()): boolean {
    const replaced = this.origin.replaceDeposit(hash, instead, price);
    this.note(replaced ? `replaces ${hash} by ${replaced.hash}` : `is too late to replace ${hash}`);
    return replaced !== undefined;
  }

  note(what: string): void {
    this.world.note(this.name, what);
  }
}

function swapAsk(swaps: SwapWishes | undefined): Partial<QuoteAsk> {
  if (swaps === undefined) return {};
  return {
    slippageTolerance: `${swaps.slippageBps}`,
    useFallbacks: swaps.fallback,
    enableTrueExactOutput: swaps.exact,
    ...(swaps.measured ? { excludedSwapSources: [POOLS] } : {}),
  };
}

function addressAsk(address: AddressWishes | undefined, recoveryAddress: string): Partial<QuoteAsk> {
  if (address === undefined) return {};
  const { type, recovers } = address;
  return { useDepositAddress: true, strict: type === 'strict', ...(recovers ? { recoveryAddress } : {}) };
}

function gaslessAsk(wishes: GaslessWishes | undefined): Partial<QuoteAsk> {
  if (wishes === undefined) return {};
  const { by, sponsored } = wishes;
  return { ...(by === 'permit' ? { usePermit: true } : {}), ...(sponsored ? { subsidizeFees: true } : {}) };
}

function topUpAsk(microUsd: number | undefined): Partial<QuoteAsk> {
  return microUsd === undefined ? {} : { topupGas: true, topupGasAmount: `${microUsd}` };
}

function callAsk(to: string, value: number | undefined): Partial<QuoteAsk> {
  return value === undefined ? {} : { txs: [{ to, value: `${value}`, data: '0x' }] };
}

export type Quoted = NonNullable<Awaited<ReturnType<User['ask']>>>;

/** Outputs never refuse a payment, so that no transaction waits forever. */
export function refuse(chain: FakeChain, recipient: string): void {
  if (chain.profile !== 'utxo') chain.block(recipient);
}

const ASKS: Partial<Record<UserKind, (user: User) => Partial<QuoteAsk>>> = {
  pastTtl: () => ({ ttl: 5 }),
  rejectingRefund: () => ({ referrer: 'debug-force-refund' }),
  refundWanted: () => ({ referrer: 'debug-force-refund' }),
};

const ACTS: Record<UserKind, (user: User, quoted: Quoted) => Promise<void>> = {
  honest: async (user, { answer, promise }) => {
    await user.wait(0, 3_000);
    const sent = user.origin.pay(answer.steps as Parameters<FakeChain['pay']>[0]);
    user.world.note(user.name, `pays in ${sent.hash}`);
    user.world.economy.paid(promise.orderId);
  },
  payingTwice: async (user, { promise }) => {
    user.pay(promise);
    await user.wait(0, 15_000);
    user.pay(promise);
  },
  twoPayers: async (user, { promise }) => {
    user.pay(promise);
    await user.wait(0, 4_000);
    user.pay(promise, { from: user.account('other wallet') });
  },
  underpaying: async (user, { promise }) => {
    const percent = user.random.pick([1n, 50n, 98n, 99n]);
    user.pay(promise, { amount: (promise.amountIn * percent) / 100n + 1n });
  },
  overpaying: async (user, { promise }) => {
    const percent = user.random.pick([101n, 110n, 300n]);
    user.pay(promise, { amount: (promise.amountIn * percent) / 100n + 1n });
  },
  late: async (user, { promise }) => {
    await user.wait(30_000, 30_000 + user.world.policy.orderTtlMs);
    user.pay(promise);
  },
  pastTtl: async (user, { promise }) => {
    await user.wait(3_000, 12_000);
    user.pay(promise);
  },
  pastDeadline: async (user, { promise }) => {
    await user.wait(28_000 + user.world.policy.orderTtlMs, 40_000 + user.world.policy.orderTtlMs);
    user.pay(promise);
  },
  wrongCurrency: async (user, { promise }) => {
    const symbol = user.random.pick(SYMBOLS.filter((one) => one !== user.plan.pays));
    const amount = user.worth(user.plan.origin, symbol, user.plan.value);
    user.pay(promise, { currency: user.origin.currencyOf(symbol), amount });
    if (user.random.chance(0.3)) user.pay(promise);
  },
  wrongChain: async (user, { promise }) => {
    const { destination, pays, value } = user.plan;
    const chain = user.world.chain(destination);
    user.pay(promise, { chain, currency: chain.currencyOf(pays), amount: user.worth(destination, pays, value) });
  },
  unknownOrder: async (user, { promise }) => {
    user.pay(promise, { orderId: user.random.hex(32) });
  },
  noOrder: async (user, { promise }) => {
    user.pay(promise, { orderId: null });
  },
  replacing: async (user, { promise }) => {
    const sent = user.pay(promise);
    await user.wait(0, 2_500);
    const amount = user.random.pick([promise.amountIn, promise.amountIn, promise.amountIn * 2n]);
    const instead = { currency: promise.currencyIn, amount, orderId: promise.orderId };
    const replaced = user.origin.replaceDeposit(sent.hash, instead);
    user.world.note(user.name, replaced ? `replaces it by ${replaced.hash}` : 'is too late to replace it');
  },
  withdrawing: async (user, { promise }) => {
    const sent = user.pay(promise);
    await user.wait(0, 2_500);
    const taken = user.origin.replaceDeposit(sent.hash, null);
    user.world.note(user.name, taken ? 'takes it back' : 'is too late to take it back');
  },
  rejectingRecipient: async (user, { promise }) => {
    const block = () => refuse(user.world.chain(promise.destinationChainId), promise.recipient);
    if (user.random.chance(0.4)) block();
    await user.wait(0, 3_000);
    user.pay(promise);
    // Otherwise once the fill is in flight, after its simulation.
    for (let n = 0; n < MAX_POLLS; n += 1) {
      await user.wait(200);
      const [process] = user.world.running;
      const status = process && (await user.patiently(process.status(promise.requestId)));
      if (status === 'submitted') break;
    }
    block();
  },
  rejectingRefund: async (user, { promise }) => {
    refuse(user.origin, promise.refundTo);
    user.pay(promise);
  },
  refundWanted: async (user, { promise }) => {
    user.pay(promise);
  },
  cheap: async (user, { promise }) => {
    const sent = user.pay(promise, { price: CHEAP });
    await user.wait(1_000, 40_000);
    const { currencyIn: currency, amountIn: amount, orderId } = promise;
    if (user.random.chance(0.6)) user.replace(sent.hash, { currency, amount, orderId, price: user.highGasPrice() });
  },
  forgotten: async (user, { promise }) => {
    const sent = user.pay(promise, user.random.chance(0.5) ? { price: CHEAP } : {});
    await user.wait(0, 2_500);
    if (!user.origin.evict(sent.hash)) return;
    user.world.note(user.name, 'is forgotten by every node');
    await user.wait(1_000, 60_000);
    if (user.random.chance(0.7) && user.origin.rebroadcast(sent.hash)) user.world.note(user.name, 'sends it again');
  },
  descending: async (user, { promise }) => {
    const price = user.random.chance(0.5) ? { price: CHEAP } : {};
    const parent = user.origin.prepay(user.account('wallet'), price.price);
    user.pay(promise, { parent, ...price });
    await user.wait(0, 20_000);
    if (user.random.chance(0.7)) user.replace(parent, null);
  },
  doubleSpending: async (user, { promise }) => {
    const sent = user.pay(promise, { price: CHEAP });
    await user.wait(500, 20_000);
    const { currencyIn: currency, amountIn: amount } = promise;
    const others = [...user.world.promises.values()].filter((one) => one.originChainId === user.origin.id);
    const orderId = user.random.pick([null, user.random.hex(32), user.random.pick(others).orderId]);
    const price = user.highGasPrice();
    const instead = user.random.chance(0.5) ? null : { currency, amount, orderId, price };
    const rival = user.replace(sent.hash, instead, price);
    await user.wait(0, 30_000);
    // Pays after all, from another account.
    if (rival && user.random.chance(0.4)) user.pay(promise);
  },
  dust: async (user, { promise }) => {
    user.pay(promise, { amount: BigInt(user.random.between(1, 3)) });
  },
};

export async function playUser(world: World, plan: UserPlan): Promise<void> {
  await world.clock.sleep(plan.at);
  const user = new User(world, plan);
  const quoted = await user.ask(ASKS[plan.kind]?.(user));
  if (!quoted) {
    // Moved pools or fully used fixed-rate limits may prevent a promise.
    if (plan.gets !== POOL_TOKEN && plan.pays !== POOL_TOKEN && !plan.fixed && !plan.gasless)
      world.economy.refused(user.name, plan.value);
    return;
  }
  increment(world.users, plan.kind);
  if (quoted.promise.topUp) increment(world.users, 'toppedUp');
  if (plan.coinForCall !== undefined) increment(world.users, 'topUpForCalls');
  if (quoted.promise.fixed) increment(world.users, 'fixed');
  if (quoted.promise.swapIn) increment(world.users, 'swapping in');
  const { address, payerSwap } = quoted.promise;
  const { gasless } = plan;
  if (gasless !== undefined) {
    await Promise.all([payGasless(user, quoted, gasless), user.poll(quoted.promise)]);
    return;
  }
  if (address) increment(world.users, `${address.type} address`);
  const act =
    payerSwap !== undefined ? actByItself(plan.kind) : address?.type === 'open' ? payOpenAddress : ACTS[plan.kind];
  const others = address === undefined ? undefined : disturb(user, quoted.promise);
  await Promise.all([act(user, quoted), user.poll(quoted.promise), others]);
}
