export const REQUEST_TYPES = [
  'Bridge',
  'Crosschain Swap',
  'Same-chain Swap',
  'Send',
  'Wrap',
  'Unwrap',
  'Call',
] as const;

export type RequestType = (typeof REQUEST_TYPES)[number];

export type Operation = 'send' | 'swap' | 'wrap' | 'unwrap' | 'bridge';

export interface RouteFacts {
  readonly hasCalls: boolean;
  readonly sameChain: boolean;
  readonly sameCurrency: boolean;
  readonly sameGroup: boolean;
  /** Direction between a native coin and its wrapper on one chain. */
  readonly wrapPair: 'wrap' | 'unwrap' | null;
}

/** First match wins: calls, wrapping, same chain, one asset group, else a cross-chain swap. */
export function requestType(facts: RouteFacts): RequestType {
  if (facts.hasCalls) return 'Call';
  if (!facts.sameChain) return facts.sameGroup ? 'Bridge' : 'Crosschain Swap';
  if (facts.wrapPair !== null) return facts.wrapPair === 'wrap' ? 'Wrap' : 'Unwrap';
  return facts.sameCurrency ? 'Send' : 'Same-chain Swap';
}

/** Ignores calls. */
export function operationOf(facts: RouteFacts): Operation {
  if (!facts.sameChain) return facts.sameGroup ? 'bridge' : 'swap';
  if (facts.wrapPair !== null) return facts.wrapPair;
  return facts.sameCurrency ? 'send' : 'swap';
}
