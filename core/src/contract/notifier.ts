import type { UnixMs } from './ids.js';

/** One durable event as the outbox holds it. */
export interface OutboxEvent {
  /** Strictly increasing over the whole service; 0 for one that is in no feed. */
  readonly position: number;
  /** Stable over retries. */
  readonly id: string;
  readonly requestId: string;
  /** 1, 2, 3 … within the request, counting events; 0 for one that is of no request. */
  readonly sequence: number;
  /** `endpoint.test`: its owner wants to see an event arrive. */
  readonly kind: 'request.status.updated' | 'endpoint.test';
  readonly payload: unknown;
  readonly createdAt: UnixMs;
}

/** What an endpoint answered, for its owner. */
export interface EndpointAnswer {
  /** HTTP status. */
  readonly status: number;
  /** The beginning of its text, at most 1,024 characters. */
  readonly body: string;
}

/** What a try to tell somebody of an event came to. `why` holds nothing that the other side wrote. */
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

/** Where events go, as an integrator registered it, its secrets in the clear. */
export interface RegisteredEndpoint {
  readonly id: string;
  /** The integrator whose it is: what its endpoints take of a channel is at the cost of no one else. */
  readonly owner: string;
  readonly url: string;
  /** The newest first: each signs. */
  readonly secrets: readonly [string, ...string[]];
  readonly signatures: readonly ('standard' | 'timestamped')[];
  /** Further headers. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Tells endpoints that integrators register while the service runs. */
export interface EndpointChannel {
  /** Endpoints keep it: under another id a channel does not know them. */
  readonly id: string;
  /** A secret for a new endpoint, in the form that its signatures take. */
  newSecret(): string;
  /**
   * Why nothing can be sent there, by the field that is wrong; undefined where it can, as far as is known now. Says the same of a place
   * that does not exist as of one in the network of the service, which strangers could find out otherwise.
   */
  refuse(
    endpoint: Pick<RegisteredEndpoint, 'owner' | 'url' | 'headers'>,
  ): Promise<{ readonly field: 'url' | 'headers'; readonly reason: string } | undefined>;
  /** Called in order per request; at least once. An endpoint that changed comes as another object. */
  deliver(event: OutboxEvent, endpoint: RegisteredEndpoint): Promise<NotifierOutcome>;
}
