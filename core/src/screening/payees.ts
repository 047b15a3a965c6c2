import { LRUCache } from 'lru-cache';
import type { ChainAdapter } from '../contract/chain-adapter.js';
import type { Clock } from '../contract/clock.js';
import { serviceAccount } from '../domain/service-account.js';

export type AskedChain = Pick<
  ChainAdapter,
  'facts' | 'lanes' | 'capabilities' | 'isTokenContract' | 'refuseAddress' | 'refuseAccount'
>;

/** Accounts cached per chain. */
const MAX_CACHED_ACCOUNTS = 8_192;
/** A payable account rarely becomes unpayable, and then only its owner is harmed. */
const GOOD_CACHE_MS = 300_000;
/** A missing account may be opened at any time, and a question without an answer may be answered later. */
const BAD_CACHE_MS = 10_000;
/**
 * Concurrent questions to one chain. Third parties choose the addresses: past this limit an account is accepted
 * unchecked.
 */
const MAX_ACCOUNTS_ASKED = 4;
/** Longest wait for an answer. */
const WAIT_MS = 1_000;

interface Known {
  readonly words: string | undefined;
  readonly until: number;
}

interface Book {
  readonly known: LRUCache<string, Known>;
  readonly asked: Map<string, Promise<string | undefined>>;
}

const books = new WeakMap<AskedChain, Book>();

/**
 * Why a payment to an address would be lost, if that is known without asking the chain.
 *
 * @param judgesTokens false for a paying address: whether it is a token contract is not checked then.
 */
export function refuseAddress(chain: AskedChain, address: string, judgesTokens = true): string | undefined {
  // guard: token-contract-payees
  if (judgesTokens && chain.isTokenContract(address)) return 'is a token contract, which keeps what it gets';
  if (address === chain.facts.currency.address) return 'represents the native coin and is not an account';
  return serviceAccount(chain, address) ?? chain.refuseAddress?.(address);
}

/**
 * Why no one could spend what an account is paid, by its chain; undefined where nothing is known against it. Answers
 * from the cache for recently checked accounts. Never rejects.
 *
 * Not guaranteed: that an account is checked while its chain is busy, slow or silent. A fill is judged again before
 * it is sent.
 */
export function refuseAccount(
  chain: AskedChain,
  address: string,
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
): string | undefined | Promise<string | undefined> {
  if (chain.refuseAccount === undefined) return undefined;
  const book = bookOf(chain);
  const found = book.known.get(address);
  if (found !== undefined && clock.monotonic() < found.until) return found.words;
  const asking = book.asked.get(address) ?? ask(chain, book, address, clock);
  return asking && inTime(asking, clock);
}

function bookOf(chain: AskedChain): Book {
  const found = books.get(chain);
  if (found !== undefined) return found;
  const book: Book = { known: new LRUCache({ max: MAX_CACHED_ACCOUNTS }), asked: new Map() };
  books.set(chain, book);
  return book;
}

/** Undefined while too many questions are open. */
function ask(
  chain: AskedChain,
  { known, asked }: Book,
  address: string,
  clock: Pick<Clock, 'monotonic'>,
): Promise<string | undefined> | undefined {
  // guard: account-lookups
  if (asked.size >= MAX_ACCOUNTS_ASKED) return undefined;
  const answer = (async () => {
    try {
      const words = await chain.refuseAccount?.(address);
      known.set(address, { words, until: clock.monotonic() + (words === undefined ? GOOD_CACHE_MS : BAD_CACHE_MS) });
      return words;
    } catch {
      // guard: unknown-accounts-cached
      known.set(address, { words: undefined, until: clock.monotonic() + BAD_CACHE_MS });
      return undefined;
    } finally {
      asked.delete(address);
    }
  })();
  asked.set(address, answer);
  return answer;
}

async function inTime<T>(answer: Promise<T>, clock: Pick<Clock, 'sleep'>): Promise<T | undefined> {
  const over = new AbortController();
  const late = clock.sleep(WAIT_MS, over.signal).then(() => undefined);
  return Promise.race([answer, late]).finally(() => over.abort('over'));
}
