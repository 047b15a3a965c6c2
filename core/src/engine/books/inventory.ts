import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { ChainId, UnixMs } from '../../contract/ids.js';
import { laneThatSends } from '../../contract/legs.js';
import { account, counter } from '../../domain/accounts.js';
import type { EngineContext } from '../base/context.js';
import { keptBack } from './kept-back.js';
import { WaitingPromises } from './waiting-promises.js';

/** Background copy of the pots, for quotes. Nothing is promised from it. */
export class InventoryView {
  #pots = new Map<string, bigint>();
  #readAt: UnixMs | undefined;
  readonly #waiting = new WaitingPromises();

  async refresh(context: EngineContext): Promise<void> {
    // Before the pots: a deposit decided in between counts twice, never not at all.
    await this.#waiting.refresh(context);
    const now = context.clock.now();
    const today = counter.volume(now);
    const [inventory, reserved, volume] = await Promise.all([
      context.store.pots('inventory:'),
      context.store.pots('#reserved:'),
      context.store.pots(today),
    ]);
    this.#pots = new Map([...inventory, ...reserved, ...volume].map((pot) => [pot.account, pot.amount]));
    this.#readAt = now;
  }

  get readAt(): UnixMs | undefined {
    return this.#readAt;
  }

  /** Micro-USD. */
  volume({ clock }: EngineContext): bigint {
    return this.#pots.get(counter.volume(clock.now())) ?? 0n;
  }

  /** Micro-USD; null for no limit. */
  volumeLeft(context: EngineContext): bigint | null {
    const most = context.policy.limits.maxDailyMicroUsd;
    if (most === null) return null;
    const left = most - this.volume(context);
    return left > 0n ? left : 0n;
  }

  /** Booked balance, smallest unit. */
  ledger(chainId: ChainId, signer: string, currency: string): bigint {
    return this.#pots.get(account.inventory(chainId, signer, currency)) ?? 0n;
  }

  /** Booked balance of the filling lane, reserved or not. */
  held({ chains }: Pick<EngineContext, 'chains'>, chainId: ChainId, currency: string): bigint {
    const lane = laneThatSends(chains.get(chainId)?.lanes ?? [], 'fill');
    return lane ? this.ledger(chainId, lane.signer, currency) : 0n;
  }

  reserved(chainId: ChainId, signer: string, currency: string): bigint {
    return this.#pots.get(counter.reserved(chainId, signer, currency)) ?? 0n;
  }

  /**
   * Ledger less reservations and gas reserve, at most what the chain shows. Includes what undecided deposits will
   * claim, since that belongs to no lane yet.
   */
  free(context: EngineContext, chain: ChainAdapter, signer: string, currency: string): bigint {
    const { id } = chain.facts;
    const onChain = chain.laneBalance(signer, currency)?.value;
    const allowed = chain.laneAllowance?.(signer, currency)?.value;
    const held = least(this.ledger(id, signer, currency), onChain, allowed);
    const free = held - this.reserved(id, signer, currency) - keptBack(context, id, currency);
    return free > 0n ? free : 0n;
  }

  /** What undecided deposits will claim, smallest unit. */
  promised(chainId: ChainId, currency: string): bigint {
    return this.#waiting.of(chainId, currency);
  }

  /** Ledger less reservations, claims of undecided deposits and gas reserve, at most what the chain shows. */
  available(context: EngineContext, chainId: ChainId, currency: string): bigint {
    const chain = context.chains.get(chainId);
    const lane = chain && laneThatSends(chain.lanes, 'fill');
    if (!lane) return 0n;
    const total = this.free(context, chain, lane.signer, currency);
    const left = /* guard: waiting-deposits-count */ total - this.#waiting.of(chainId, currency);
    return left > 0n ? left : 0n;
  }
}

function least(first: bigint, ...others: readonly (bigint | undefined)[]): bigint {
  return others.reduce<bigint>((low, one) => (one !== undefined && one < low ? one : low), first);
}
