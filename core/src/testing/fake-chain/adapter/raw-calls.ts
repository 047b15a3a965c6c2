import type { CallRevert } from '../../../contract/call-revert.js';
import type { RawCall, RawCalls, RawCallTrial } from '../../../contract/raw-calls.js';
import { cheapHash } from '../cheap-hash.js';
import { type Execution, perform } from '../execution.js';
import type { FakeProvider } from '../fake-provider.js';
import { type FakeRawCall, workOf } from '../transaction.js';
import { isOnlyOne, reasonOf, TRIAL_WORK, trialState } from './check.js';
import { costOfWork } from './fees.js';
import type { AdapterParts } from './setup.js';

const MAX_DATA_BYTES = 4_096;

export interface TriedCall {
  readonly failure: string | null;
  /** Of its transaction. */
  readonly used: bigint;
}

/** As the executor's next transaction would make it. */
export function tryCall(
  node: FakeProvider,
  parts: AdapterParts,
  { to, data }: Pick<RawCall, 'to' | 'data'>,
  signer: string,
): TriedCall {
  const action: FakeRawCall = { do: 'call', useKey: cheapHash(`trial ${data}`), to, data };
  const state: Execution = trialState(node, parts);
  const failure = perform(state, signer, { ...action, work: TRIAL_WORK });
  return { failure, used: workOf({ actions: [action] }) + state.worked };
}

export function rawCalls(parts: AdapterParts): RawCalls {
  const { config, providers } = parts;
  const { router } = config.facts;
  return {
    mostDataBytes: MAX_DATA_BYTES,
    mostAuthorizations: 0,
    refuse: ({ to }) =>
      isOnlyOne(config, to) || to === router
        ? { field: 'to', reason: 'is a contract or an account of this service' }
        : undefined,
    async simulate(call, signer): Promise<RawCallTrial> {
      try {
        const { failure, used } = await providers.run('check', (node) => tryCall(node, parts, call, signer));
        if (failure !== null) {
          const reason = reasonOf(failure, 'EXECUTION_REVERTED');
          const said = { from: signer, to: call.to, data: call.data, value: '0' };
          return { is: 'reverted', reason, revert: revertOf(call, failure), call: said };
        }
        const cost = costOfWork(parts, used);
        if (cost?.work === undefined || cost.most === undefined)
          return { is: 'unavailable', message: 'no fresh fee sample' };
        return { is: 'done', cost: { ...cost, work: cost.work, most: cost.most } };
      } catch (error) {
        return { is: 'unavailable', message: error instanceof Error ? error.message : String(error) };
      }
    },
  };
}

function revertOf({ to }: RawCall, failure: string): CallRevert {
  const frame = { type: 'call', address: to, revertReason: failure };
  const revert = { type: 'errorString', label: failure, message: failure } as const;
  return { topLevel: frame, innermost: frame, path: [frame], revert };
}
