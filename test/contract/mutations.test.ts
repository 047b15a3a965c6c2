import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { GUARDS } from '../mutation/guards.js';
import { MARKED, markersOf, without } from '../mutation/markers.js';
import { OPERATORS } from '../mutation/operators.js';
import { table } from '../mutation/table.js';
import { ROOT, repositoryFiles } from '../support/repository.js';

const product = new Map(repositoryFiles(MARKED).map(({ path, text }) => [path, text]));
const markers = [...product].flatMap(([file, text]) => markersOf(file, text));
const threats = [...readFileSync(`${ROOT}core/docs/threats.md`, 'utf8').matchAll(/<a id="t(\d+)">/g)].map(([, id]) =>
  Number(id),
);
/** Threats that no single guard stops, with the reason. */
const WITHOUT_GUARD: Readonly<Record<number, string>> = {};

/** `npm run test:mutation` takes an hour; that each guard can be removed is checked at once. */
describe('the mutation check', () => {
  it.each(GUARDS.map((guard) => [guard.name, guard] as const))('can remove %s', (name, { how, lanes, guard }) => {
    const places = markers.filter((marker) => marker.name === name);
    expect(places.length).toBeGreaterThan(0);
    for (const file of new Set(places.map((place) => place.file))) {
      const here = places.filter((place) => place.file === file);
      expect(without(how, here, product.get(file) ?? '')).toMatchObject({ ok: true });
    }
    expect(guard).toMatch(/^[A-Z].*\.$/);
    expect(lanes.length).toBeGreaterThan(0);
    for (const file of lanes.flatMap((lane) => lane.files)) expect(existsSync(`${ROOT}${file}`), file).toBe(true);
    // A name that no test has would run none, and so show nothing.
    for (const { files, test = '' } of lanes)
      expect(files.map((file) => readFileSync(`${ROOT}${file}`, 'utf8')).join()).toContain(test);
  });

  it('has one guard for each marker', () => {
    const names = GUARDS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(markers.filter(({ name }) => !names.includes(name))).toEqual([]);
  });

  it('rests each threat on a guard, or says why on none', () => {
    const guarded = GUARDS.flatMap(({ threats = [] }) => threats);
    expect(threats.length).toBeGreaterThan(60);
    expect(guarded.filter((threat) => !threats.includes(threat))).toEqual([]);
    expect(threats.filter((threat) => !guarded.includes(threat)).sort()).toEqual(
      Object.keys(WITHOUT_GUARD).map(Number),
    );
  });

  it.each([
    ['skip', '// guard: a\nif (x) y();\nz();', ';\nz();'],
    ['skip', 'f([p, /* guard: a */ q, r]);', 'f([p,  r]);'],
    ['skip', 'f(p, /* guard: a */ q);', 'f(p, );'],
    ['never', 'if (x && /* guard: a */ y) z();', 'if (x && false) z();'],
    ['never', '// guard: a\nif (x) y();', 'if (false) y();'],
    ['always', '// guard: a\nreturn x ? y : z;', 'return true ? y : z;'],
    ['always', 'list.filter((one) => /* guard: a */ one.isOld);', 'list.filter((one) => true);'],
    ['nothing', '// guard: a\nconst x = f();', 'const x = undefined;'],
    ['zero', 'x = /* guard: a */ y + z;', 'x = 0n;'],
    ['first', 'x = /* guard: a */ y - z - w;', 'x = (y - z);'],
  ] as const)('removes by %s: %j', (how, before, after) => {
    const removed = without(how, markersOf('a.ts', before), before);
    expect(removed).toMatchObject({ ok: true });
    if (removed.ok) expect(removed.text.replace(/\/\/ guard: a\n|\/\* guard: a \*\/ /, '')).toBe(after);
  });

  it('needs every operator', () => {
    expect([...new Set(GUARDS.map(({ how }) => how))].sort()).toEqual([...OPERATORS].sort());
  });

  it('makes the condition of a contract false and keeps its text', () => {
    const text = '// guard: a\nif (used[f(x)]) revert Used();';
    const removed = without('never', markersOf('a.sol', text), text);
    expect(removed).toMatchObject({ ok: true, text: text.replace('used[f(x)]', 'false && (used[f(x)])') });
    expect(without('skip', markersOf('a.sol', text), text)).toMatchObject({ ok: false });
  });

  it('refuses what an operator does not fit', () => {
    for (const [how, text] of [
      ['skip', 'x = /* guard: a */ y;'],
      ['first', 'x = /* guard: a */ f();'],
      ['never', '// guard: a\nfor (const x of y) z(x);'],
      ['always', 'while (/* guard: a */ true) x();'],
    ] as const)
      expect(without(how, markersOf('a.ts', text), text), text).toMatchObject({ ok: false });
  });

  it('ends with a row per guard and a count of those that survived', () => {
    const missed = { name: 'a', red: true, lane: 'unit', what: 'x.test.ts: fails', seconds: 1.25 };
    const lines = table([missed, { ...missed, name: 'b', red: false, what: 'x.test.ts\nis green' }]).split('\n');
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
      ['guard', 'verdict', 'seconds', 'lane', 'red by'],
      ['a', 'red', '1.3', 'unit', 'x.test.ts: fails'],
      ['b', 'SURVIVED', '1.3', 'unit', 'x.test.ts is green'],
      [''],
      ['2 guards, 1 red, 1 survived'],
    ]);
  });
});
