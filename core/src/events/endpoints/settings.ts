import type { EndpointRow } from '../../contract/delivery-rows.js';
import type { ChainId } from '../../contract/ids.js';
import type { RegisteredEndpoint } from '../../contract/notifier.js';

/** What an endpoint that an integrator registered is told of, and how. Kept as JSON in its row. */
export interface EndpointSettings {
  /** For people. */
  readonly description: string | null;
  /** These statuses alone; empty: all. */
  readonly statuses: readonly string[];
  /** Requests from or to these chains alone; empty: all. */
  readonly chains: readonly ChainId[];
  /** Requests of these keys of its integrator alone, by their ids; empty: all. */
  readonly keys: readonly string[];
  readonly signatures: RegisteredEndpoint['signatures'];
}

/** A secret, and until when it signs; null: for good. */
export interface KeptSecret {
  readonly text: string;
  /** Unix milliseconds. */
  readonly until: number | null;
}

/** What of an endpoint is encrypted at rest. */
export interface EndpointSecrets {
  /** The newest first. */
  readonly secrets: readonly [KeptSecret, ...KeptSecret[]];
  readonly headers: Readonly<Record<string, string>>;
}

/** @throws for the row of a notifier of the config, which has none. */
export function settingsOf({ id, integratorId, settings }: EndpointRow): EndpointSettings {
  if (integratorId === null) throw new Error(`${id} is a notifier of the config`);
  return JSON.parse(settings) as EndpointSettings;
}

/** What of a request decides who is told of its events. */
export interface RequestOwner {
  readonly keyId: string | null;
  /** Of the key. */
  readonly integratorId: string | null;
}

/**
 * Whether an endpoint is to be told of an event.
 *
 * Invariant: an endpoint that an integrator registered is told of requests that were quoted with a key of that integrator, and of no
 * others, whatever its settings say.
 *
 * @param payload of the event.
 */
export function wants(endpoint: EndpointRow, payload: unknown, owner: RequestOwner): boolean {
  if (endpoint.integratorId === null) return true;
  if (owner.keyId === null || owner.integratorId !== endpoint.integratorId) return false;
  const { statuses, chains, keys } = settingsOf(endpoint);
  if (keys.length > 0 && !keys.includes(owner.keyId)) return false;
  const { data = {} } = (payload ?? {}) as { readonly data?: Readonly<Record<string, unknown>> };
  if (statuses.length > 0 && !statuses.includes(String(data['status']))) return false;
  return (
    chains.length === 0 ||
    [data['originChainId'], data['destinationChainId']].some((side) => chains.includes(side as ChainId))
  );
}
