import type { Clock } from '../contract/clock.js';
import type { Alerts, Logger, Metrics } from '../contract/observability.js';
import type { SetUpItem } from '../contract/set-up.js';
import { systemClock } from './system-clock.js';

const ignored = (): void => {};
const log: Logger = { debug: ignored, info: ignored, warn: ignored, error: ignored, child: () => log };

/** Of a set-up without a service, as of a local chain: what it has to say is in its items. */
export const quietServices: {
  readonly clock: Clock;
  readonly log: Logger;
  readonly alerts: Alerts;
  readonly metrics: Metrics;
} = {
  ...{ clock: systemClock, log },
  alerts: { raise: ignored, clear: ignored, list: () => [] },
  metrics: { count: ignored, gauge: ignored, observe: ignored },
};

/** Carries a set-up out. @returns why it is not complete, on one line; undefined: it is. */
export async function whyIncomplete(items: () => AsyncIterable<SetUpItem>): Promise<string | undefined> {
  const latest = new Map<string, SetUpItem>();
  try {
    for await (const item of items()) latest.set(item.name, item);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const left = [...latest.values()].filter(({ state }) => state !== 'there' && state !== 'made');
  const first = left.find(({ state }) => state === 'failed') ?? left[0];
  return first && `${first.name}: ${first.message}`;
}
