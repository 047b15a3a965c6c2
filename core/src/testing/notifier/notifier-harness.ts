import type { Notifier } from '../../contract/notifier.js';
import type { KitHarness } from '../report-types.js';

export type NotifierAbility =
  /** The recipient can unsubscribe permanently. */
  | 'gone'
  /** The recipient can accept an event without its reply arriving. */
  | 'lostReplies'
  /** The recipient can be slow or never answer. */
  | 'hanging'
  | 'unreachable'
  /** The recipient can request a pause. */
  | 'pauses';

/**
 * - `well`: accepts events.
 * - `fails`: refuses for now.
 * - `gone`: refuses permanently.
 * - `lostReplies`: accepts, and the reply is lost.
 * - `hanging`: accepts the connection and never answers.
 * - `unreachable`: cannot be reached.
 */
export type RecipientBehaviour =
  | 'well'
  | 'fails'
  | 'gone'
  | 'lostReplies'
  | 'hanging'
  | 'unreachable'
  | { readonly pauseMs: number };

export interface ReceivedEvent {
  readonly id: string;
  readonly requestId: string;
  readonly sequence: number;
  readonly payload: unknown;
}

/** Written by the author of a notifier to drive the kit, with its own recipient. */
export interface NotifierHarness extends KitHarness {
  readonly lacks: Readonly<Partial<Record<NotifierAbility, string>>>;
  readonly notifier: Notifier;
  /** Recipient behaviour from now on, for all events or one request's. */
  behave(how: RecipientBehaviour, requestId?: string): void;
  /** Events that the recipient received and could parse, in order, duplicates included. */
  received(): readonly ReceivedEvent[];
  /** Timeout of one delivery. */
  readonly timeoutMs: number;
  /** Deliveries that the recipient is still handling. */
  pending(): number;
  /** Texts that must not appear in reasons or logs, e.g. keys and addresses that contain keys. */
  readonly secrets: readonly string[];
  logged(): string;
  pass(ms: number): Promise<void>;
}

export type DeliveryOutcome = Awaited<ReturnType<Notifier['deliver']>>;
