import type { UnixMs } from './ids.js';

/** One durable event as the outbox holds it. */
export interface OutboxEvent {
  /** Strictly increasing over the whole service. */
  readonly position: number;
  /** Stable over retries. */
  readonly id: string;
  readonly requestId: string;
  /** 1, 2, 3 … within the request, counting events. */
  readonly sequence: number;
  readonly kind: 'request.status.updated';
  readonly payload: unknown;
  readonly createdAt: UnixMs;
}

/** Delivers one event. Called in order per request; at least once. */
export interface Notifier {
  readonly id: string;
  deliver(
    event: OutboxEvent,
  ): Promise<
    | { readonly outcome: 'delivered' }
    | { readonly outcome: 'retry'; readonly afterMs: number; readonly why: string }
    | { readonly outcome: 'gone'; readonly why: string }
  >;
}
