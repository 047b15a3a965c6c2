import type { ChainId } from './ids.js';

/**
 * What somebody is to a quote or a payment. `user`: whom a quote is for. `feePayer`: pays the network fee of its deposit.
 * `depositor`: who paid in, as the chain tells. `recipient`: is paid what was asked for, or app fees. `refundTo`: is paid back.
 * `callee`: is called with what a fill delivers, signed an authorization that the fill carries, or is the contract of one.
 * `appFee`: earns app fees by the fill.
 */
export type PartyRole = 'user' | 'feePayer' | 'depositor' | 'recipient' | 'refundTo' | 'callee' | 'appFee';

/** Somebody who is asked about. */
export interface Party {
  readonly chainId: ChainId;
  /** As its chain writes it: the canonical spelling of `ChainAdapter.parseAddress`. */
  readonly address: string;
  readonly role: PartyRole;
}

/** `reason` is short, for operators: it is logged, and never told to clients. */
export type Verdict = { readonly blocked: false } | { readonly blocked: true; readonly reason: string };

/**
 * Says whom nothing is taken from and nothing is paid to. All screeners are asked, before a quote and before each payment is
 * signed; a party is blocked where one of them says so.
 *
 * A screener that throws, takes longer than the service waits (2 s), or answers another number of verdicts says nothing:
 * quotes are refused for a while (503), and payments wait until it answers again. Answers are not kept by the service, so that
 * who is blocked is blocked from the next question on; a screener that asks somebody else keeps what it may keep.
 */
export interface Screener {
  readonly id: string;
  /**
   * One verdict for each party, in their order. Asked with a few parties for each quote or payment, and those of up to a few hundred
   * payments at once, all of them different in chain, address or role, and several times at once.
   *
   * @param signal ends when nobody waits for the answer any more.
   * @throws where it cannot be known now, never for somebody who is blocked.
   */
  screen(parties: readonly Party[], signal: AbortSignal): Promise<readonly Verdict[]>;
}
