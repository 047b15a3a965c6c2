import { isTransportError, RpcError } from '@causeway/core/rpc';

/** The block or its data is missing: a smaller query would not help. */
export const ABSENT =
  /not found|unknown (block|header)|header for|not available|unavailable|beyond|pruned|missing|syncing|not (yet )?(synced|finalized)/i;

/** Caps in providers' words, with a throttling code or without JSON-RPC. */
const CAPPED =
  /more than [\d,]+ (results|logs|blocks)|too many (results|logs|blocks)|block range|response size|too large|larger than|HTTP status 413|: limit exceeded/i;

/**
 * Providers cap queries by blocks, results or bytes, with many error texts: a refusal counts as a cap unless it says
 * that the block is missing.
 */
export function isTooMuch(error: unknown): boolean {
  if (error instanceof RpcError) return !ABSENT.test(error.message);
  return isTransportError(error) && ((error.failure as string) === 'tooLarge' || CAPPED.test(error.message));
}
