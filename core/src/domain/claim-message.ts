import type { ChainId, FundingKey } from '../contract/ids.js';

/** Whom the depositor of a held transfer wants it paid to. */
export interface Claim {
  /** Address of the order signer: what is signed for one service is worth nothing at another. */
  readonly service: string;
  readonly holdId: string;
  readonly chainId: ChainId;
  readonly transactionHash: string;
  readonly fundingKey: FundingKey;
  /** Canonical currency address. */
  readonly currency: string;
  /** What is held, smallest unit. */
  readonly amount: bigint;
  /** Canonical address on the hold's chain. */
  readonly recipient: string;
}

const WORD = /^[\x21-\x7e]+$/;

/**
 * What the depositor signs, for people to read before they do.
 *
 * Invariant: two claims that differ in anything have different texts: each value is one word in a line of its own. A text
 * that was shown once stays valid, so neither its words nor their order may change.
 *
 * @throws TypeError on a value that is not one word of visible characters.
 */
export function claimMessage(claim: Claim): string {
  const { service, holdId, chainId, transactionHash, fundingKey, currency, amount, recipient } = claim;
  return [
    'Pay back a transfer that is held.',
    '',
    `Service: ${word(service)}`,
    `Hold: ${word(holdId)}`,
    `Chain: ${chainId}`,
    `Transaction: ${word(transactionHash)}`,
    `Transfer: ${word(fundingKey)}`,
    `Currency: ${word(currency)}`,
    `Amount: ${amount} (smallest unit, less the network fee)`,
    `Recipient: ${word(recipient)}`,
  ].join('\n');
}

function word(value: string): string {
  if (!WORD.test(value)) throw new TypeError('what is signed for must be named by words of visible characters');
  return value;
}
