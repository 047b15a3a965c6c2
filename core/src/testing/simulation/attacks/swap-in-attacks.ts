import { swapInOf } from '../../fake-chain/adapter/payer-swaps.js';
import type { FakeChain } from '../../fake-chain/fake-chain-types.js';
import { POOLS } from '../../fake-chain/pool-source.js';
import { type FakeSwap, outputFor } from '../../fake-chain/pools.js';
import type { FakeSwapIn } from '../../fake-chain/transaction.js';
import { POOL_SIDES, POOL_TOKEN } from '../drawn-values.js';
import type { Promised, PromisedSwapIn } from '../oracle/promised.js';
import type { Attacker } from './attacker.js';
import type { Attack } from './play-attack.js';

type SwappedIn = Promised & { readonly swapIn: PromisedSwapIn };

const MAX_POLLS = 60;
const POLL_INTERVAL_MS = 250;
/** Seconds, beyond any deadline. */
const DISTANT_DEADLINE = 2 ** 40;

/** Gas prices that place a transaction before all others of its block, and after them. */
const ahead = ({ baseFee }: FakeChain): bigint => baseFee * 6n + 10n;
const behind = ({ baseFee }: FakeChain): bigint => baseFee + 1n;

function entryOf({ swapIn }: SwappedIn): FakeSwapIn {
  return swapInOf(JSON.parse(String(swapIn.steps.at(-1)?.items[0]?.data['data'])));
}

function isSwappedIn(promise: Promised | undefined): promise is SwappedIn {
  return promise?.swapIn !== undefined;
}

async function ordered(
  attacker: Attacker,
  wishes: Parameters<Attacker['ask']>[0] = {},
): Promise<SwappedIn | undefined> {
  const gets = attacker.random.pick(['USDF', 'GLD'] as const);
  const acts = attacker.with({ pays: POOL_TOKEN, gets });
  const slippageTolerance = acts.random.pick(['10', '300', '5000']);
  // Leaves only a source that does not enforce its own limit.
  const measured = acts.random.chance(0.4) ? { excludedSwapSources: [POOLS] } : {};
  const quoted = await acts.ask({
    slippageTolerance,
    overridePriceImpact: acts.random.chance(0.3),
    ...measured,
    ...wishes,
  });
  return isSwappedIn(quoted?.promise) ? quoted.promise : undefined;
}

/** Maximum that another trade may add first while this swap still meets its minimum. */
function roomBefore(chain: FakeChain, { input, output, amount }: FakeSwap, least: bigint): bigint {
  const { input: holds, output: gives } = chain.reserves(input, output);
  const brings = (first: bigint): bigint => {
    const taken = outputFor({ input: holds, output: gives }, first);
    return outputFor({ input: holds + first, output: gives - taken }, amount);
  };
  let [low, high] = [0n, holds * 4n];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (brings(middle) >= least) low = middle;
    else high = middle;
  }
  return low;
}

class Sandwich {
  readonly #acts: Attacker;
  readonly #from: string;
  readonly #swap: FakeSwap;
  #owns = 0n;

  constructor(acts: Attacker, from: string, swap: FakeSwap) {
    this.#acts = acts;
    this.#from = from;
    this.#swap = swap;
  }

