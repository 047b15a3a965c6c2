import { auditBalances } from '../../../capabilities/sponsorship/audit.js';
import type { ChangeSet, Store } from '../../../contract/store.js';
import type { RequestRow } from '../../../contract/store-rows.js';
import { legId } from '../../../domain/accounts.js';
import { balanceDepositId, balanceValue } from '../../../domain/app-balance.js';
import type { QuoteBody } from '../../../domain/quote.js';
import type { FakeDeposit } from '../../fake-chain/fake-chain-types.js';
import { EVERY_INTEGRATOR, fundingAddress, integratorName } from '../integrators.js';
import type { World } from '../world.js';
import type { ChainWatch } from './chain-watch.js';
import type { Ledger } from './ledger.js';

/** What clients know of a call that they asked for. */
interface Posted {
  readonly chainId: number;
  readonly data: string;
  /** Of the answers; the database's life in which they came. */
  readonly requests: Map<string, number>;
}

/**
 * Judges app balances, calls for others, permits and fast fills by the chains and by what clients were answered.
 *
 * Invariants (G10): a call that a client asked for is on the chain at most once, and what its request says of it is true;
 * its transactions are one, and the balance paid if and only if that landed. Each reservation ended, once. A payment for a
 * balance was credited once, with its value. A fast fill whose deposit left the chain was paid by the balance, any other
 * cost it nothing.
 *
 * Not judged in restored worlds: what was lost with the database. What is on the chain at most once is judged in all.
 */
export class GaslessJudge {
  readonly #world: World;
  readonly #posted = new Map<string, Posted>();
  readonly #accepted = new Map<string, number>();
  readonly #fast = new Map<string, string>();

  constructor(world: World) {
    this.#world = world;
  }

  posted(chainId: number, data: string): void {
    this.#posted.set(data, { chainId, data, requests: new Map() });
  }

  /** @param life of the database, in which the answer came. */
  called(data: string, requestId: string, life: number): void {
    this.#posted.get(data)?.requests.set(requestId, life);
  }

  /** A permit, or a call for a quote, was accepted. @param life of the database, in which the answer came. */
  accepted(requestId: string, life: number): void {
    this.#accepted.set(requestId, life);
  }

  committed({ changes }: ChangeSet, ledger: Ledger): void {
    for (const change of changes) {
      if (change.op !== 'update' || change.table !== 'requests' || typeof change.set.body !== 'string') continue;
      const { fastFill } = JSON.parse(change.set.body) as QuoteBody;
      if (fastFill === undefined) continue;
      const before = this.#fast.get(change.key.id);
      this.#fast.set(change.key.id, fastFill.state);
      if (before === fastFill.state) continue;
      if (fastFill.state === 'open') this.#reserved(ledger, fastFill.reservation);
      if (fastFill.state === 'taken') this.#world.seen('fast fill taken');
      if (fastFill.state === 'released')
        this.#world.seen(before === 'taken' ? 'fast fill taken and credited again' : 'fast fill given back');
    }
  }

