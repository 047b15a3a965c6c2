import { type HttpClient, RpcError } from '@causeway/core/rpc';

/** The highest that nodes take: whatever they can decode shall be shown, also of a version that comes later. */
const ANY_VERSION = 255;
/** What every node takes. */
const FIRST_VERSION = 0;
const INVALID_PARAMS = -32_602;

const known = new WeakMap<HttpClient, number>();

/**
 * Asks for transactions of any version; of a node that refuses such a wish, for what it is sure to know, from then on.
 *
 * @param ask told of the `maxSupportedTransactionVersion`.
 */
export async function ofAnyVersion<T>(rpc: HttpClient, ask: (version: number) => Promise<T>): Promise<T> {
  const version = known.get(rpc) ?? ANY_VERSION;
  try {
    return await ask(version);
  } catch (error) {
    if (!(error instanceof RpcError) || error.code !== INVALID_PARAMS || version === FIRST_VERSION) throw error;
    const answer = await ask(FIRST_VERSION);
    known.set(rpc, FIRST_VERSION);
    return answer;
  }
}
