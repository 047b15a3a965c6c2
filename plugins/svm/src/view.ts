import { type HttpClient, type Provider, TransportError } from '@causeway/core/rpc';
import { VALID_BLOCKS } from './position.js';
import { type Block, readBlock } from './unbroken-history.js';

// Several nodes, some lagging, may answer under one provider's name: no two answers are of one moment. So the value
// that must not be ahead is read first, and heights are those of a slot named with them.

export interface FinalView {
  readonly block: Block;
  /** Height that expires messages, no higher than that of `block`. */
  readonly height: number;
}

/**
 * Invariant: `height` is not above `block`, so an answer as of this slot or later covers all up to this height. A
 * fresh node's height with a lagging node's slot would be above; the slot's own block height cannot be, but on the
 * local node it is above the height that expires messages. So the lower one counts.
 */
export async function finalView({ rpc }: Pick<Provider, 'rpc'>): Promise<FinalView> {
  const height = await finalHeight(rpc);
  const block = await readBlock(rpc, await slotOf(rpc, 'finalized'), 'finalized');
  return { block, height: Math.min(height, block.height) };
}

/** Final block height, by which messages expire. */
export function finalHeight(rpc: HttpClient): Promise<number> {
  return rpc.request<number>('getBlockHeight', [{ commitment: 'finalized' }]);
}

/**
 * Final slot of a provider that does not lag.
 * @throws TransportError as `freshSlot`.
 */
export async function freshFinal(provider: Provider, floor: number): Promise<number> {
  const final = await slotOf(provider.rpc, 'finalized');
  // A head below an earlier final slot shows lag, too.
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
 * Block height of the head; the same answer shows its slot.
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
