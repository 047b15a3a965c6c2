import type { ChainId, RequestId, UnixMs } from '../../contract/ids.js';
import type { PostingMark } from '../../contract/store.js';
import type { PostingRow, RequestRow } from '../../contract/store-rows.js';
import { factsOf } from '../../domain/leg-facts.js';
import { isPrice, valueMicroUsd } from '../../domain/money.js';
import type { QuoteBody } from '../../domain/quote.js';
import type { EngineContext } from '../base/context.js';
import { DayPrices, dayOf } from './day-prices.js';
import { measuresOf } from './measures.js';
import type { ReportAccount, ReportPart, ReportRow } from './outcomes.js';

const PAGE_SIZE = 1_000;
/** Postings of one part: bounds its time and memory. */
const MAX_POSTINGS = 20_000;

interface Known extends Pick<RequestRow, 'originChainId' | 'destinationChainId'> {
  readonly quote: QuoteBody;
}

/** Once per page: a request has several lines. */
function knownOf({ originChainId, destinationChainId, body }: RequestRow): Known {
  return { originChainId, destinationChainId, quote: JSON.parse(body) as QuoteBody };
}

type Draft<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Sums the postings of a period, in parts. Each part is added to the others by its reader.
 *
 * Invariant: `accounts` has every line of the books, so that over the whole time they are the pots of the audit, to the
 * unit.
 *
 * @param to exclusive. @param after where the part before ended.
 */
export async function report(
  context: Pick<EngineContext, 'store' | 'chains'>,
  from: UnixMs,
  to: UnixMs,
  after?: PostingMark,
): Promise<ReportPart> {
  const sums = new Sums(context);
  let last = after;
  for (let read = 0; read < MAX_POSTINGS; read += PAGE_SIZE) {
    const page = await context.store.postings(from, to, PAGE_SIZE, last);
    await sums.add(page);
    if (page.length < PAGE_SIZE) return sums.part();
    last = page.at(-1);
  }
  return { ...sums.part(), ...(last === undefined ? {} : { next: markOf(last) }) };
}

function markOf({ createdAt, groupId, account }: PostingMark): PostingMark {
  return { createdAt, groupId, account };
}

class Sums {
  readonly #context: Pick<EngineContext, 'store' | 'chains'>;
  readonly #rows = new Map<string, Draft<ReportRow>>();
  readonly #accounts = new Map<string, Draft<ReportAccount>>();
  readonly #prices: DayPrices;

  constructor(context: Pick<EngineContext, 'store' | 'chains'>) {
    this.#context = context;
    this.#prices = new DayPrices(context.store);
  }

  async add(page: readonly PostingRow[]): Promise<void> {
    const { store } = this.#context;
    const ids = [...new Set(page.flatMap(({ requestId }) => requestId ?? []))];
    const requests = new Map<RequestId, Known>((await store.requests(ids)).map((row) => [row.id, knownOf(row)]));
    const lost = await this.#lostDeposits(page);
    for (const line of page) {
      const request = line.requestId === null ? undefined : requests.get(line.requestId);
      await this.#line(line, request, lost.has(line.groupId));
    }
  }

  /** Groups that took back a deposit that is still gone, though its order was filled. */
  async #lostDeposits(page: readonly PostingRow[]): Promise<ReadonlySet<string>> {
    const { store } = this.#context;
    const vanished = new Map(page.flatMap(({ groupId }) => vanishedIn(groupId)));
    if (vanished.size === 0) return new Set();
    const rows = await store.deposits([...new Set(vanished.values())]);
    const gone = rows.filter(({ state, decision }) => state === 'vanished' && decision === 'fill');
    const legs = await store.legsOfDeposits(gone.map(({ fundingKey }) => fundingKey));
    const filled = new Set(
      legs.flatMap((leg) => (factsOf(leg).delivers && leg.state === 'done' ? (leg.fundingKey ?? []) : [])),
    );
    return new Set([...vanished].flatMap(([group, key]) => (filled.has(key as `0x${string}`) ? [group] : [])));
  }

  async #line(line: PostingRow, request: Known | undefined, isLost: boolean): Promise<void> {
    const parts = line.account.split(':');
    const [kind = '', chainText = ''] = parts;
    const currency = parts.at(-1) ?? '';
    const chainId = chainText === 'usd' ? null : Number(chainText);
    this.#account(kind, chainId, currency, line.amount);
    const quote = request?.quote;
    const day = dayOf(line.createdAt);
    for (const { measure, amount } of measuresOf(line, quote, isLost)) {
      const place = {
        originChainId: request?.originChainId ?? null,
        destinationChainId: request?.destinationChainId ?? null,
      };
      const key = [day, place.originChainId, place.destinationChainId, chainId, currency, measure].join(' ');
      const none = { amount: 0n, microUsd: 0n, unpriced: 0n };
      const row = this.#rows.get(key) ?? { day, ...place, chainId, currency, measure, ...none };
      row.amount += amount;
      const value = await this.#value(day, chainId, currency, amount, quote);
      if (value === undefined) row.unpriced += amount;
      else row.microUsd += value;
      this.#rows.set(key, row);
    }
  }

  #account(kind: string, chainId: ChainId | null, currency: string, amount: bigint): void {
    const key = `${kind} ${chainId} ${currency}`;
    const sum = this.#accounts.get(key) ?? { kind, chainId, currency, amount: 0n };
    sum.amount += amount;
    this.#accounts.set(key, sum);
  }

  /** Micro-USD; undefined without a price. */
  async #value(
    day: string,
    chainId: ChainId | null,
    currency: string,
    amount: bigint,
    quote: QuoteBody | undefined,
  ): Promise<bigint | undefined> {
    if (chainId === null) return amount;
    const decimals = decimalsOf(this.#context, chainId, currency, quote);
    const usd = quotedPrice(chainId, currency, quote) ?? (await this.#prices.at(day, chainId, currency));
    if (decimals === undefined || usd === undefined) return undefined;
    return valueMicroUsd(amount, decimals, usd, 'half');
  }

  part(): ReportPart {
    return { rows: [...this.#rows.values()], accounts: [...this.#accounts.values()] };
  }
}

const VANISHED = /^deposit:(.+):\d+:-1$/;

function vanishedIn(groupId: string): readonly (readonly [group: string, fundingKey: string])[] {
  const [, fundingKey] = VANISHED.exec(groupId) ?? [];
  return fundingKey === undefined ? [] : [[groupId, fundingKey]];
}

function sideOf(
  chainId: ChainId,
  currency: string,
  quote: QuoteBody | undefined,
): 'origin' | 'destination' | undefined {
  if (quote?.origin.chainId === chainId && quote.origin.currency === currency) return 'origin';
  if (quote?.destination.chainId === chainId && quote.destination.currency === currency) return 'destination';
  return undefined;
}

function quotedPrice(chainId: ChainId, currency: string, quote: QuoteBody | undefined): string | undefined {
  const side = sideOf(chainId, currency, quote);
  const usd = side === 'origin' ? quote?.terms.inUsd : side === 'destination' ? quote?.terms.outUsd : undefined;
  return usd !== undefined && isPrice(usd) ? usd : undefined;
}

/** Also of a currency that is no longer configured, where a quote has it. */
function decimalsOf(
  { chains }: Pick<EngineContext, 'chains'>,
  chainId: ChainId,
  currency: string,
  quote: QuoteBody | undefined,
): number | undefined {
  const side = sideOf(chainId, currency, quote);
  return side === undefined ? chains.get(chainId)?.currency(currency)?.decimals : quote?.[side].decimals;
}
