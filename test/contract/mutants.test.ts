import { readFileSync } from 'node:fs';
import { chainConformance } from '@causeway/core/testing';
import { describe, expect, it } from 'vitest';
import { edited } from '../mutants/edit.js';
import { MUTANTS } from '../mutants/mutants.js';
import { isWrong, verdictOf, verdictTable } from '../mutants/verdict.js';
import { ROOT } from '../support/repository.js';

/** `npm run test:mutants` takes minutes; this checks that each mutant still fits the sources, and its case the kit. */
describe('the mutants of the example chain', () => {
  const cases = new Set(chainConformance.cases.map(({ name }) => name));

  it.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))('can be made: %s', (_, mutant) => {
    expect(edited(mutant, readFileSync(`${ROOT}${mutant.file}`, 'utf8'))).toMatchObject({ ok: true });
    expect(mutant.cost).toMatch(/^[A-Z].*\.$/);
    if ('noticedBy' in mutant) expect(cases).toContain(mutant.noticedBy);
    else expect(('open' in mutant ? mutant.open : mutant.survives).length).toBeGreaterThan(20);
  });

  it('have names of their own, and are of every part of the contract', () => {
    const names = MUTANTS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const broken = new Set(MUTANTS.flatMap(({ method }) => method.split(', ')));
    expect(METHODS.filter((method) => !broken.has(method))).toEqual([]);
  });

  it('are wrong when one survives that is not listed, when one is caught that is, and when nothing ran', () => {
    const [mutant] = MUTANTS;
    if (mutant === undefined) throw new Error('there are none');
    const { name, method, cost, file, find, replace } = mutant;
    const plain = { name, method, cost, file, find, replace };
    const [money, harmless] = [
      { ...plain, noticedBy: 'a case' },
      { ...plain, survives: 'a reason' },
    ];
    const unseen = { ...plain, open: 'what is missing' };
    const [green, red] = [
      { ran: 9, failed: null },
      { ran: 3, failed: { name: 'a case', reason: '' } },
    ];
    const verdicts = [
      verdictOf(money, red, 1),
      verdictOf(harmless, green, 1),
      verdictOf(money, green, 1),
      verdictOf(harmless, red, 1),
      verdictOf(unseen, green, 1),
      verdictOf(money, { broken: 'it does not load' }, 1),
    ];
    expect(verdicts.map(({ fate }) => fate)).toEqual(['caught', 'listed', 'survived', 'notListed', 'open', 'broken']);
    expect(verdicts.map(isWrong)).toEqual([false, false, true, true, false, true]);
    expect(verdictTable(verdicts).split('\n').at(-1)).toBe('6 mutants, 1 caught, 1 listed, 1 open, 3 wrong');
  });
});

/** Methods of every adapter, and the optional ones of the example chain. */
const METHODS = [
  ...['facts', 'lanes', 'parseAddress', 'addressBytes', 'isTokenContract', 'currency', 'currencies', 'useKey'],
  ...['status', 'legCost', 'refuseFill', 'laneBalance', 'userBalance', 'potBalance'],
  ...['depositSteps', 'watchDeposits', 'hint', 'acceptDepth', 'quorum', 'witness', 'paidAlone', 'isDepositorsMoney'],
  ...['check', 'prepare', 'replace', 'sign', 'send', 'look'],
  ...['lanePosition', 'positionAhead', 'keysBetween', 'spenderOf'],
  ...['paidBy', 'unfilledForGood', 'describeTransaction', 'verifyMessage', 'probe'],
];
