import { describe, expect, it } from 'vitest';
import { EVERY_LEG, type LegKind } from '../../src/contract/legs.js';
import { endsRequest, factsOf } from '../../src/domain/leg-facts.js';
import { LEG_KINDS } from '../../src/engine/kinds/table.js';

const UNHEARD_OF = { kind: 'unheardOf' as LegKind };

describe('kinds of legs', () => {
  it('each have rules of their own', () => {
    const rules = EVERY_LEG.map((kind) => LEG_KINDS.of({ kind }));
    expect(new Set(rules).size).toBe(EVERY_LEG.length);
  });

  it('that are not there are refused by name, no matter who asks', () => {
    expect(() => LEG_KINDS.of(UNHEARD_OF)).toThrow(/unheardOf/);
    expect(() => factsOf(UNHEARD_OF)).toThrow(/unheardOf/);
    // Prototype names are no kinds.
    expect(() => LEG_KINDS.of({ kind: 'constructor' as LegKind })).toThrow(/constructor/);
    expect(() => factsOf({ kind: 'constructor' as LegKind })).toThrow(/constructor/);
  });

  it('end a request where one of the two ways of settling its deposit is over', () => {
    expect(EVERY_LEG.filter((kind) => endsRequest({ kind }))).toEqual(['fill', 'refund']);
  });

  it('either deliver, or refund, or move what is the own money of the solver', () => {
    for (const kind of EVERY_LEG) {
      const { delivers, refundsPayer, movesSolverMoney } = factsOf({ kind });
      expect([delivers, refundsPayer, movesSolverMoney].filter(Boolean), kind).toHaveLength(1);
    }
  });
});
