import type { CallRevert, Hex } from '@causeway/core';
import { type Provider, RpcError } from '@causeway/core/rpc';
import { decodeRevert, revertData } from '../reverts.js';
import { askedOf, type Trial } from '../try-call.js';

/** Why a trial reverted, by the revert data of the whole call. @throws TransportError when the provider does not answer. */
export async function revertOf(provider: Provider, trial: Trial): Promise<CallRevert> {
  const data = await dataOf(provider, trial);
  const { name, reason, message } = decodeRevert(data, 'EXECUTION_REVERTED');
  const selector = data.length >= 10 ? data.slice(0, 10) : undefined;
  const isUnknown = name === '' && selector !== undefined;
  const label = isUnknown ? `UNKNOWN_CUSTOM_ERROR_${selector}` : reason;
  const rawArgsHex = isUnknown && data.length > 10 ? { rawArgsHex: `0x${data.slice(10)}` } : {};
  const type = data === '0x' ? 'empty' : isUnknown ? 'unknownCustomError' : typeOf(name);
  const { to, data: sent } = trial.call;
  const frame = {
    type: 'CALL',
    address: to.toLowerCase(),
    ...(sent.length >= 10 ? { selector: sent.slice(0, 10) } : {}),
    error: 'execution reverted',
    revertReason: message,
  };
  const named = selector === undefined ? {} : { selector, ...(name === '' ? {} : { name }) };
  return {
    topLevel: frame,
    innermost: frame,
    path: [frame],
    revert: { type, label, message, ...named, ...rawArgsHex },
  };
}

function typeOf(name: string): CallRevert['revert']['type'] {
  if (name === 'Error') return 'errorString';
  return name === 'Panic' ? 'panic' : 'customError';
}

async function dataOf(provider: Provider, trial: Trial): Promise<Hex> {
  try {
    await provider.rpc.request('eth_call', [askedOf(trial, trial.most), 'latest']);
    return '0x';
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return revertData(error) ?? '0x';
  }
}
