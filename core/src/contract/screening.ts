import type { ChainId } from './ids.js';

/**
 * `user`: asked for the quote. `feePayer`: pays the deposit's network fee. `depositor`: paid in, according to the
 * chain. `recipient`: receives the output, or claimed app fees. `refundTo`: receives refunds. `callee`: target of a
 * fill's calls, or signer or contract of its authorizations. `appFee`: earns app fees.
 */
export type PartyRole = 'user' | 'feePayer' | 'depositor' | 'recipient' | 'refundTo' | 'callee' | 'appFee';

export interface Party {
  readonly chainId: ChainId;
  /** Canonical spelling (`ChainAdapter.parseAddress`). */
  readonly address: string;
  readonly role: PartyRole;
}

/** `reason` is short and for operators: logged, never sent to clients. */
export type Verdict = { readonly blocked: false } | { readonly blocked: true; readonly reason: string };

/**
 * All screeners are asked before a quote and before each payment is signed; one `blocked` verdict suffices.
 *
 * If one throws, exceeds 2 s, or returns a wrong number of verdicts, quotes are refused (503) and payments wait. The
 * service does not cache verdicts; a screener may.
 */
export interface Screener {
  readonly id: string;
  /**
   * One verdict per party, in order. Called concurrently, with the parties of one quote or of up to several hundred
   * payments; parties of a call differ in chain, address or role.
   *
   * @param signal aborts when no one waits any more.
   * @throws if the verdict is unknown now, never for a blocked party.
   */
  screen(parties: readonly Party[], signal: AbortSignal): Promise<readonly Verdict[]>;
}
