import type { ChainCodec } from '../../contract/chain-adapter.js';
import type { LegCheck } from '../../contract/legs.js';
import type { LegRow } from '../../contract/store-rows.js';
import { factsOf } from '../../domain/leg-facts.js';
import type { EngineContext } from '../base/context.js';

/** A leg that its chain has not taken for so long is no passing trouble. */
const FAILING_MS = 30_000;
const TOLD_AGAIN_MS = 60_000;
/** A leg that the chain was not asked about for so long is not owed any more. Longer than any leg is put off. Milliseconds. */
const FORGOTTEN_MS = 150_000;

type Failure = Extract<LegCheck, { ok: false }>;

interface Failing {
  readonly what: What;
  /** Monotonic times. */
  readonly since: number;
  seenAt: number;
  toldAt: number;
  why: string;
}

const WHATS = ['fills', 'withdrawals'] as const;
type What = (typeof WHATS)[number];

/**
 * What a lane owes and its chain does not let it do: once that lasts, it is told as an alert of the lane, one for its fills
 * and one for what leaves the depository, and no longer as news of each try.
 *
 * Bounded by the legs that are due and fail, and forgotten with the holding of the lane's lease.
 */
export class FailingLegs {
  readonly #legs = new Map<string, Failing>();

  /** Notes that a leg could not be executed. @returns how loud this try is to be told. */
  failed({ clock }: EngineContext, leg: LegRow, { reason, message }: Failure): 'debug' | 'info' | 'warn' {
    const now = clock.monotonic();
    const why = `${reason}: ${message.slice(0, 200)}`;
    const known = this.#legs.get(leg.id);
    if (known === undefined) {
      const what = factsOf(leg).failsAs;
      this.#legs.set(leg.id, { what, since: now, seenAt: now, toldAt: Number.NEGATIVE_INFINITY, why });
      return 'info';
    }
    known.seenAt = now;
    known.why = why;
    if (now - known.since < FAILING_MS || now - known.toldAt < TOLD_AGAIN_MS) return 'debug';
    known.toldAt = now;
    return 'warn';
  }

  /** The leg can be executed, or is over. */
  over({ id }: Pick<LegRow, 'id'>): void {
    this.#legs.delete(id);
  }

  /** Raises and clears the alerts of a lane. */
  tell(context: EngineContext, { facts }: ChainCodec, signer: string): void {
    const now = context.clock.monotonic();
    for (const [id, { seenAt }] of this.#legs) if (now - seenAt > FORGOTTEN_MS) this.#legs.delete(id);
    for (const what of WHATS) {
      const lasting = [...this.#legs.values()].filter((one) => one.what === what && now - one.since >= FAILING_MS);
      const [oldest] = lasting;
      const id = alertId(what, facts.id, signer);
      if (oldest === undefined) {
        context.alerts.clear(id);
        continue;
      }
      const message = `${lasting.length} ${what} on ${facts.displayName} keep failing; the oldest because of ${oldest.why}`;
      context.alerts.raise(id, message, { chainId: facts.id, signer });
    }
  }

  /** The lease is over: the next holder of the lane raises alerts of its own. */
  end(context: EngineContext, { facts }: ChainCodec, signer: string): void {
    for (const what of WHATS) context.alerts.clear(alertId(what, facts.id, signer));
  }
}

function alertId(what: What, chainId: number, signer: string): string {
  return `failing-${what}:${chainId}:${signer}`;
}
