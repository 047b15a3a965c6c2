import type { Asker, Hex, LaneRef, RawCalls, RawCallTrial, TriedCall } from '@causeway/core';
import { type Provider, Turns } from '@causeway/core/rpc';
import { refuseAddress } from '../addresses.js';
import { brief } from '../brief.js';
import type { ChainConfig } from '../chain-config.js';
import { type CheckDeps, callData } from '../check.js';
import { bytesOf, costOfWork, withBuffer } from '../costs.js';
import type { CallBook } from '../explain-call/explain-call.js';
import { trialTerms } from '../fees.js';
import { revertOf } from './call-revert.js';
import { hasOperations, refuseOperations, senderOf } from './handle-ops.js';
import { failureWithin } from './trace-operations.js';
import { tryRawCall } from './try-raw-call.js';

/** Of calldata; a transaction of nodes' common limit has 128 KiB. */
const MAX_DATA_BYTES = 32_768;
const MAX_AUTHORIZATIONS = 8;

/** Concurrent trials; each makes a few calls of the provider, one more for each authorization. One party has half of them. */
const MAX_CONCURRENT = 32;
const MAX_QUEUED = 256;

const BUSY: RawCallTrial = { is: 'unavailable', message: 'too many calls are tried at once' };

interface RawCallDeps extends CheckDeps {
  /** Explains reverts. */
  readonly book: CallBook;
}

export function rawCalls(
  checker: CheckDeps,
  { depository, router, swapEntry, depositAddresses, permitEntry, errors, contractNames }: ChainConfig,
  lanes: readonly LaneRef[],
): RawCalls {
  const turns = new Turns(MAX_CONCURRENT, MAX_QUEUED);
  const deps = { ...checker, turns, book: { errors, contracts: contractNames } };
  const contracts = [depository, router, swapEntry, depositAddresses, permitEntry].flatMap((one) => one ?? []);
  const own = new Set<string>([...contracts, ...lanes.map(({ signer }) => signer)]);
  return {
    mostDataBytes: MAX_DATA_BYTES,
    mostAuthorizations: MAX_AUTHORIZATIONS,
    refuse: ({ to, data }) => {
      if (own.has(to)) return { field: 'to', reason: 'is a contract or an account of this service' };
      const lost = refuseAddress(to);
      if (lost !== undefined) return { field: 'to', reason: lost };
      // guard: evm-free-operations
      const operations = refuseOperations(data);
      return operations === undefined ? undefined : { field: 'data', reason: operations };
    },
    userOf: senderOf,
    simulate: (call, signer, asker) => simulate(deps, call, signer, asker),
  };
}

async function simulate(deps: RawCallDeps, call: TriedCall, signer: string, asker: Asker): Promise<RawCallTrial> {
  const { providers, turns } = deps;
  try {
    const tried = (provider: Provider) => simulateAt(deps, provider, call, signer);
    return (await turns.take(asker, () => providers.onSide('calls', tried, asker.signal))) ?? BUSY;
  } catch (error) {
    return { is: 'unavailable', message: brief(error instanceof Error ? error.message : String(error)) };
  }
}

async function simulateAt(
  deps: RawCallDeps,
  provider: Provider,
  call: TriedCall,
  signer: string,
): Promise<RawCallTrial> {
  const { fees, gas, book, passedCalls } = deps;
  const { head } = passedCalls;
  const terms = trialTerms(fees);
  if (terms === undefined) return { is: 'unavailable', message: 'no fresh fee sample' };
  const made = await tryRawCall(deps, provider, signer, call, { terms, most: gas.limitCap });
  if ('unfit' in made) return { is: 'refused', reason: 'UNKNOWN', message: made.unfit };
  if ('passedOver' in made) {
    const { kind, reason, message } = made.passedOver;
    return kind === 'unavailable' ? { is: 'unavailable', message } : { is: 'refused', reason, message };
  }
  const { tried, trial } = made;
  switch (tried.is) {
    case 'reverted': {
      const { reason } = tried.revert;
      return {
        is: 'reverted',
        reason,
        revert: await revertOf(provider, deps, book, trial),
        call: callData(trial.call, signer),
      };
    }
    case 'tooMuch':
      return { is: 'refused', reason: 'QUOTED_GAS_LIMIT_EXCEEDED', message: tried.message };
    case 'short':
      return { is: 'short', message: `${signer} is short of gas money` };
    case 'unclear':
      return { is: 'unavailable', message: brief(tried.error.message) };
  }
  const within = hasOperations(trial.call.data) ? await failureWithin(provider, deps, book, trial) : undefined;
  if (within !== undefined)
    return { is: 'reverted', reason: 'EXECUTION_REVERTED', revert: within, call: callData(trial.call, signer) };
  const wanted = withBuffer(tried.gas, gas.limitBuffer) + (call.overhead ?? 0n);
  const work = wanted < gas.limitCap ? wanted : gas.limitCap;
  const cost = costOfWork(fees, gas, work, bytesOf(call.data as Hex, call.authorizations.length));
  if (cost?.most === undefined) return { is: 'unavailable', message: 'no fresh fee sample' };
  if (call.authorizations.length === 0) passedCalls.note(head, signer, { to: call.to, data: call.data, work });
  return { is: 'done', cost: { ...cost, work, most: cost.most } };
}
