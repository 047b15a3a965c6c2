import type { ChainAdapter, Parsed } from '../../contract/chain-adapter.js';
import type { DepositRow, HoldRow, LegRow, RequestRow } from '../../contract/store-rows.js';
import { claimMessage } from '../../domain/claim-message.js';
import { refuseCustodian } from '../../domain/custodians.js';
import { refuseAccount, refuseAddress } from '../../screening/payees.js';
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

/** Canonical address that a claim may be paid to: nothing that swallows what it gets, nor the service itself. */
export async function recipientOn(
  { policy, clock }: Pick<EngineContext, 'policy' | 'clock'>,
  chain: ChainAdapter,
  text: string,
): Promise<Parsed> {
  const parsed = chain.parseAddress(text);
  if (!parsed.ok) return { ok: false, reason: `no address of ${chain.facts.displayName}: ${parsed.reason}` };
  const address = parsed.value;
  const why =
    refuseAddress(chain, address) ??
    refuseCustodian(policy.custodians, chain.facts.id, address) ??
    (await refuseAccount(chain, address, clock));
  return why === undefined ? parsed : { ok: false, reason: `it ${why}` };
}

/** What the depositor signs to have a hold paid to a canonical address. */
export function messageOf({ service }: EngineContext, hold: HoldRow, recipient: string): string {
  const { id: holdId, chainId, transactionHash, fundingKey, currency, amount } = hold;
  return claimMessage({ service, holdId, chainId, transactionHash, fundingKey, currency, amount, recipient });
}
