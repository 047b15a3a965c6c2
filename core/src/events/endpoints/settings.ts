import type { EndpointRow } from '../../contract/delivery-rows.js';
import type { ChainId } from '../../contract/ids.js';
import type { RegisteredEndpoint } from '../../contract/notifier.js';

/** Settings of a registered endpoint, kept as JSON in its row. */
export interface EndpointSettings {
  readonly description: string | null;
  /** Empty: all. */
  readonly statuses: readonly string[];
  /** Origin or destination; empty: all. */
  readonly chains: readonly ChainId[];
  /** Ids of the integrator's keys; empty: all. */
  readonly keys: readonly string[];
  readonly signatures: RegisteredEndpoint['signatures'];
}

export interface KeptSecret {
  readonly text: string;
  /** Unix milliseconds; null: no expiry. */
  readonly until: number | null;
}

export interface EndpointSecrets {
  /** Newest first. */
  readonly secrets: readonly [KeptSecret, ...KeptSecret[]];
  readonly headers: Readonly<Record<string, string>>;
}

/** @throws for the row of a configured notifier, which has none. */
export function settingsOf({ id, integratorId, settings }: EndpointRow): EndpointSettings {
  if (integratorId === null) throw new Error(`${id} is a notifier of the config`);
  return JSON.parse(settings) as EndpointSettings;
}

export interface RequestOwner {
  readonly keyId: string | null;
  /** Of the key. */
  readonly integratorId: string | null;
}

/**
 * Whether an endpoint should receive an event.
 *
 * Invariant: a registered endpoint receives only events of requests quoted with its integrator's keys, whatever its
 * settings.
 *
 * @param payload of the event.
 */
export function wants(endpoint: EndpointRow, payload: unknown, owner: RequestOwner): boolean {
  if (endpoint.integratorId === null) return true;
  if (owner.keyId === null || /* guard: own-events */ owner.integratorId !== endpoint.integratorId) return false;
  const { statuses, chains, keys } = settingsOf(endpoint);
  if (keys.length > 0 && !keys.includes(owner.keyId)) return false;
  const { data = {} } = (payload ?? {}) as { readonly data?: Readonly<Record<string, unknown>> };
  if (statuses.length > 0 && !statuses.includes(String(data['status']))) return false;
  return (
    chains.length === 0 ||
    [data['originChainId'], data['destinationChainId']].some((side) => chains.includes(side as ChainId))
  );
}
