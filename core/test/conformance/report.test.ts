import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type ConformanceKit, runCase, runConformance } from '../../src/testing/report.js';
import type { ConformanceCase, KitHarness } from '../../src/testing/report-types.js';

interface Probe extends KitHarness {
  readonly log: string[];
}

const log: string[] = [];

async function make(lacks: Readonly<Record<string, string>> = {}): Promise<Probe> {
  log.length = 0;
  return { lacks, log, dispose: async () => void log.push('disposed') };
}

function check(name: string, run: () => Promise<void>, needs?: readonly string[]): ConformanceCase<Probe> {
  return { subject: 'things', name, guarantees: ['G1'], run, ...(needs === undefined ? {} : { needs }) };
}

const passes = check('passes', async () => void log.push('ran'));
const fails = check('fails', async () => {
  throw new Error('the reason\nand more');
});
const flies = check('flies', async () => void log.push('flew'), ['wings']);
const hangs = check('hangs', () => delay(10_000));

function kit(...cases: readonly ConformanceCase<Probe>[]): ConformanceKit<Probe> {
  return { title: 'probe', abilities: ['wings'], cases };
}

describe('a conformance run', () => {
  it('reports how each case went, and is good only if none failed', async () => {
    const good = await runConformance(kit(passes, flies), () => make({ wings: 'it is a stone' }), { on: 'stone' });
    expect(good.ok).toBe(true);
    expect(good.cases.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['passed', ''],
      ['notApplicable', 'no wings: it is a stone'],
    ]);
    const bad = await runConformance(kit(passes, fails), () => make());
    expect(bad.ok).toBe(false);
    expect(bad.cases[1]).toMatchObject({ outcome: 'failed', reason: 'the reason\nand more', error: expect.any(Error) });
  });

  it('ends with the first case that fails where it is asked to', async () => {
    const names = async (untilFailed: boolean) =>
      (await runConformance(kit(passes, fails, flies), () => make(), { untilFailed })).cases.map(({ name }) => name);
    expect(await names(true)).toEqual(['passes', 'fails']);
    expect(await names(false)).toEqual(['passes', 'fails', 'flies']);
  });

  it('is not good when nothing ran', async () => {
    expect((await runConformance(kit(passes), () => make(), { only: () => false })).ok).toBe(false);
  });

  it('runs what no one says is lacking', async () => {
    expect((await runConformance(kit(flies), () => make())).cases[0]?.outcome).toBe('passed');
    expect(log).toContain('flew');
  });

  it('refuses a lack that the kit does not know, and one without a reason', async () => {
    const unknown = await runCase(kit(passes), passes, () => make({ luck: 'never had any' }));
    expect(unknown).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('"luck"') });
    expect(await runCase(kit(passes), passes, () => make({ wings: ' ' }))).toMatchObject({ outcome: 'failed' });
    expect(log).not.toContain('ran');
  });

  it('disposes of a harness whatever happened, and reports when that fails', async () => {
    await runCase(kit(fails), fails, () => make());
    expect(log).toEqual(['disposed']);
    const stuck = async (): Promise<Probe> => ({
      ...(await make()),
      dispose: async () => {
        throw new Error('still open');
      },
    });
    expect(await runCase(kit(passes), passes, stuck)).toMatchObject({ outcome: 'failed', reason: 'still open' });
    expect((await runCase(kit(fails), fails, stuck)).reason).toContain('; then still open');
  });

  it('does not wait for ever, nor reject when no harness can be made', async () => {
    expect(await runCase(kit(hangs), hangs, () => make(), 20)).toMatchObject({
      outcome: 'failed',
      reason: 'not done after 20 ms',
    });
    const none = (): Promise<Probe> => Promise.reject(new Error('no chain'));
    expect(await runCase(kit(passes), passes, none)).toMatchObject({ outcome: 'failed', reason: 'no chain' });
  });

  it('prints a table that a person can read', async () => {
    const { text } = await runConformance(kit(passes, flies, fails), () => make({ wings: 'it is a stone' }), {
      on: 'stone',
    });
    const timeless = text.replaceAll(/(ok|n\/a|FAILED) +\d+/g, '$1 0').replaceAll(/\d+ ms/g, '0 ms');
    expect(timeless).toMatchInlineSnapshot(`
      "probe: stone

      subject  case    outcome  ms  reason
      -------  ------  -------  --  -----------------------
      things   passes  ok 0
      things   flies   n/a 0  no wings: it is a stone
      things   fails   FAILED 0  the reason

      1 passed, 1 failed, 1 not applicable; 0 ms

      FAILED things: fails
      the reason
      and more"
    `);
  });
});
