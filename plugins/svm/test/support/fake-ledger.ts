import { type HttpClient, type Provider, type Providers, RpcError, TransportError } from '@causeway/core/rpc';
import { NATIVE } from '../../src/addresses.js';
import type { RawTransaction } from '../../src/transactions/read.js';

export interface FakeNode {
  /** Newest confirmed slot; final is 32 slots behind. */
  head: number;
  oldest?: number;
  lacks?: (slot: number) => boolean;
  landed?: ReadonlyMap<string, FakeTransaction>;
}

export interface FakeTransaction {
  readonly slot: number;
  readonly memo: string | null;
  readonly touches?: readonly string[];
  /** Absent if never requested. `refused`: unsupported version; `lost`: listed but not shown. */
  readonly shown?: Omit<RawTransaction, 'slot'> | 'refused' | 'lost' | 'broken';
  readonly inBlock?: Omit<RawTransaction, 'slot'>;
}

const FINAL = 32;
const SLOT = 0.4;

export const isEmpty = (slot: number): boolean => slot % 20 === 7;
/** Blocks up to a slot, without the first. */
export const heightAt = (slot: number): number => slot - Math.floor((slot + 13) / 20);
export const timeAt = (slot: number): number => Math.floor(slot * SLOT);

export function slotAt(height: number): number {
  let slot = height;
  while (heightAt(slot) < height) slot += 1;
  return slot;
}

interface Options {
  readonly commitment?: 'confirmed' | 'finalized';
  readonly minContextSlot?: number;
  readonly before?: string;
  readonly until?: string;
  readonly limit?: number;
  readonly transactionDetails?: string;
}

export function answer(node: FakeNode, method: string, params: readonly unknown[]): unknown {
  const { head, oldest = 0, lacks = () => false, landed = new Map() } = node;
  const options = (params.at(-1) ?? {}) as Options;
  const top = options.commitment === 'confirmed' ? head : head - FINAL;
  const has = (slot: number): boolean => slot >= oldest && slot <= top && !isEmpty(slot) && !lacks(slot);
  const lastUpTo = (slot: number): number => (isEmpty(slot) ? slot - 1 : slot);
  const [first, second] = params as [never, never];
  switch (method) {
    case 'getSlot':
      return lastUpTo(top);
    case 'getBlockHeight':
      return heightAt(lastUpTo(top));
    case 'getLatestBlockhash':
      return { context: { slot: lastUpTo(top) }, value: { lastValidBlockHeight: heightAt(lastUpTo(top)) + 150 } };
    case 'getFirstAvailableBlock':
      return oldest;
    case 'getBlockTime':
      return timeAt(first);
    case 'getBlocks': {
      if (second - first > 500_000) throw new RpcError('Slot range too large; max 500000', -32602, null);
      const slots: number[] = [];
      for (let slot: number = first; slot <= Math.min(second, top); slot += 1) if (has(slot)) slots.push(slot);
      return slots;
    }
    case 'getBlock': {
      if (!has(first)) throw new RpcError(`Slot ${first} was skipped, or missing`, -32007, null);
      const block = { blockHeight: heightAt(first), parentSlot: lastUpTo(first - 1) };
      return options.transactionDetails === 'accounts' ? { ...block, transactions: touchesIn(landed, first) } : block;
    }
    case 'getTransaction':
      return transactionOf(landed, first, top);
    case 'getSignatureStatuses': {
      const known = (signature: string) => {
        const slot = landed.get(signature)?.slot;
        const confirmationStatus = slot !== undefined && slot <= head - FINAL ? 'finalized' : 'confirmed';
        return slot !== undefined && slot <= head && !lacks(slot) ? { slot, err: null, confirmationStatus } : null;
      };
      return { context: { slot: lastUpTo(head) }, value: (first as readonly string[]).map(known) };
    }
    case 'getMultipleAccounts': {
      const value = (first as readonly string[]).map((account) => coinsOf(landed, account, head));
      return { context: { slot: lastUpTo(head) }, value };
    }
    case 'getSignaturesForAddress': {
      if ((options.minContextSlot ?? 0) > head)
        throw new RpcError('Minimum context slot has not been reached', -32016, 0);
      return listed(landed, first, options, (slot) => slot <= head && !lacks(slot));
    }
    default:
      throw new RpcError(`no ${method}`, -32601, null);
  }
}

/** Sums up what it got. */
function coinsOf(landed: Landed, account: string, head: number): unknown {
  let lamports = 0;
  for (const { slot, inBlock } of historyOf(landed, account).entries) {
    const { accountKeys = [] } = inBlock?.transaction.message ?? {};
    const place = accountKeys.indexOf(account);
    const { preBalances = [], postBalances = [] } = inBlock?.meta ?? {};
    if (slot <= head && place >= 0) lamports += (postBalances[place] ?? 0) - (preBalances[place] ?? 0);
  }
  return lamports === 0 ? null : { lamports, owner: NATIVE, executable: false, data: ['', 'base64'] };
}

