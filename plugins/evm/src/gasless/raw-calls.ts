import type { Asker, Hex, LaneRef, RawCall, RawCalls, RawCallTrial } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import { refuseAddress } from '../addresses.js';
import { brief } from '../brief.js';
import type { ChainConfig } from '../chain-config.js';
import { type CheckDeps, callData } from '../check.js';
import { bytesOf, costOfWork, withBuffer } from '../costs.js';
import type { CallBook } from '../explain-call/explain-call.js';
import { trialTerms } from '../fees.js';
import { revertOf } from './call-revert.js';
import { refuseOperations } from './handle-ops.js';
import { tryRawCall } from './try-raw-call.js';

/** Of calldata; a transaction of nodes' common limit has 128 KiB. */
const MAX_DATA_BYTES = 32_768;
const MAX_AUTHORIZATIONS = 8;

const BUSY: RawCallTrial = { is: 'unavailable', message: 'too many calls are tried at once' };

interface RawCallDeps extends CheckDeps {
  /** Makes the calls; lower case. */
  readonly executor: string;
  /** Explains reverts. */
  readonly book: CallBook;
}

/** @param executor account that makes the calls, lower case. */
export function rawCalls(
  checker: CheckDeps,
  { depository, router, swapEntry, depositAddresses, errors, contractNames }: ChainConfig,
  executor: string,
  lanes: readonly LaneRef[],
): RawCalls {
  const deps = { ...checker, executor, book: { errors, contracts: contractNames } };
  const contracts = [depository, router, swapEntry, depositAddresses].flatMap((one) => one ?? []);
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
    simulate: (call, asker) => simulate(deps, call, asker),
  };
}

async function simulate(deps: RawCallDeps, call: RawCall, asker: Asker): Promise<RawCallTrial> {
  const { providers, turns } = deps;
  try {
    const tried = (provider: Provider) => simulateAt(deps, provider, call);
    return (await turns.take(asker, () => providers.onSide('trials', tried, asker.signal))) ?? BUSY;
  } catch (error) {
    return { is: 'unavailable', message: brief(error instanceof Error ? error.message : String(error)) };
  }
}

async function simulateAt(deps: RawCallDeps, provider: Provider, call: RawCall): Promise<RawCallTrial> {
  const { fees, gas, executor, book } = deps;
  const terms = trialTerms(fees);
  if (terms === undefined) return { is: 'unavailable', message: 'no fresh fee sample' };
  const made = await tryRawCall(deps, provider, executor, call, { terms, most: gas.limitCap });
  if ('drains' in made) return { is: 'refused', reason: 'UNKNOWN', message: made.drains };
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
        call: callData(trial.call, executor),
      };
    }
    case 'tooMuch':
      return { is: 'refused', reason: 'QUOTED_GAS_LIMIT_EXCEEDED', message: tried.message };
    case 'short':
      return { is: 'unavailable', message: 'the account that makes calls is short of gas money' };
    case 'unclear':
      return { is: 'unavailable', message: brief(tried.error.message) };
  }
  const wanted = withBuffer(tried.gas, gas.limitBuffer);
  const work = wanted < gas.limitCap ? wanted : gas.limitCap;
  const cost = costOfWork(fees, gas, work, bytesOf(call.data as Hex, call.authorizations.length));
  if (cost?.most === undefined) return { is: 'unavailable', message: 'no fresh fee sample' };
  return { is: 'done', cost: { ...cost, work, most: cost.most } };
}
