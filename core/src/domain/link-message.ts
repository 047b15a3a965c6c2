import { signedWord } from './signed-word.js';

export interface FundingLink {
  /** Address of the order signer: signatures are void at another service. */
  readonly service: string;
  readonly integratorId: string;
  /** Version of the integrator's row, which each link raises: a signature links once. */
  readonly version: number;
  /** Canonical. */
  readonly address: string;
  /** ISO 8601. */
  readonly time: string;
}

/**
 * Text that a funding address signs to be linked.
 *
 * Invariant: different links have different texts (each value is one word on its own line).
 *
 * @throws TypeError on a value that is not one word of visible characters.
 */
export function linkMessage({ service, integratorId, version, address, time }: FundingLink): string {
  return [
    'Link this account to an integrator, whose balance its deposits without an order fund.',
    '',
    // guard: links-name-service
    `Service: ${signedWord(service)}`,
    `Integrator: ${signedWord(integratorId)}`,
    `Change: ${version}`,
    `Account: ${signedWord(address)}`,
    `Time: ${signedWord(time)}`,
  ].join('\n');
}
