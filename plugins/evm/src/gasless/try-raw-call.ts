import type { Hex, RawCall } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import { asHex } from '../addresses.js';
import { decodeAuthorization, signerOf } from '../authorizations.js';
import { readBalance } from '../balances.js';
import type { CheckDeps } from '../check.js';
import { whyPassedOver } from '../in-force.js';
import { type Trial, type Tried, tryCall } from '../try-call.js';
import { hasCode } from './called-code.js';
import { tokenCallOf } from './token-calls.js';

export type RawTried =
  | { readonly tried: Tried; readonly trial: Trial }
  | { readonly passedOver: NonNullable<Awaited<ReturnType<typeof whyPassedOver>>> }
  /** Why it is not made. */
  | { readonly unfit: string };

/**
 * As the executor would make it now. It spends and approves no token; dust that others sent it blocks no call whose tokens
 * are another account's.
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
  const does = isToken(to) ? tokenCallOf(data as Hex, signer.toLowerCase()) : 'alone';
  // guard: evm-calls-of-held-tokens
  if (does === 'unknown' && (await readBalance(provider, signer, to)) > 0n)
    return { unfit: `the account that makes calls holds some of ${to}, and what the call does with it is not known` };
  const list = authorizations.map(decodeAuthorization);
  const given = list.find((one) => signerOf(one) === to.toLowerCase());
  const [passedOver, isCode] = await Promise.all([
    whyPassedOver(provider, signer, list),
    hasCode(provider, (given?.address ?? to).toLowerCase()),
  ]);
  if (passedOver !== undefined) return { passedOver };
  // guard: evm-calls-of-code
  if (!isCode) return { unfit: `${to} has no code, and no authorization gives it any: the call would do nothing` };
  const call = { to: asHex(to), data: data as Hex, value: 0n };
  const bound = { terms, most, enough: most, authorizations: list, errors, ...(whole ? { whole } : {}) };
  const trial: Trial = { from: signer, call, ...bound, unnamed: 'EXECUTION_REVERTED' };
  const tried = await tryCall(provider, trial);
  // guard: evm-calls-spend-no-tokens
  if (does === 'spends' && tried.is === 'done')
    return { unfit: `it would spend or approve ${to} of the account that makes calls` };
  return { tried, trial };
}
