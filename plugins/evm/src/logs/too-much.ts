import { isTransportError, RpcError } from '@causeway/core/rpc';

/** The block or what is known of it is not there: asking for less would not change that. */
const ABSENT =
  /not found|unknown (block|header)|header for|not available|unavailable|beyond|pruned|missing|syncing|not (yet )?(synced|finalized)/i;

/** Caps of providers in their own words, where the code is one of throttling or the answer no JSON-RPC. */
const CAPPED =
  /more than [\d,]+ (results|logs|blocks)|too many (results|logs|blocks)|block range|response size|too large|larger than|HTTP status 413|: limit exceeded/i;

/**
 * Whether less of the same might be answered. Providers cap queries by blocks, by results or by bytes, in many words: a
 * refusal counts as a cap unless it says that the block is not there.
 */
export function isTooMuch(error: unknown): boolean {
  if (error instanceof RpcError) return !ABSENT.test(error.message);
  return isTransportError(error) && ((error.failure as string) === 'tooLarge' || CAPPED.test(error.message));
}
