import { SWEEP } from '../../capabilities/deposit-addresses/sweep.js';
import { CALL } from '../../capabilities/gasless/call.js';
import { ORIGIN_CALL } from '../../capabilities/gasless/origin-call.js';
import { PERMIT } from '../../capabilities/permits/permit.js';
import type { OwedKind } from '../../contract/store-rows.js';
import type { LegKinds, LegRules } from '../base/context.js';
import { CLAIM } from './claim.js';
import { COLLECT } from './collect.js';
import { EXCESS } from './excess.js';
import { FILL } from './fill.js';
import { REFUND } from './refund.js';
import { TOP_UP } from './top-up.js';
import { WITHDRAWAL } from './withdrawal.js';

const RULES: Readonly<Record<OwedKind, LegRules>> = {
  fill: FILL,
  refund: REFUND,
  excess: EXCESS,
  collect: COLLECT,
  claim: CLAIM,
  topUp: TOP_UP,
  sweep: SWEEP,
  call: CALL,
  permit: PERMIT,
  originCall: ORIGIN_CALL,
  withdrawal: WITHDRAWAL,
};

export const LEG_KINDS: LegKinds = {
  of: ({ kind }) => {
    // Inherited property names are not kinds.
    const rules: LegRules | undefined = Object.hasOwn(RULES, kind) ? RULES[kind] : undefined;
    if (rules === undefined) throw new Error(`there is no such kind of leg: ${kind}`);
    return rules;
  },
};
