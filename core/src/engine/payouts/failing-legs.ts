import type { ChainCodec } from '../../contract/chain-adapter.js';
import type { LegCheck } from '../../contract/legs.js';
import type { LegRow } from '../../contract/store-rows.js';
import { factsOf } from '../../domain/leg-facts.js';
import type { EngineContext } from '../base/context.js';

/** Refused for longer, a leg counts as failing. */
const FAILING_AFTER_MS = 30_000;
const REPORT_INTERVAL_MS = 60_000;
/** A leg not tried for so long is no longer owed. Longer than any delay of a leg. */
const FORGET_AFTER_MS = 150_000;

type Failure = Extract<LegCheck, { ok: false }>;

interface Failing {
  readonly what: What;
  /** Monotonic. */
  readonly since: number;
  seenAt: number;
  reportedAt: number;
  why: string;
}

const WHATS = ['fills', 'withdrawals', 'calls'] as const;
type What = (typeof WHATS)[number];

/**
 * Legs that their chain keeps refusing. Lasting failures become an alert of the lane instead of repeated log entries,
 * forgotten with its lease.
 */
export class FailingLegs {
  readonly #legs = new Map<string, Failing>();

  /** @returns the log level of this try. */
  failed({ clock }: EngineContext, leg: LegRow, { reason, message }: Failure): 'debug' | 'info' | 'warn' {
    const now = clock.monotonic();
    const why = `${reason}: ${message.slice(0, 200)}`;
    const known = this.#legs.get(leg.id);
    if (known === undefined) {
      const what = factsOf(leg).failsAs;
      this.#legs.set(leg.id, { what, since: now, seenAt: now, reportedAt: Number.NEGATIVE_INFINITY, why });
      return 'info';
    }
    known.seenAt = now;
    known.why = why;
    if (now - known.since < FAILING_AFTER_MS || now - known.reportedAt < REPORT_INTERVAL_MS) return 'debug';
    known.reportedAt = now;
    return 'warn';
  }

  over({ id }: Pick<LegRow, 'id'>): void {
    this.#legs.delete(id);
  }

  report(context: EngineContext, { facts }: ChainCodec, signer: string): void {
    const now = context.clock.monotonic();
    for (const [id, { seenAt }] of this.#legs) if (now - seenAt > FORGET_AFTER_MS) this.#legs.delete(id);
    for (const what of WHATS) {
      const lasting = [...this.#legs.values()].filter(
        (one) => one.what === what && now - one.since >= FAILING_AFTER_MS,
      );
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

  /** The lane's next holder raises its own alerts. */
  end(context: EngineContext, { facts }: ChainCodec, signer: string): void {
    for (const what of WHATS) context.alerts.clear(alertId(what, facts.id, signer));
  }
}

function alertId(what: What, chainId: number, signer: string): string {
  return `failing-${what}:${chainId}:${signer}`;
}
