import type { CallLeg, LegCheck } from '@causeway/core';
import { asHex } from '../addresses.js';
import { brief } from '../brief.js';
import type { CheckDeps, Plan } from '../check.js';
import { trialTerms } from '../fees.js';
import { tryRawCall } from './try-raw-call.js';

type Refusal = Extract<LegCheck, { ok: false }>;

/**
 * Never throws. Invariant: the gas limit is what the call was accepted with, and a trial at the newest head known, at
 * its acceptance or now, passed.
 */
export async function checkCall(deps: CheckDeps, leg: CallLeg, signer: string): Promise<LegCheck> {
  const { recipient: to, data, authorizations = [], work } = leg;
  if (data === undefined || work === undefined) return refused('UNKNOWN', 'the call does not say what it is');
  const terms = trialTerms(deps.fees);
  if (terms === undefined) return unavailable('no fresh fee sample');
  const planned = (): LegCheck => {
    const list = authorizations.length === 0 ? {} : { authorizations };
    const plan: Plan = { to: asHex(to), data, value: '0', gas: work.toString(), ...list };
    return { ok: true, plan: JSON.stringify(plan) };
  };
  if (authorizations.length === 0 && deps.passedCalls.has(signer, { to, data, work })) return planned();
  try {
    return await deps.providers.run(async (provider) => {
      const call = { to, data, authorizations };
      const made = await tryRawCall(deps, provider, signer, call, { terms, most: work, whole: true });
      if ('unfit' in made) return refused('UNKNOWN', made.unfit);
      if ('passedOver' in made) return made.passedOver;
      const { tried } = made;
      const failedCallData = { from: signer, to, data, value: '0' };
      switch (tried.is) {
        case 'done':
          return planned();
        case 'reverted':
          return { ...refused(tried.revert.reason, tried.revert.message), failedCallData };
        case 'tooMuch':
          return { ...refused('QUOTED_GAS_LIMIT_EXCEEDED', tried.message), failedCallData };
        case 'short':
          return unavailable(tried.message);
        case 'unclear':
          return unavailable(brief(tried.error.message));
      }
    });
  } catch (error) {
    return unavailable(brief(error instanceof Error ? error.message : String(error)));
  }
}

function refused(reason: Refusal['reason'], message: string): Refusal {
  return { ok: false, kind: 'refused', reason, message };
}

function unavailable(message: string): Refusal {
  return { ok: false, kind: 'unavailable', reason: 'UNKNOWN', message };
}
