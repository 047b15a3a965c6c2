import type { Notifier } from '../../contract/notifier.js';
import type { KitHarness } from '../report-types.js';

export type NotifierAbility =
  /** The recipient can say that it wants nothing any more. */
  | 'gone'
  /** The recipient can take an event and fail to say so. */
  | 'lostReplies'
  /** The recipient can be slow or say nothing. */
  | 'hanging'
  /** The recipient can be out of reach. */
  | 'unreachable'
  /** The recipient can ask for a pause. */
  | 'pauses';

/**
 * `well`: takes events. `fails`: refuses them for now. `gone`: for ever. `lostReplies`: takes them and the answer is
 * lost. `hanging`: takes the connection and never answers. `unreachable`: cannot be reached.
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

/** What the author of a notifier writes so that the kit can drive it against a recipient of its own. */
export interface NotifierHarness extends KitHarness {
  readonly lacks: Readonly<Partial<Record<NotifierAbility, string>>>;
  readonly notifier: Notifier;
  /** How the recipient behaves from now on, to all events or to those of one request. */
  behave(how: RecipientBehaviour, requestId?: string): void;
  /** What reached the recipient and was understood, in order of arrival, each arrival counted. */
  received(): readonly ReceivedEvent[];
  /** Longest time that one delivery may take before it is given up. */
  readonly timeoutMs: number;
  /** Deliveries that the recipient is still in the midst of. */
  pending(): number;
  /** Texts that must not appear in reasons or logs, e.g. keys and addresses with keys in them. */
  readonly secrets: readonly string[];
  /** All that the notifier logged. */
  logged(): string;
  pass(ms: number): Promise<void>;
}

export type DeliveryOutcome = Awaited<ReturnType<Notifier['deliver']>>;
