import type { CallRevert } from '@causeway/core';
import { type Provider, RpcError } from '@causeway/core/rpc';
import type { CheckDeps } from '../check.js';
import type { CallBook } from '../explain-call/explain-call.js';
import { explainFailure } from '../explain-call/traced-call.js';
import { revertData } from '../reverts.js';
import { askedOf, type Trial } from '../try-call.js';

/** Why a trial reverted. @throws TransportError when the provider does not answer. */
export async function revertOf(
  provider: Provider,
  { clock }: Pick<CheckDeps, 'clock'>,
  book: CallBook,
  trial: Trial,
): Promise<CallRevert> {
  const asked = { ...askedOf(trial, trial.most), to: trial.call.to, data: trial.call.data };
  const { details } = await explainFailure(provider, clock, book, asked, await failureOf(provider, asked));
  return details;
}

async function failureOf(provider: Provider, asked: object): Promise<Parameters<typeof explainFailure>[4]> {
  try {
    await provider.rpc.request('eth_call', [asked, 'latest']);
    return { data: '0x' };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return { data: revertData(error) ?? '0x', halt: error.message };
  }
}
