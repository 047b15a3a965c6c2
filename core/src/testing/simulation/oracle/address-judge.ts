import type { ChangeSet } from '../../../contract/store.js';
import type { QuoteBody } from '../../../domain/quote.js';
import { increment } from '../increment.js';
import type { World } from '../world.js';
import { AddressSights } from './address-sights.js';
import type { ChainWatch } from './chain-watch.js';
import type { Ledger } from './ledger.js';
import type { Promised } from './promised.js';

/** Value that may stay at an address because its sweep would cost more, micro-USD. */
const CHEAP_MICRO_USD = 1_000_000n;
const BPS = 10_000n;
/** Minimum value of the fill of a transfer to an open address, as a share of the transfer. */
const MIN_SHARE_BPS = 5_000n;
/** Transfers below this are not judged, as gas uses up most of them. Micro-USD. */
const JUDGED_MICRO_USD = 20_000_000n;

/**
 * Judges transfers to deposit addresses.
 *
 * Invariants (G4): each transfer to an open address has an order of its own, with the terms of its address; at most one
 * of the orders that it ever had is filled. Money leaves an address only for the depository, and at the end all of it
 * has.
 */
export class AddressJudge {
  readonly #world: World;
  readonly #ofOrder = new Map<string, string>();
  readonly sights: AddressSights;

  constructor(world: World) {
    this.#world = world;
    this.sights = new AddressSights((sight) => world.seen(sight));
  }

  committed(set: ChangeSet, ledger: Ledger): void {
    this.sights.committed(set, ledger);
    for (const change of set.changes) {
      if (change.op !== 'update' || change.table !== 'requests' || typeof change.set.body !== 'string') continue;
      const request = ledger.row('requests', change.key.id);
      const row = ledger.row('deposits', request?.fundingKey ?? '');
      if (row === undefined || request === undefined || row.depositAddress === null) continue;
      const watch = this.#world.watch(row.chainId);
      const parent = watch.promiseAt(row.depositAddress);
      const body = JSON.parse(request.body) as QuoteBody;
      if (parent?.address?.type !== 'open' || request.parentRequestId === null || body.unquoted) continue;
      this.#judgeTerms(watch, row.fundingKey, body, parent);
      if (request.parentRequestId !== parent.requestId)
        this.#say('open-parent', `transfer ${row.fundingKey} is a child of ${request.parentRequestId}`);
      const other = this.#ofOrder.get(body.orderId);
      if (other !== undefined && other !== row.fundingKey)
        this.#say('order-of-two', `order ${body.orderId} belongs to ${other} and ${row.fundingKey}`);
      this.#ofOrder.set(body.orderId, row.fundingKey);
      watch.assign(row.fundingKey, body.orderId);
      const promise = promisedTo(parent, body, request.id as Promised['requestId']);
      this.#world.promised(orEarlier(promise, this.#world.promises.get(body.orderId)));
    }
  }

