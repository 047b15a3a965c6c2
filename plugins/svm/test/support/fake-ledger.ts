import { type HttpClient, type Provider, type Providers, RpcError } from '@causeway/core/rpc';

/** One node of a chain that no local node can play: long, with slots that stay empty. */
export interface FakeNode {
  /** Newest slot, confirmed. What is final is 32 slots behind. */
  head: number;
  /** Oldest block that it names. */
  oldest?: number;
  /** Slots whose blocks it lacks. */
  lacks?: (slot: number) => boolean;
  /** Transactions of the chain: slots by signature, and memos. */
  landed?: ReadonlyMap<string, { readonly slot: number; readonly memo: string }>;
}

const FINAL = 32;
/** Seconds of a slot. */
const SLOT = 0.4;

/** One slot of twenty stays empty. */
export const isEmpty = (slot: number): boolean => slot % 20 === 7;
/** Blocks up to a slot, without the first. */
export const heightAt = (slot: number): number => slot - Math.floor((slot + 13) / 20);
export const timeAt = (slot: number): number => Math.floor(slot * SLOT);

/** The first block of a height. */
export function slotAt(height: number): number {
  let slot = height;
  while (heightAt(slot) < height) slot += 1;
  return slot;
}

interface Options {
  readonly commitment?: 'confirmed' | 'finalized';
  readonly minContextSlot?: number;
}

/** What the node answers. */
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
    case 'getBlock':
      if (!has(first)) throw new RpcError(`Slot ${first} was skipped, or missing`, -32007, null);
      return { blockHeight: heightAt(first), parentSlot: lastUpTo(first - 1) };
    case 'getSignatureStatuses': {
      const known = (signature: string) => {
        const slot = landed.get(signature)?.slot;
        const status = { slot, err: null, confirmationStatus: 'confirmed' };
        return slot !== undefined && slot <= head && !lacks(slot) ? status : null;
      };
      return { context: { slot: lastUpTo(head) }, value: (first as readonly string[]).map(known) };
    }
    case 'getSignaturesForAddress': {
      if ((options.minContextSlot ?? 0) > head)
        throw new RpcError('Minimum context slot has not been reached', -32016, 0);
      return [...landed]
        .filter(([, { slot }]) => slot <= head && !lacks(slot))
        .sort(([, a], [, b]) => b.slot - a.slot)
        .map(([signature, { slot, memo }]) => ({ signature, slot, err: null, memo, blockTime: timeAt(slot) }));
    }
    default:
      throw new RpcError(`no ${method}`, -32601, null);
  }
}

export interface Asked {
  readonly rpc: HttpClient;
  readonly calls: { readonly method: string; readonly params: readonly unknown[] }[];
  /** Slots asked for in lists of blocks so far. */
  listed(): number;
}

/** @param ask answers a call: of one node, or of one of several behind the same name. */
export function asked(ask: (method: string, params: readonly unknown[]) => unknown): Asked {
  const calls: Asked['calls'] = [];
  const request = async (method: string, params: readonly unknown[] = []): Promise<unknown> => {
    calls.push({ method, params });
    return ask(method, params);
  };
  const listed = (): number =>
    calls
      .filter(({ method }) => method === 'getBlocks')
      .reduce((sum, { params }) => sum + Number(params[1]) - Number(params[0]) + 1, 0);
  return { rpc: { request } as unknown as HttpClient, calls, listed };
}

/** The only provider of a chain. */
export function only(rpc: HttpClient): Providers {
  const provider = { index: 0, name: 'one', ws: undefined, rpc } as Provider;
  const run = <T>(task: (provider: Provider) => Promise<T>): Promise<T> => task(provider);
  return { run, usable: () => [provider], failed: () => undefined, problem: () => null } as unknown as Providers;
}