type Landed = ReadonlyMap<string, FakeTransaction>;
interface Entry extends FakeTransaction {
  readonly signature: string;
}

interface History {
  readonly size: number;
  readonly entries: readonly Entry[];
  readonly places: ReadonlyMap<string, number>;
}

const histories = new WeakMap<Landed, Map<string, History>>();

function historyOf(landed: Landed, account = ''): History {
  const known = histories.get(landed) ?? new Map<string, History>();
  histories.set(landed, known);
  const found = known.get(account);
  if (found !== undefined && found.size === landed.size) return found;
  const isIn = ({ touches }: Entry): boolean => account === '' || touches === undefined || touches.includes(account);
  const entries = [...landed].map(([signature, one]) => ({ ...one, signature })).filter(isIn);
  entries.reverse().sort((a, b) => b.slot - a.slot);
  const places = new Map(entries.map(({ signature }, n) => [signature, n]));
  const history = { size: landed.size, entries, places };
  known.set(account, history);
  return history;
}

/** As validators do: an unknown place has no older entries. */
function listed(landed: Landed, account: string, options: Options, isThere: (slot: number) => boolean): unknown {
  const { entries, places } = historyOf(landed, account);
  const placeOf = (signature: string): number => {
    const place = places.get(signature);
    return place === undefined || !isThere(entries[place]?.slot ?? 0) ? -1 : place;
  };
  const from = options.before === undefined ? 0 : placeOf(options.before) + 1;
  if (options.before !== undefined && from === 0) return [];
  const end = options.until === undefined ? -1 : placeOf(options.until);
  const page: object[] = [];
  for (let n = from; n < (end < 0 ? entries.length : end) && page.length < (options.limit ?? 1_000); n += 1) {
    const { signature, slot, memo } = entries[n] as Entry;
    if (isThere(slot)) page.push({ signature, slot, err: null, memo, blockTime: timeAt(slot) });
  }
  return page;
}

function transactionOf(landed: Landed, signature: string, top: number): unknown {
  const { slot = 0, shown = 'lost' } = landed.get(signature) ?? {};
  if (shown === 'refused') throw new RpcError('Transaction version (1) is not supported', -32015, null);
  if (shown === 'broken') throw new TransportError('HTTP status 500', 'http');
  return shown === 'lost' || slot > top ? null : { ...shown, slot };
}

function touchesIn(landed: Landed, slot: number): unknown {
  return historyOf(landed)
    .entries.filter((one) => one.slot === slot)
    .flatMap(({ shown, inBlock = typeof shown === 'object' ? shown : undefined }) => {
      if (inBlock === undefined) return [];
      const { transaction, meta } = inBlock;
      const accountKeys = transaction.message.accountKeys.map((pubkey) => ({ pubkey }));
      return [{ transaction: { signatures: transaction.signatures, accountKeys }, meta }];
    });
}

export interface Asked {
  readonly rpc: HttpClient;
  readonly calls: { readonly method: string; readonly params: readonly unknown[] }[];
  /** Slots requested in block lists so far. */
  listed(): number;
  most(): number;
}

export function asked(ask: (method: string, params: readonly unknown[]) => unknown): Asked {
  const calls: Asked['calls'] = [];
  let [underWay, most] = [0, 0];
  const request = async (method: string, params: readonly unknown[] = []): Promise<unknown> => {
    calls.push({ method, params });
    underWay += 1;
    most = Math.max(most, underWay);
    try {
      // Answers only after all concurrent requests.
      await new Promise<void>((resolve) => setImmediate(resolve));
      return ask(method, params);
    } finally {
      underWay -= 1;
    }
  };
  const listed = (): number =>
    calls
      .filter(({ method }) => method === 'getBlocks')
      .reduce((sum, { params }) => sum + Number(params[1]) - Number(params[0]) + 1, 0);
  return { rpc: { request } as unknown as HttpClient, calls, listed, most: () => most };
}

export function only(rpc: HttpClient): Providers {
  const provider = { index: 0, name: 'one', ws: undefined, rpc } as Provider;
  const run = <T>(task: (provider: Provider) => Promise<T>): Promise<T> => task(provider);
  const quiet = () => undefined;
  const runSurely = (_: string, task: Parameters<typeof run>[0]) => run(task);
  const health = {
    problem: () => null,
    trouble: () => null,
    failed: quiet,
    read: quiet,
    unread: quiet,
    sawHead: quiet,
  };
  return { run, runSurely, usable: () => [provider], ...health } as unknown as Providers;
}
