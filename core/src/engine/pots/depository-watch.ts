import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { WorkContext } from '../base/context.js';
import { isInfrastructure } from '../base/isolate.js';
import { ingestOnHold } from '../deposits/ingest.js';
import { putOnHold, stillThere } from '../deposits/poison-deposits.js';
import { WatchSession } from '../deposits/watch-session.js';
import { UnclaimedWatch } from './unclaimed.js';

/** Retry of unrecordable transfers: a new version may fix the cause. */
const ON_HOLD_RETRY_DELAY_MS = 600_000;
const MAX_ON_HOLD_TRANSFERS = 50;

export class DepositoryWatch {
  readonly #unclaimed = new UnclaimedWatch();
  readonly #session: WatchSession;
  #triedAt = Number.NEGATIVE_INFINITY;

  constructor(context: Pick<WorkContext, 'clock'>) {
    this.#session = new WatchSession(context.clock);
  }

  async round(context: WorkContext, chain: ChainAdapter): Promise<void> {
    await this.#unclaimed.round(context, chain);
    if (context.clock.monotonic() - this.#triedAt < ON_HOLD_RETRY_DELAY_MS) return;
    this.#triedAt = context.clock.monotonic();
    const { id } = chain.facts;
    for (const one of await stillThere(context, chain, await putOnHold(context, id, MAX_ON_HOLD_TRANSFERS))) {
      try {
        await ingestOnHold(context, id, one, this.#session);
        context.log.info({ fundingKey: one.seen.fundingKey }, 'a transfer that was on hold is recorded now');
      } catch (error) {
        if (isInfrastructure(error)) throw error;
        context.log.warn({ hold: one.hold.id, err: error }, 'a transfer that is on hold still cannot be recorded');
      }
    }
  }
}
