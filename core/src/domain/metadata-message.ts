import { keccak256 } from './keccak.js';

export interface Said {
  /** Address of the order signer: signatures are void at another service. */
  readonly service: string;
  readonly requestId: string;
  readonly metadata: string;
}

/**
 * What the payer signs.
 *
 * Invariant: different inputs have different texts (each value is one word on its own line, the metadata by its
 * hash), and issued texts stay valid, so wording and order never change.
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
