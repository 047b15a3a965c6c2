import type { ChainAdapter, Parsed } from '../../contract/chain-adapter.js';
import type { DepositRow, HoldRow, LegRow, RequestRow } from '../../contract/store-rows.js';
import { claimMessage } from '../../domain/claim-message.js';
import { refuseCustodian } from '../../domain/custodians.js';
import { refuseAccount, refuseAddress } from '../../screening/payees.js';
import type { EngineContext } from '../base/context.js';
import { payerOf, wantsProof } from '../payouts/proof-of-payer.js';

export type ProvingChain = ChainAdapter & Required<Pick<ChainAdapter, 'isDepositorsMoney'>>;

export interface Known {
  readonly hold: HoldRow;
  readonly leg: LegRow | undefined;
  readonly deposit: DepositRow | undefined;
  readonly request: RequestRow | undefined;
}

/**
 * Invariant (G3): only a refund held because its payer is unproven, before anything was signed. Otherwise a depositor
 * who was already paid could sign.
 */
export function isClaimable(context: EngineContext, { hold, leg, deposit, request }: Known): boolean {
  if (hold.state !== 'open' || !leg || !deposit || !request) return false;
  const chain = provingChain(context, hold);
  if (!chain || !wantsProof(leg) || request.failReason === 'ORDER_ALREADY_FILLED') return false;
  // The configuration may have changed.
  return payerOf(context, chain, leg, request, deposit) !== 'named';
}

export function provingChain(context: EngineContext, { chainId }: Pick<HoldRow, 'chainId'>): ProvingChain | undefined {
  const chain = context.chains.get(chainId);
  return chain?.capabilities.verifyMessage && chain.isDepositorsMoney ? (chain as ProvingChain) : undefined;
}

/** Not one that loses money, nor the service itself. */
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

export function messageOf({ service }: EngineContext, hold: HoldRow, recipient: string): string {
  const { id: holdId, chainId, transactionHash, fundingKey, currency, amount } = hold;
  return claimMessage({ service, holdId, chainId, transactionHash, fundingKey, currency, amount, recipient });
}
