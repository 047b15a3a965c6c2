import type { PayerFunds } from '../contract/deposits.js';
import { apiError, invalidRequest } from '../errors/api-error.js';
import type { QuoteFacts } from './body.js';
import type { Stage } from './stage.js';

/** For chains whose deposits consume the payer's outputs; null if no lookup is needed. */
export async function fundsOf({ ask, route, pricing }: QuoteFacts): Promise<Stage<string | null>> {
  const { payerUtxos } = route.origin.chain.capabilities;
  if (!payerUtxos || ask.preview) return null;
  const { user: payer, publicKey } = ask;
  let found: PayerFunds;
  try {
    found = await payerUtxos({ payer, publicKey, amount: pricing.amounts.amountIn });
  } catch {
    return apiError('RPC_HTTP_ERROR', `What ${payer} can spend could not be looked up`);
  }
  if (found.ok) return found.funds;
  if (found.why === 'publicKey') return invalidRequest('additionalData.userPublicKey', found.message);
  const code = found.why === 'short' ? 'INSUFFICIENT_FUNDS' : 'UNSUPPORTED_EXECUTION_TYPE';
  return apiError(code, found.message, { field: 'user', reason: found.message });
}