  before(amount: bigint): void {
    const { origin } = this.#acts;
    const { input, output } = this.#swap;
    this.#owns = outputFor(origin.reserves(input, output), amount);
    origin.trade(this.#from, { input, output, amount, least: 0n }, ahead(origin));
    this.#acts.note(`puts ${amount} of ${input} into a pool of ${origin.id}`);
  }

  after(price?: bigint): void {
    const { origin } = this.#acts;
    const { input, output } = this.#swap;
    if (this.#owns > 0n)
      origin.trade(this.#from, { input: output, output: input, amount: this.#owns, least: 0n }, price);
  }
}

/** Manipulates its own swap into the depository, and swaps of its own or foreign refunds. */
async function swapSpoiling(attacker: Attacker): Promise<boolean> {
  const { random, origin } = attacker;
  let any = false;
  for (let n = 0; n < 4; n += 1) {
    const how = random.pick(['least', 'less', 'less then paid', 'refund', 'refund', 'refund of others'] as const);
    const back = how === 'refund' ? { referrer: 'debug-force-refund' } : {};
    const order = how === 'refund of others' ? undefined : await ordered(attacker, back);
    if (order === undefined && how !== 'refund of others') continue;
    const mover = attacker.account(`sandwich ${n}`);
    if (order === undefined || how === 'refund') {
      if (order) attacker.pay(order);
      if (await spoiledBack(attacker, mover, order)) any = true;
    } else {
      const entry = entryOf(order);
      const room = roomBefore(origin, entry.swap, entry.least);
      const sandwich = new Sandwich(attacker, mover, entry.swap);
      sandwich.before(how === 'least' ? room : room + room / 50n + 1n);
      attacker.pay(order);
      sandwich.after(behind(origin));
      attacker.note(`spoils ${order.orderId} by ${how}`);
      if (how === 'less then paid') {
        await attacker.wait(2_000, 12_000);
        attacker.pay(order);
      }
      any = true;
    }
    await attacker.wait(0, 4_000);
  }
  return any;
}

/** Moves the pool of a pending refund before that lands. */
async function spoiledBack(attacker: Attacker, mover: string, own: SwappedIn | undefined): Promise<boolean> {
  const { origin, random, world } = attacker;
  for (let looks = 0; looks < MAX_POLLS; looks += 1) {
    const sent = own ? [own] : [...world.promises.values()].filter(({ recipient }) => !world.coalition.has(recipient));
    const target = sent.filter(isSwappedIn).find((promise) => isSentBack(attacker, promise));
    if (target) {
      const { currencyIn: input, swapIn } = target;
      const sandwich = new Sandwich(attacker, mover, { input, output: swapIn.currency, amount: 0n, least: 0n });
      // Moves the pool by a negligible amount up to more than any tolerance.
      sandwich.before(origin.reserves(input, swapIn.currency).input / random.pick([500n, 30n, 2n]));
      sandwich.after(behind(origin));
      attacker.note(`moves the pool under the refund of ${target.orderId}`);
      return true;
    }
    await attacker.wait(POLL_INTERVAL_MS);
  }
  return own !== undefined;
}

function isSentBack({ origin, world }: Attacker, { orderId, originChainId }: SwappedIn): boolean {
  if (originChainId !== origin.id) return false;
  const keys = world.watch(origin.id).depositsOf(orderId);
  return keys.some(({ fundingKey }) => origin.waits(world.spectator(origin.id).useKey(fundingKey, 'refund')));
}

/** The newest unseen foreign order that pays on its chain. */
async function others(attacker: Attacker, known: Set<string>): Promise<Promised | undefined> {
  const { origin, world } = attacker;
  for (let looks = 0; looks < MAX_POLLS; looks += 1) {
    const all = [...world.promises.values()].filter(
      ({ originChainId, recipient, payerSwap }) =>
        originChainId === origin.id && payerSwap === undefined && !world.coalition.has(recipient),
    );
    const found = all.filter(({ orderId }) => !known.has(orderId)).at(-1);
    for (const { orderId } of all) known.add(orderId);
    if (found) return found;
    await attacker.wait(POLL_INTERVAL_MS);
  }
  return undefined;
}

function inputOf(chain: FakeChain, input: string, output: string, amount: bigint): bigint {
  const holds = chain.reserves(input, output);
  const most = holds.output / 2n;
  const wanted = amount < most ? amount : most;
  return (holds.input * wanted * 1_000n) / ((holds.output - wanted) * 997n) + 1n;
}

const SHARES = [
  ['unit', 0n],
  ['little', 100n],
  ['almost', 990n],
  ['least', 1_000n],
  ['more', 1_040n],
  ['much', 3_000n],
] as const;

/** Swaps for foreign orders: too little, too much, exact or unquoted. */
async function foreignSwapping(attacker: Attacker): Promise<boolean> {
  const { random, origin } = attacker;
  const known = new Set<string>();
  const sides: readonly string[] = POOL_SIDES.map((symbol) => origin.currencyOf(symbol));
  const token = origin.currencyOf(POOL_TOKEN);
  let any = false;
  for (let n = 0; n < 4; n += 1) {
    const victim = await others(attacker, known);
    if (victim === undefined) return any;
    any = true;
    const from = attacker.account(`stranger ${n}`);
    const [share, thousandths] = random.pick(SHARES);
    const least = victim.swapIn?.least ?? victim.amountIn;
    const wanted = (least * thousandths) / 1_000n + 1n;
    // Usually the order's own currency, where pools have it.
    const usual = sides.includes(victim.currencyIn) && random.chance(0.75);
    const output = usual ? victim.currencyIn : random.pick([token, ...sides]);
    const input = output === token ? random.pick(sides) : token;
    const orderId = random.chance(0.1) ? random.hex(32) : victim.orderId;
    const amount = inputOf(origin, input, output, wanted);
    const swap: FakeSwap = { input, output, amount, least: 0n };
    const made: FakeSwapIn = { do: 'swapIn', depositor: from, orderId, least: 1n, deadline: DISTANT_DEADLINE, swap };
    // An exact copy of the payer's swap, read from the pool.
    const copies = isSwappedIn(victim) && random.chance(0.25);
    const action = copies ? { ...entryOf(victim), depositor: from } : made;
    if (random.chance(0.3)) await attacker.wait(0, 8_000);
    origin.swapIn(from, [action], random.chance(0.7) ? ahead(origin) : undefined);
    attacker.note(`swaps ${copies ? 'a copy' : share} for ${orderId}`);
    await attacker.wait(0, 3_000);
  }
  return any;
}

/** Repeats a swap: at once, in one transaction, from another account, or after the fill or refund. */
async function swapReplaying(attacker: Attacker): Promise<boolean> {
  const { random, origin } = attacker;
  let any = false;
  for (let n = 0; n < 4; n += 1) {
    const isRefund = random.chance(0.4);
    const order = await ordered(attacker, isRefund ? { referrer: 'debug-force-refund' } : {});
    if (order === undefined) continue;
    any = true;
    const how = random.pick(['twice', 'together', 'other', 'over', 'thrice', 'first other'] as const);
    const entry = entryOf(order);
    const wallet = attacker.account('wallet');
    const other = attacker.account(`other ${n}`);
    const again = (from = wallet): void => void origin.swapIn(from, [{ ...entry, depositor: from }]);
    if (how === 'first other') again(other);
    if (how === 'together') origin.swapIn(wallet, [entry, entry]);
    else attacker.pay(order);
    if (how === 'twice' || how === 'thrice') again();
    if (how === 'other' || how === 'thrice') again(other);
    if (how === 'over') {
      await ended(attacker, order);
      again();
    }
    attacker.note(`replays the entry of ${order.orderId} by ${how}`);
    await attacker.wait(0, 4_000);
  }
  return any;
}

async function ended(attacker: Attacker, { requestId }: Promised): Promise<void> {
  for (let looks = 0; looks < MAX_POLLS; looks += 1) {
    const [process] = attacker.world.running;
    const status = process && (await attacker.patiently(process.status(requestId)));
    if (status === 'success' || status === 'refund') return;
    await attacker.wait(POLL_INTERVAL_MS);
  }
}

const ATTACKS = { swapSpoiling, foreignSwapping, swapReplaying } satisfies Record<string, Attack>;

function there(attack: Attack): Attack {
  return async (attacker) => {
    const { origin, plan, world } = attacker;
    if (!world.swaps || plan.origin === plan.destination) return false;
    if (world.spectator(origin.id).capabilities.payerSwaps?.deposits === undefined) return false;
    return attack(attacker);
  };
}

export const SWAP_IN_ATTACKS = {
  swapSpoiling: there(ATTACKS.swapSpoiling),
  foreignSwapping: there(ATTACKS.foreignSwapping),
  swapReplaying: there(ATTACKS.swapReplaying),
} satisfies Record<string, Attack>;
