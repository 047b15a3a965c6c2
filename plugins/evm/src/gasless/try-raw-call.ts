import type { Hex, RawCall } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import { asHex } from '../addresses.js';
import { decodeAuthorization } from '../authorizations.js';
import { readBalance } from '../balances.js';
import type { CheckDeps } from '../check.js';
import { whyPassedOver } from '../in-force.js';
import { type Trial, type Tried, tryCall } from '../try-call.js';

export type RawTried =
  | { readonly tried: Tried; readonly trial: Trial }
  | { readonly passedOver: NonNullable<Awaited<ReturnType<typeof whyPassedOver>>> }
  | { readonly drains: string };

/**
 * As the executor would make it now.
 *
 * @param most gas.
 * @param whole of it is given to the call.
 * @throws TransportError when the provider does not answer.
 */
export async function tryRawCall(
  { isToken, errors }: Pick<CheckDeps, 'isToken' | 'errors'>,
  provider: Provider,
  signer: string,
  { to, data, authorizations }: RawCall,
  { terms, most, whole }: Pick<Trial, 'terms' | 'most' | 'whole'>,
): Promise<RawTried> {
  // guard: evm-calls-of-held-tokens
  if (isToken(to) && (await readBalance(provider, signer, to)) > 0n)
    return { drains: `the account that makes calls holds some of ${to}, so it calls nothing there` };
  const list = authorizations.map(decodeAuthorization);
  const passedOver = await whyPassedOver(provider, signer, list);
  if (passedOver !== undefined) return { passedOver };
  const call = { to: asHex(to), data: data as Hex, value: 0n };
  const bound = { terms, most, enough: most, authorizations: list, errors, ...(whole ? { whole } : {}) };
  const trial: Trial = { from: signer, call, ...bound, unnamed: 'EXECUTION_REVERTED' };
  return { tried: await tryCall(provider, trial), trial };
}
