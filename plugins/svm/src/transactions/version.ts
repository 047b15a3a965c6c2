import { type HttpClient, RpcError } from '@causeway/core/rpc';

/** The highest that nodes accept, so that later versions are shown too. */
const ANY_VERSION = 255;
/** Supported by every node. */
const FIRST_VERSION = 0;
const INVALID_PARAMS = -32_602;

const known = new WeakMap<HttpClient, number>();

/**
 * Requests any version, and the base version from a node that refuses that.
 *
 * @param ask receives the `maxSupportedTransactionVersion`.
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
