import type { RequestId, UnixMs } from './ids.js';

export interface EndpointRow {
  readonly id: string;
  readonly version: number;
  /** Id of the notifier that delivers to it. */
  readonly channel: string;
  readonly shard: number;
  /** Null for a notifier of the config. */
  readonly integratorId: string | null;
  /** Null if only its notifier knows. */
  readonly url: string | null;
  /** Which events it gets, and how, as JSON (`EndpointSettings`); `{}` if only its notifier knows. */
  readonly settings: string;
  /** Its secrets and headers, encrypted; null if only its notifier knows them, and once it is removed. */
  readonly sealed: string | null;
  /** `disabled`: nothing is sent, pending events are retained. `removed`: permanent. */
  readonly state: 'active' | 'disabled' | 'removed';
  /** Human-readable; null while active. */
  readonly reason: string | null;
  /** It gets events after this feed position. */
  readonly fromPosition: number;
  /** First failed delivery since the last success; null while deliveries succeed. */
  readonly failingSince: UnixMs | null;
  readonly createdAt: UnixMs;
  readonly updatedAt: UnixMs;
}

export interface DeliveryFilter {
  /** `open`: neither delivered nor failed. */
  readonly state?: 'open' | 'failed' | 'delivered';
  readonly before?: number;
  readonly limit: number;
}

export interface DeliveryRow {
  /** `<endpointId>/<eventId>`. */
  readonly id: string;
  readonly version: number;
  readonly endpointId: string;
  readonly eventId: string;
  readonly position: number;
  readonly requestId: RequestId;
  readonly sequence: number;
  /**
   * `due`: next of its request for this endpoint, sent from `dueAt` on. `behind`: an earlier one is open. `again`:
   * redelivery requested; the dispatcher makes it `due` or `behind`. `delivered`: accepted. `failed`: abandoned.
   */
  readonly state: 'behind' | 'due' | 'again' | 'delivered' | 'failed';
  readonly dueAt: UnixMs;
  readonly attempts: number;
  readonly firstTriedAt: UnixMs | null;
  /** Outcome of the last attempt, human-readable; null before the first and after a success. */
  readonly lastError: string | null;
  readonly answerStatus: number | null;
  /** Beginning of the body, untrusted. */
  readonly answer: string | null;
  readonly createdAt: UnixMs;
  readonly updatedAt: UnixMs;
}