  #reserved(ledger: Ledger, reservation: string): void {
    this.#world.seen('fast fill reserved');
    const rows = [...ledger.rows('sponsorships')].filter(({ requestId }) => requestId === reservation);
    if (rows.length !== 1) this.#say('fast-fill-uncovered', `${rows.length} reservations of ${reservation}`);
  }

  isCredited(fundingKey: string): boolean {
    return this.#world.ledger.balanceEvents.has(creditId(fundingKey));
  }

  /** Calls without a quote, and payments for balances: what others say of statuses is not about these. */
  judges({ body }: RequestRow): boolean {
    const { call, order, appBalance } = JSON.parse(body) as QuoteBody;
    return appBalance !== undefined || (call !== undefined && order.inputs.length === 0);
  }

  /** Fees that a balance paid for a quote, micro-USD. */
  paidFor(requestId: string): bigint {
    const body = this.#bodyOf(requestId);
    return BigInt(body?.sponsor?.settled?.microUsd ?? '0');
  }

  judgeAll(): void {
    for (const posted of this.#posted.values()) this.#judgePosted(posted);
    for (const [requestId, life] of this.#accepted)
      if (life === this.#world.life && this.#world.ledger.row('requests', requestId) === undefined)
        this.#say('acceptance-forgotten', `${requestId} was accepted and is unknown`);
    for (const request of this.#world.ledger.rows('requests')) this.#judgeRequest(request);
    for (const watch of this.#world.watches.values()) this.#judgePayments(watch);
    for (const [id, { taken }] of this.#ended()) if (taken === null) this.#say('reservation-left', id);
  }

  async judgeBalances(store: Pick<Store, 'pots' | 'openSponsorships'>): Promise<void> {
    const { wrong } = await auditBalances(store);
    for (const one of wrong) this.#say('balance-differs', JSON.stringify(one));
    const ofEvents = new Map<string, bigint>();
    for (const { integratorId, amount } of this.#world.ledger.balanceEvents.values())
      ofEvents.set(integratorId, (ofEvents.get(integratorId) ?? 0n) + amount);
    for (const { account, amount } of await store.pots('appBalance:')) {
      const integrator = account.split(':')[2] ?? '';
      if (-amount !== (ofEvents.get(integrator) ?? 0n))
        this.#say('balance-unexplained', `${integrator} has ${-amount}, its events say ${ofEvents.get(integrator)}`);
    }
    for (const { account, amount } of await store.pots('#fastFills:'))
      if (amount !== 0n) this.#say('counter-left', `${account} is ${amount} with nothing left to do`);
  }

  #judgePosted({ chainId, data, requests }: Posted): void {
    const world = this.#world;
    const made = world
      .chain(chainId)
      .history()
      .calls.filter((call) => call.data === data);
    if (made.length > 1) this.#say('called-twice', `data ${data} on chain ${chainId}, ${made.length} times`);
    if (requests.size > 1 && !world.restored) this.#say('accepted-twice', `${[...requests.keys()].join(' and ')}`);
    for (const [requestId, life] of requests) {
      const request = world.ledger.row('requests', requestId);
      if (request === undefined && life === world.life) this.#say('acceptance-forgotten', `call ${requestId}`);
      if (request === undefined) continue;
      const { status, failReason } = request;
      if (status === 'success' && made.length === 0) this.#say('call-lies', `${requestId} succeeded and was not made`);
      if (status === 'failure' && made.length > 0 && failReason !== 'UNKNOWN')
        this.#say('call-lies', `${requestId} failed with ${failReason} and was made`);
      if (failReason === 'UNKNOWN') world.seen('call in doubt');
      world.seen(made.length > 0 ? 'call made' : 'call not made');
    }
  }

  #judgeRequest(request: RequestRow): void {
    const body = JSON.parse(request.body) as QuoteBody;
    // A child's body repeats the call of its parent.
    if (body.call !== undefined && body.requestId === request.id) this.#judgeCall(request, body);
    if (body.sponsor?.settled !== undefined) this.#world.seen('fees sponsored');
    if (body.fastFill !== undefined && !this.#world.restored && body.requestId === request.id)
      this.#judgeFast(request, body);
    if (body.permit?.accepted !== undefined && request.fundingKey !== null) this.#world.seen('deposit by a permit');
  }

  /** One transaction that the balance paid, or none and nothing. */
  #judgeCall({ id, status, fundingKey, originChainId }: RequestRow, { call, order, payerSwap }: QuoteBody): void {
    const isQuoted = order.inputs.length > 0;
    const leg = isQuoted ? legId.originCall(id) : legId.call(id);
    const useKey = this.#world.spectator(originChainId).useKey(leg, 'call');
    const sent = this.#world
      .chain(originChainId)
      .history()
      .fees.filter(({ carries }) => carries.some(({ name }) => name === useKey));
    if (sent.length > 1) this.#say('sent-twice', `call of ${id}: ${sent.map(({ hash }) => hash).join(' and ')}`);
    if (sent[0]?.ok === false) this.#world.seen('call reverted');
    if (isQuoted && fundingKey !== null) this.#world.seen('deposit by a call');
    if (payerSwap && status === 'success' && sent[0]?.ok) this.#world.seen('executed by a call');
    if (this.#world.restored) return;
    const reservation = call?.reservation ?? id;
    const { taken } = [...this.#ended().values()].find(({ requestId }) => requestId === reservation) ?? {};
    if (taken === undefined) this.#say('call-unreserved', id);
    if (taken === 0n && sent.length > 0) this.#say('call-unpaid', `${id} landed in ${sent[0]?.hash}`);
    if (taken !== undefined && taken !== null && taken > 0n && sent.length === 0)
      this.#say('call-paid-for-nothing', `${taken} was charged for ${id}, of which nothing landed`);
  }

  /** Of those that reserved. Its deposit stays away and the fill is on the chain: the balance pays. */
  #judgeFast(request: RequestRow, { fastFill, orderId, origin, destination }: QuoteBody): void {
    if (fastFill?.risk === undefined) return;
    const { balanceEvents } = this.#world.ledger;
    const taken = balanceEvents.get(`sponsorship:${fastFill.reservation}`)?.amount ?? 0n;
    const back = balanceEvents.get(`${fastFill.reservation}:back`)?.amount ?? 0n;
    const isFilled = this.#world.watch(destination.chainId).fills.has(orderId);
    const isPaid = request.fundingKey !== null && this.#world.watch(origin.chainId).deposits.has(request.fundingKey);
    const expected = isFilled && !isPaid ? -BigInt(fastFill.risk) : 0n;
    if (taken + back !== expected)
      this.#say('fast-fill-unsettled', `${request.id}: the balance changed by ${taken + back} instead of ${expected}`);
  }

  /** Each payment that names a balance or comes from its linked address, by the chain alone. */
  #judgePayments(watch: ChainWatch): void {
    for (const deposit of watch.deposits.values()) {
      const owner = this.#ownerOf(deposit);
      const credit = this.#world.ledger.balanceEvents.get(creditId(deposit.fundingKey));
      const currency = this.#world.spectator(watch.chain.id).currency(deposit.currency);
      const counts =
        owner !== undefined && currency?.symbol === 'USDF' && !this.#world.economy.mayBeIgnored(deposit, watch);
      const value = counts ? balanceValue(deposit.amount, currency.decimals) : 0n;
      if (value > 0n) this.#world.seen('balance topped up');
      const isRight = credit === undefined ? value === 0n : credit.amount === value && credit.integratorId === owner;
      if (isRight) continue;
      const row = this.#world.ledger.row('deposits', deposit.fundingKey);
      const request = this.#world.ledger.row('requests', row?.requestId ?? '');
      const became = `${row?.state} ${row?.decision}, its request ${request?.status} ${request?.failReason}`;
      const booked = `${credit?.amount} was credited to ${credit?.integratorId}`;
      this.#say('credit-wrong', `payment ${deposit.fundingKey} of ${value} for ${owner} is ${became}, and ${booked}`);
    }
    for (const { id, chainId, kind } of this.#world.ledger.balanceEvents.values())
      if (kind === 'deposit' && chainId === watch.chain.id && !watch.deposits.has(id.slice(CREDIT.length)))
        this.#say('credit-unpaid', `${id} is of no payment on the chain`);
  }

  #ownerOf({ orderId, depositor }: FakeDeposit): string | undefined {
    if (!this.#world.hasBalances) return undefined;
    const integrators = EVERY_INTEGRATOR.map(integratorName);
    return integrators.find((id) =>
      orderId === null ? depositor === fundingAddress(id) : orderId === balanceDepositId(id),
    );
  }

  #ended() {
    return new Map([...this.#world.ledger.rows('sponsorships')].map((row) => [row.id, row]));
  }

  #bodyOf(requestId: string): QuoteBody | undefined {
    const row = this.#world.ledger.row('requests', requestId);
    return row && (JSON.parse(row.body) as QuoteBody);
  }

  #say(rule: string, message: string): void {
    this.#world.findings.say(rule, message);
  }
}

const CREDIT = 'balance:';

function creditId(fundingKey: string): string {
  return `${CREDIT}${fundingKey}`;
}
