import type { ChainId } from '../contract/ids.js';
import { account, counter } from '../domain/accounts.js';
import { gasReserve, ownFee } from './budget.js';
import type { EngineContext } from './context.js';
import { WaitingPromises } from './waiting-promises.js';

/** Inventory as quotes see it: a copy of the pots, refreshed in the background. Nothing is promised from it. */
export class InventoryView {
  #pots = new Map<string, bigint>();
  readonly #waiting = new WaitingPromises();

  async refresh(context: EngineContext): Promise<void> {
    // Before the pots: a deposit that is decided between the two readings counts twice for a moment, and never not at all.
    await this.#waiting.refresh(context);
    const today = counter.volume(context.clock.now());
    const [inventory, reserved, volume] = await Promise.all([
      context.store.pots('inventory:'),
      context.store.pots('#reserved:'),
      context.store.pots(today),
    ]);
    this.#pots = new Map([...inventory, ...reserved, ...volume].map((pot) => [pot.account, pot.amount]));
  }

  /** Micro-USD that may still be accepted today; null where there is no limit. */
  volumeLeft({ policy, clock }: EngineContext): bigint | null {
    const most = policy.limits.maxDailyMicroUsd;
    if (most === null) return null;
    const left = most - (this.#pots.get(counter.volume(clock.now())) ?? 0n);
    return left > 0n ? left : 0n;
  }

  /**
   * What new requests could still use: ledger less reservations, what deposits on their way to a decision will claim, and gas
   * reserve, and never more than the chain shows or allows.
   */
  available(context: EngineContext, chainId: ChainId, currency: string): bigint {
    const chain = context.chains.get(chainId);
    if (!chain) return 0n;
    let total = 0n;
    for (const { signer } of chain.lanes) {
      const ledger = this.#pots.get(account.inventory(chainId, signer, currency)) ?? 0n;
      const onChain = chain.laneBalance(signer, currency)?.value;
      const allowed = chain.laneAllowance?.(signer, currency)?.value;
      const held = least(ledger, onChain, allowed);
      const free =
        held -
        (this.#pots.get(counter.reserved(chainId, signer, currency)) ?? 0n) -
        gasReserve(context, chainId, currency) -
        ownFee(context, chainId, currency);
      if (free > 0n) total += free;
    }
    const left = total - this.#waiting.of(chainId, currency);
    return left > 0n ? left : 0n;
  }
}

function least(first: bigint, ...others: readonly (bigint | undefined)[]): bigint {
  return others.reduce<bigint>((low, one) => (one !== undefined && one < low ? one : low), first);
}
