import { type HttpClient, type Provider, TransportError } from '@causeway/core/rpc';
import { VALID_BLOCKS } from './position.js';
import { type Block, readBlock } from './unbroken-history.js';

// Behind the name of one provider there may be several nodes, of which some lag: no two answers are of one moment, or of one
// node. So what is read first is what must not be ahead, and heights are those of a slot that is named with them.

/** What is final. */
export interface FinalView {
  readonly block: Block;
  /** Height by which messages run out, no higher than that of `block`. */
  readonly height: number;
}

/**
 * Invariant: `height` is not above `block`, so who answers from this slot or a later one knows all up to this height. Two
 * heights are asked for: one of a fresh node, with the slot of one that lags, would be; that of the slot's own block cannot.
 * The local node counts more in blocks than by what messages run out, so the block's alone would not do.
 */
export async function finalView({ rpc }: Pick<Provider, 'rpc'>): Promise<FinalView> {
  const height = await finalHeight(rpc);
  const block = await readBlock(rpc, await slotOf(rpc, 'finalized'), 'finalized');
  return { block, height: Math.min(height, block.height) };
}

/** Block height of what is final, by which messages run out. */
export function finalHeight(rpc: HttpClient): Promise<number> {
  return rpc.request<number>('getBlockHeight', [{ commitment: 'finalized' }]);
}

/**
 * Slot of what is final, of a provider that is not behind.
 * @throws TransportError as `freshSlot`.
 */
export async function freshFinal(provider: Provider, floor: number): Promise<number> {
  const final = await slotOf(provider.rpc, 'finalized');
  // A head below an earlier final slot shows that the provider lags, too.
  await freshSlot(provider, Math.max(floor, final));
  return final;
}

/**
 * Slot of the head.
 * @throws TransportError where the provider is behind an earlier answer: a transaction that it lacks may exist.
 */
export async function freshSlot(provider: Provider, floor: number): Promise<number> {
  const slot = await slotOf(provider.rpc, 'confirmed');
  expectFresh(provider, slot, floor);
  return slot;
}

interface Latest {
  readonly context: { readonly slot: number };
  readonly value: { readonly lastValidBlockHeight: number };
}

/**
 * Block height of the head, whose slot is no older than an earlier answer's: one answer tells both.
 * @throws TransportError as `freshSlot`.
 */
export async function freshHeight(provider: Provider, floor: number): Promise<number> {
  const { context, value } = await provider.rpc.request<Latest>('getLatestBlockhash', [{ commitment: 'confirmed' }]);
  expectFresh(provider, context.slot, floor);
  return value.lastValidBlockHeight - VALID_BLOCKS;
}

function slotOf(rpc: HttpClient, commitment: 'confirmed' | 'finalized'): Promise<number> {
  return rpc.request<number>('getSlot', [{ commitment }]);
}

function expectFresh({ name }: Provider, slot: number, floor: number): void {
  if (slot < floor) throw new TransportError(`${name} lags behind at ${slot} of ${floor}`, 'malformed');
}
