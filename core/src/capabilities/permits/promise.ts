import type { Hex } from '../../contract/ids.js';
import type { PermitPromise, QuoteBody } from '../../domain/quote.js';

/** What was accepted of a permit: the deposit's call, and the signature that it was made from. */
export interface AcceptedPermit {
  readonly to: string;
  readonly data: Hex;
  /** Lower case. */
  readonly signature: string;
}

export function permitOf({ body }: { readonly body: string }): PermitPromise | undefined {
  return (JSON.parse(body) as QuoteBody).permit;
}

/** @throws for a request that no permit was accepted for. */
export function acceptedOf(request: { readonly id: string; readonly body: string }): AcceptedPermit {
  const accepted = permitOf(request)?.accepted;
  if (accepted === undefined) throw new Error(`no permit was accepted for ${request.id}`);
  return accepted;
}
