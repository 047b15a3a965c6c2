import type { BlockRef, Hex } from '@causeway/core';
import { RpcError } from '@causeway/core/rpc';
import { readArrived } from '../../deposit-addresses/read-arrived.js';
import { ViewMoved } from '../../logs/view-moved.js';
import type { Head } from '../heads.js';
import type { BlockRefs } from './block-refs.js';
import type { Account, Known } from './ledger.js';

/** A transfer that an earlier run recorded; of its block only the height is known. */
export interface Recorded {
  readonly account: Account;
  readonly transfer: Known;
}

/**
 * The blocks of recorded transfers, if they had arrived by the end of these blocks: one call for each height and
 * currency, for as many heights as `refs` looks up. Omits blocks whose state nodes have pruned.
 *
 * @throws ViewMoved, TransportError
 */
export async function recordedBlocks(
  factory: Hex,
  recorded: readonly Recorded[],
  refs: BlockRefs,
  { provider }: Head,
): Promise<ReadonlyMap<Known, BlockRef>> {
  const found = new Map<Known, BlockRef>();
  for (const own of groupsOf(recorded)) {
    const [first] = own;
    if (first === undefined) continue;
    const block = await refs.at(first.transfer.height);
    if (block === undefined) continue;
    const { currency } = first.account;
    const addresses = [...new Set(own.map(({ account }) => account.address))];
    const place = { height: block.height, id: block.id as Hex };
    const arrived = await readArrived(provider, factory, { addresses, tokens: [currency] }, place).catch(
      (error: unknown) => {
        if (error instanceof RpcError || error instanceof ViewMoved) return undefined;
        throw error;
      },
    );
    const amounts = arrived?.get(currency) ?? [];
    const byThen = new Map(addresses.map((address, n) => [address, amounts[n] ?? 0n]));
    for (const { account, transfer } of own)
      if ((byThen.get(account.address) ?? 0n) >= transfer.to) found.set(transfer, block);
  }
  return found;
}

function groupsOf(recorded: readonly Recorded[]): Iterable<readonly Recorded[]> {
  const groups = new Map<string, Recorded[]>();
  for (const one of recorded) {
    const key = `${one.transfer.height}:${one.account.currency}`;
    const own = groups.get(key);
    if (own === undefined) groups.set(key, [one]);
    else own.push(one);
  }
  return groups.values();
}
