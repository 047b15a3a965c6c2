import type { CallRevert } from '@causeway/core';
import { type Provider, RpcError } from '@causeway/core/rpc';
import type { CheckDeps } from '../check.js';
import type { CallBook } from '../explain-call/explain-call.js';
import { explainFailure } from '../explain-call/traced-call.js';
import { revertData } from '../reverts.js';
import { askedOf, type Trial } from '../try-call.js';
import { needsOrigin } from './needs-origin.js';

/** Why a trial reverted. @throws TransportError when the provider does not answer. */
export async function revertOf(
  provider: Provider,
  { clock }: Pick<CheckDeps, 'clock'>,
  book: CallBook,
  trial: Trial,
): Promise<CallRevert> {
  const asked = { ...askedOf(trial, trial.most), to: trial.call.to, data: trial.call.data };
  const [{ details }, isOrigin] = await Promise.all([
    failureOf(provider, asked).then((failure) => explainFailure(provider, clock, book, asked, failure)),
    needsOrigin(provider, trial),
  ]);
  return isOrigin ? withHint(details) : details;
}

const ORIGIN_HINT = 'it depends on tx.origin, which is an account of the service here';

function withHint({ revert, ...details }: CallRevert): CallRevert {
  return { ...details, revert: { ...revert, message: `${revert.message} (${ORIGIN_HINT})` } };
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
