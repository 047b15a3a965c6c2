import { keccak256 } from './keccak.js';

/** What the payer of a request that was quoted without a key says of it. */
export interface Said {
  /** Address of the order signer: what is signed for one service is worth nothing at another. */
  readonly service: string;
  readonly requestId: string;
  /** Compact JSON. */
  readonly metadata: string;
}

/**
 * What the payer signs.
 *
 * Invariant: two that differ in anything have different texts: each value is one word in a line of its own, the metadata
 * by its hash. A text that was shown once stays valid, so neither its words nor their order may change.
 */
export function metadataMessage({ service, requestId, metadata }: Said): string {
  const digest = Buffer.from(keccak256(new TextEncoder().encode(metadata))).toString('hex');
  return [
    'Say something of a request. It is shown with it, and moves no money.',
    '',
    `Service: ${service}`,
    `Request: ${requestId}`,
    `Metadata (keccak-256): ${digest}`,
  ].join('\n');
}
