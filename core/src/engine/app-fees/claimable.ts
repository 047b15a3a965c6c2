import type { ChainId } from '../../contract/ids.js';
import { account } from '../../domain/accounts.js';
import type { EngineContext } from '../base/context.js';
import { bookedMovements } from '../books/inclusion.js';

/** Keys of one lane whose transactions are not final. */
const MOST_KEYS = 5_000;

/**
 * What of the app fees of a wallet can be claimed, smallest unit: what is owed to it, less what fills earned that may still be
 * undone. Undefined where there are too many of those to tell.
 *
 * Invariant: what it answers stays owed until a claim takes it. What is owed is read first, so a fill that is booked or becomes
 * final meanwhile makes the answer too low at worst.
 */
export async function claimableFees(
  { store }: Pick<EngineContext, 'store'>,
  chainId: ChainId,
  wallet: string,
  currency: string,
): Promise<bigint | undefined> {
  const owed = -(await store.pot(account.appFees(chainId, wallet, currency)));
  let claimable = owed;
  for (const lane of await store.lanes()) {
    if (claimable <= 0n) return 0n;
    const open = await store.openKeys(lane.chainId, lane.signer, MOST_KEYS);
    if (open.length === MOST_KEYS) return undefined;
    for (const { key } of open)
      for (const { originChainId, originCurrency, appFees = [] } of bookedMovements(key))
        for (const { recipient, amount } of appFees)
          if (originChainId === chainId && originCurrency === currency && recipient === wallet)
            claimable -= BigInt(amount);
  }
  return claimable > 0n ? claimable : 0n;
}
