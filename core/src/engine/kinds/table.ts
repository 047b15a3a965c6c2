import type { LegKind } from '../../contract/legs.js';
import type { LegKinds, LegRules } from '../base/context.js';
import { COLLECT } from './collect.js';
import { EXCESS } from './excess.js';
import { FILL } from './fill.js';
import { REFUND } from './refund.js';

const RULES: Readonly<Record<LegKind, LegRules>> = { fill: FILL, refund: REFUND, excess: EXCESS, collect: COLLECT };

/** Every kind of leg that the engine serves. */
export const LEG_KINDS: LegKinds = {
  of: ({ kind }) => {
    // A name that the language has is no kind.
    const rules: LegRules | undefined = Object.hasOwn(RULES, kind) ? RULES[kind] : undefined;
    if (rules === undefined) throw new Error(`there is no such kind of leg: ${kind}`);
    return rules;
  },
};
