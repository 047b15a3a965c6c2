import type { PrepareOutcome } from '@causeway/core';
import { isTransportError, type Providers, RpcError } from '@causeway/core/rpc';
import type { Outpoint } from '../funding-key.js';
import { ask } from '../rpc/node.js';

/**
 * Why a transaction cannot be replaced under a first-seen policy: a provider's mempool has a spender of the anchor.
 * Undefined if none has.
 */
export async function waitsSomewhere(
  providers: Providers,
  anchor: Outpoint,
): Promise<Extract<PrepareOutcome, { ok: false }> | undefined> {
  try {
    if (!(await isSpentInPools(providers, [anchor]))) return undefined;
    return { ok: false, why: 'feeCap', message: 'it waits, and on this network nothing takes its place' };
  } catch (error) {
    if (!isTransportError(error) && !(error instanceof RpcError)) throw error;
    return { ok: false, why: 'unavailable', message: error.message };
  }
}

/**
 * Whether any provider's mempool spends one of these confirmed outputs; true also if a provider lacks one. @throws if
 * a provider does not answer.
 */
export async function isSpentInPools(providers: Providers, outputs: readonly Outpoint[]): Promise<boolean> {
  for (const provider of providers.usable()) {
    for (const { txid, vout } of outputs) {
      const reported = await ask<object | null>(provider, 'gettxout', [txid, vout, true]);
      if (reported === null) return true;
    }
  }
  return false;
}
