import type { ChainAdapter, Parsed } from '../../contract/chain-adapter.js';
import type { DepositRow, HoldRow, LegRow, RequestRow } from '../../contract/store-rows.js';
import { claimMessage } from '../../domain/claim-message.js';
import type { EngineContext } from '../base/context.js';
import { payerOf, wantsProof } from '../payouts/proof-of-payer.js';

/** A chain that can tell who signed a text, and whose money a transfer moved. */
export type ProvingChain = ChainAdapter & Required<Pick<ChainAdapter, 'isOwnMoney'>>;

/** A hold, with what is known of it. */
export interface Known {
  readonly hold: HoldRow;
  readonly leg: LegRow | undefined;
  readonly deposit: DepositRow | undefined;
  readonly request: RequestRow | undefined;
}

/**
 * Whether a depositor may claim a hold; else nobody but an operator may release it.
 *
 * Invariant (G3): a depositor may claim a payment back that was held for want of proof of its payer before anything was signed
 * for it, and nothing else. A hold whose order may have been filled, or whose value may have been paid, cannot be claimed: a
 * depositor who was paid already could sign as well.
 */
export function isClaimable(context: EngineContext, { hold, leg, deposit, request }: Known): boolean {
  if (hold.state !== 'open' || !leg || !deposit || !request) return false;
  const chain = provingChain(context, hold);
  if (!chain || !wantsProof(leg) || request.failReason === 'ORDER_ALREADY_FILLED') return false;
  // The configuration may say otherwise by now.
  return payerOf(context, chain, leg, request, deposit) !== 'named';
}

export function provingChain(context: EngineContext, { chainId }: Pick<HoldRow, 'chainId'>): ProvingChain | undefined {
  const chain = context.chains.get(chainId);
  return chain?.capabilities.verifyMessage && chain.isOwnMoney ? (chain as ProvingChain) : undefined;
}

/** Canonical address that a claim may be paid to: not what keeps whatever it is sent, nor the service itself. */
export function recipientOn(chain: ChainAdapter, text: string): Parsed {
  const { displayName, depository, depositoryVault, router } = chain.facts;
  const parsed = chain.parseAddress(text);
  if (!parsed.ok) return { ok: false, reason: `no address of ${displayName}: ${parsed.reason}` };
  if (chain.isTokenContract(parsed.value))
    return { ok: false, reason: 'it is a token contract, which keeps what it gets' };
  const own = [depository, depositoryVault, router].includes(parsed.value);
  return own ? { ok: false, reason: 'it is a contract of this service' } : parsed;
}

/** What the depositor signs to have a hold paid to a canonical address. */
export function messageOf({ service }: EngineContext, hold: HoldRow, recipient: string): string {
  const { id: holdId, chainId, transactionHash, fundingKey, currency, amount } = hold;
  return claimMessage({ service, holdId, chainId, transactionHash, fundingKey, currency, amount, recipient });
}