  #judgeTerms(watch: ChainWatch, fundingKey: string, body: QuoteBody, parent: Promised): void {
    const say = (what: string) => this.#say('open-terms', `transfer ${fundingKey}: ${what}`);
    const transfer = watch.deposits.get(fundingKey);
    if (transfer !== undefined && body.amountIn !== transfer.amount.toString())
      say(`${body.amountIn} of ${transfer.amount} is quoted`);
    if (transfer !== undefined && body.origin.currency !== transfer.currency) say(`in ${body.origin.currency}`);
    if (body.recipient !== parent.recipient) say(`for ${body.recipient}`);
    if (body.destination.currency !== parent.currencyOut) say(`paid out in ${body.destination.currency}`);
    const least = (BigInt(body.amountOut) * (BPS - BigInt(this.#world.policy.defaultSlippageBps))) / BPS - 1n;
    if (BigInt(body.minimumAmount) < least) say(`promises ${body.minimumAmount} of ${body.amountOut} at least`);
  }

  judgeAll(): void {
    for (const watch of this.#world.watches.values()) {
      for (const [fundingKey, orders] of watch.assigned) {
        const filled = orders.filter((orderId) => this.#fillOf(orderId) !== undefined);
        if (filled.length > 1)
          this.#say('transfer-filled-twice', `transfer ${fundingKey} paid for ${filled.join(' and ')}`);
        if (filled.length > 0) increment(this.#world.users, 'filled at an open address');
        if (this.#isCalm) for (const orderId of filled) this.#judgeValue(watch, fundingKey, orderId);
      }
      for (const address of watch.addresses.keys()) this.#judgeLeft(watch, address);
      for (const [fundingKey, to] of watch.named)
        if (watch.refundOf(fundingKey, 'refund')?.recipient === to)
          this.#world.seen('paid to a recipient of an operator');
      const { sweeps } = watch.chain.history();
      for (const { useKey } of sweeps) increment(this.#world.users, useKey === null ? 'forwarded' : 'swept');
    }
  }

  /** Not while gas prices jump: the cost of gas is unbounded then. */
  get #isCalm(): boolean {
    return this.#world.faults.size === 0 && !this.#world.attacks.has('lateAtHighGas');
  }

  #fillOf(orderId: string) {
    const promise = this.#world.promises.get(orderId);
    return promise && this.#world.watches.get(promise.destinationChainId)?.fills.get(orderId);
  }

  /** The client of an open address relies on fair quotes. */
  #judgeValue(watch: ChainWatch, fundingKey: string, orderId: string): void {
    const [transfer, fill, promise] = [
      watch.deposits.get(fundingKey),
      this.#fillOf(orderId),
      this.#world.promises.get(orderId),
    ];
    if (!transfer || !fill || !promise) return;
    const paid = this.#worth(watch.chain.id, transfer.currency, transfer.amount, 'least');
    const got = this.#worth(promise.destinationChainId, fill.currency, fill.amount, 'most');
    if (paid > JUDGED_MICRO_USD && got * BPS < paid * MIN_SHARE_BPS)
      this.#say('open-cheated', `transfer ${fundingKey} was worth ${paid}, and its fill ${got}`);
  }

  /** All that the books know was swept, unless the sweep costs more than it collects, or a blocked account paid it. */
  #judgeLeft({ chain, places, deposits }: ChainWatch, address: string): void {
    if (chain.sweeper === undefined) return;
    for (const [fundingKey, place] of places) {
      const transfer = deposits.get(fundingKey);
      const row = this.#world.ledger.row('deposits', fundingKey);
      if (place !== address || transfer === undefined || row === undefined || row.decision === 'hold') continue;
      if (row.sweptAt === null && this.#worth(chain.id, transfer.currency, transfer.amount, 'least') > CHEAP_MICRO_USD)
        this.#say('not-swept', `transfer ${fundingKey} of ${transfer.amount} is still at ${address}`);
    }
  }

  /** A restored database lost the address, so the money stays there, unknown to the books. */
  isStranded({ fundingKey }: { readonly fundingKey: string }, watch: ChainWatch): boolean {
    const address = watch.places.get(fundingKey);
    const promise = address === undefined ? undefined : watch.promiseAt(address);
    if (promise === undefined || !this.#world.forgotten.has(promise.orderId)) return false;
    return this.#world.ledger.row('deposits', fundingKey) === undefined;
  }

  isCheap(chainId: number, currency: string, amount: bigint): boolean {
    return this.#worth(chainId, currency, amount, 'least') <= CHEAP_MICRO_USD;
  }

  /** Balance of all addresses together, smallest unit. */
  held(chainId: number, currency: string): bigint {
    const { chain, addresses } = this.#world.watch(chainId);
    return [...addresses.keys()].reduce((sum, address) => sum + chain.balance(address, currency), 0n);
  }

  /** Micro-USD at the lowest or highest price of the run. */
  #worth(chainId: number, address: string, amount: bigint, at: 'least' | 'most'): bigint {
    const currency = this.#world.spectator(chainId).currency(address);
    if (!currency) return 0n;
    const price = BigInt(this.#world.market.range(currency.group)[at]);
    return (amount * price) / 10n ** BigInt(currency.decimals);
  }

  #say(rule: string, message: string): void {
    this.#world.findings.say(rule, message);
  }
}

/** An older database quotes a transfer again, and a send of its lost part may still land. */
function orEarlier(promise: Promised, earlier: Promised | undefined): Promised {
  if (earlier === undefined || earlier.amountIn !== promise.amountIn) return promise;
  const { expectedOut, minimumOut } = promise;
  return {
    ...promise,
    expectedOut: expectedOut > earlier.expectedOut ? expectedOut : earlier.expectedOut,
    minimumOut: minimumOut < earlier.minimumOut ? minimumOut : earlier.minimumOut,
  };
}

/**
 * What the service promises for a transfer to an open address: the amounts of its quote, for the parties that the
 * client named.
 */
function promisedTo(parent: Promised, body: QuoteBody, requestId: Promised['requestId']): Promised {
  return {
    ...parent,
    ...(parent.address === undefined ? {} : { address: { ...parent.address, isTransfer: true } }),
    requestId,
    orderId: body.orderId,
    tradeType: 'EXACT_INPUT',
    currencyIn: body.origin.currency,
    amountIn: BigInt(body.amountIn),
    expectedOut: BigInt(body.amountOut),
    minimumOut: BigInt(body.minimumAmount),
    deadline: Math.floor(body.deadlineAt / 1_000),
  };
}
