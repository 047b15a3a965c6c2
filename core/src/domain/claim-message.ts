import type { ChainId, FundingKey } from '../contract/ids.js';
import { signedWord } from './signed-word.js';

export interface Claim {
  /** Address of the order signer: signatures are void at another service. */
  readonly service: string;
  readonly holdId: string;
  readonly chainId: ChainId;
  readonly transactionHash: string;
  readonly fundingKey: FundingKey;
  readonly currency: string;
  /** Held amount, smallest unit. */
  readonly amount: bigint;
  /** Canonical address on the hold's chain. */
  readonly recipient: string;
}

/**
 * Human-readable text that the depositor signs.
 *
 * Invariant: different claims have different texts (each value is one word on its own line), and issued texts stay
 * valid, so wording and order never change.
 *
 * @throws TypeError on a value that is not one word of visible characters.
 */
export function claimMessage(claim: Claim): string {
  const { service, holdId, chainId, transactionHash, fundingKey, currency, amount, recipient } = claim;
  return [
    'Pay back a transfer that is held.',
    '',
    // guard: claims-name-service
    `Service: ${signedWord(service)}`,
    `Hold: ${signedWord(holdId)}`,
    `Chain: ${chainId}`,
    `Transaction: ${signedWord(transactionHash)}`,
    `Transfer: ${signedWord(fundingKey)}`,
    `Currency: ${signedWord(currency)}`,
    `Amount: ${amount} (smallest unit, less the network fee)`,
    `Recipient: ${signedWord(recipient)}`,
  ].join('\n');
}
