import type { UnixMs } from './ids.js';

export interface OutboxEvent {
  /** Strictly increasing over the whole service; 0 for one outside the feed. */
  readonly position: number;
  /** Stable over retries. */
  readonly id: string;
  readonly requestId: string;
  /** 1, 2, 3 … within the request; 0 without a request. */
  readonly sequence: number;
  /** `endpoint.test`: a test event that its owner requested. `app-balance.low`: less is left of its owner's app balance. */
  readonly kind: 'request.status.updated' | 'endpoint.test' | 'app-balance.low';
  readonly payload: unknown;
  readonly createdAt: UnixMs;
}

export interface EndpointAnswer {
  readonly status: number;
  /** First 1,024 characters at most. */
  readonly body: string;
}

/** Result of one delivery attempt. `why` contains no text from the endpoint. */
export type NotifierOutcome = { readonly answer?: EndpointAnswer } & (
  | { readonly outcome: 'delivered' }
  | { readonly outcome: 'retry'; readonly afterMs: number; readonly why: string }
  | { readonly outcome: 'gone'; readonly why: string }
);

/** Delivers one event. Called in order per request; at least once. */
export interface Notifier {
  readonly id: string;
  deliver(event: OutboxEvent): Promise<NotifierOutcome>;
}

/** As registered, with its secrets in the clear. */
export interface RegisteredEndpoint {
  readonly id: string;
  /** The integrator that owns it. Channels limit capacity per owner. */
  readonly owner: string;
  readonly url: string;
  /** Newest first; each signs. */
  readonly secrets: readonly [string, ...string[]];
  readonly signatures: readonly ('standard' | 'timestamped')[];
  readonly headers: Readonly<Record<string, string>>;
}

export interface EndpointChannel {
  /** Stored with endpoints, so it must never change. */
  readonly id: string;
  newSecret(): string;
  /**
   * Why nothing can be sent there, by field; undefined if no objection is known. Gives one answer for missing and for
   * internal hosts, so that callers cannot probe the service's network.
   */
  refuse(
    endpoint: Pick<RegisteredEndpoint, 'owner' | 'url' | 'headers'>,
  ): Promise<{ readonly field: 'url' | 'headers'; readonly reason: string } | undefined>;
  /** Called in order per request; at least once. A changed endpoint arrives as another object. */
  deliver(event: OutboxEvent, endpoint: RegisteredEndpoint): Promise<NotifierOutcome>;
}
