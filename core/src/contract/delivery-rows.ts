import type { RequestId, UnixMs } from './ids.js';

/** Somebody who is told of events: a notifier of the config, or what an integrator registered with one. */
export interface EndpointRow {
  /** Of a notifier of the config its id. */
  readonly id: string;
  readonly version: number;
  /** Id of the notifier that delivers to it. */
  readonly channel: string;
  /** Which of the dispatcher's leases its work is done under. */
  readonly shard: number;
  /** Who registered it; null for a notifier of the config. */
  readonly integratorId: string | null;
  /** Where it is; null where only its notifier knows. */
  readonly url: string | null;
  /** What it is told of, and how, as JSON (`EndpointSettings`); `{}` where only its notifier knows. */
  readonly settings: string;
  /** Its secrets and headers, encrypted; null where only its notifier knows, and once it is removed. */
  readonly sealed: string | null;
  /** `disabled`: nothing is sent, and what it is to be told is kept. `removed`: for good. */
  readonly state: 'active' | 'disabled' | 'removed';
  /** Why it is disabled, for people; null while it is active. */
  readonly reason: string | null;
  /** Events after this position of the feed are for it. */
  readonly fromPosition: number;
  /** When deliveries began to fail, none having succeeded since; null while they succeed. */
  readonly failingSince: UnixMs | null;
  readonly createdAt: UnixMs;
  readonly updatedAt: UnixMs;
}

/** What of the log of an endpoint is asked for. */
export interface DeliveryFilter {
  /** `open`: not over. */
  readonly state?: 'open' | 'failed' | 'delivered';
  /** Of events before this position of the feed. */
  readonly before?: number;
  readonly limit: number;
}

/** One event that one endpoint is to be told. */
export interface DeliveryRow {
  /** `<endpointId>/<eventId>`. */
  readonly id: string;
  readonly version: number;
  readonly endpointId: string;
  readonly eventId: string;
  /** Of the event in the feed. */
  readonly position: number;
  readonly requestId: RequestId;
  /** Of the event within its request. */
  readonly sequence: number;
  /**
   * `due`: the next of its request for this endpoint, to be sent from `dueAt` on. `behind`: an earlier one of the same request is not
   * over. `again`: somebody wants it to be sent again; the dispatcher makes it `due` or `behind`. `delivered`: the endpoint took it.
   * `failed`: given up.
   */
  readonly state: 'behind' | 'due' | 'again' | 'delivered' | 'failed';
  readonly dueAt: UnixMs;
  /** Tries so far. */
  readonly attempts: number;
  readonly firstTriedAt: UnixMs | null;
  /** What the last try came to, for people; null after none and after a success. */
  readonly lastError: string | null;
  /** HTTP status of the last answer, where its channel speaks HTTP and there was one. */
  readonly answerStatus: number | null;
  /** Beginning of the last answer's body; whatever the endpoint wrote. */
  readonly answer: string | null;
  readonly createdAt: UnixMs;
  readonly updatedAt: UnixMs;
}
