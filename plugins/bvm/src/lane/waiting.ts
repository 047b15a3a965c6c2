import type { PrepareOutcome } from '@causeway/core';
import { isTransportError, type Providers, RpcError } from '@causeway/core/rpc';
import type { Outpoint } from '../funding-key.js';
import { ask } from '../rpc/node.js';

/**
 * Why a transaction cannot be replaced where nodes keep the first of two rivals: a transaction that spends this anchor waits in
 * a provider's pool. Undefined where no pool has one, because no node takes the transaction or all of them forgot it.
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
 * Whether anything in any provider's pool spends one of these outputs of blocks; also true where a provider does not have
 * such an output. @throws where a provider does not answer.
 */
export async function isSpentInPools(providers: Providers, outputs: readonly Outpoint[]): Promise<boolean> {
  for (const provider of providers.usable()) {
    for (const { txid, vout } of outputs) {
      const told = await ask<object | null>(provider, 'gettxout', [txid, vout, true]);
      if (told === null) return true;
    }
  }
  return false;
}
