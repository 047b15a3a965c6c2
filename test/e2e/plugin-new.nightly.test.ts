import { rmSync } from 'node:fs';
import {
  chainConformance,
  liquidityConformance,
  notifierConformance,
  priceConformance,
  screenerConformance,
  storeConformance,
} from '@causeway/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bench, linkedBench } from './support/plugin-bench.js';

/**
 * Per kind: the first message about what is not written, the number of passing cases, and the finding of `causeway
 * doctor`; undefined: none.
 */
const KINDS = [
  { kind: 'notifier', kit: notifierConformance, first: 'requestOf: ', file: 'src/request.ts', passes: 0 },
  { kind: 'prices', kit: priceConformance, first: 'pricesOf: ', file: 'src/reading.ts', passes: 0, doctor: 'price: ' },
  { kind: 'liquidity', kit: liquidityConformance, first: 'quote: ', file: 'src/quote.ts', passes: 2 },
  { kind: 'screening', kit: screenerConformance, first: 'questionOf: ', file: 'src/question.ts', passes: 1 },
  {
    kind: 'store',
    kit: storeConformance,
    first: 'Database.open: ',
    file: 'src/database.ts',
    passes: 0,
    doctor: 'Database.open: ',
  },
  {
    kind: 'chain',
    kit: chainConformance,
    first: 'watchDeposits: ',
    file: 'src/deposits.ts',
    passes: 1,
    doctor: 'probe: ',
  },
] as const;

const nameOf = (kind: string) => `@acme/causeway-plugin-new-${kind}`;

let bench: Bench;
beforeAll(async () => {
  bench = linkedBench();
  for (const { kind } of KINDS) expect(bench.begin(nameOf(kind), kind)).toContain(`a plugin of kind ${kind}`);
  await bench.install(KINDS.map(({ kind }) => ({ kind, name: nameOf(kind) })));
}, 300_000);
afterAll(() => rmSync(bench.folder, { recursive: true, force: true }));

/** Packed core and plugins, outside of a checkout. */
describe('a new plugin', () => {
  it.each(KINDS)(
    'of kind $kind compiles, is loaded by its path, and fails its kit with a list',
    async (row) => {
      const { kind, kit, first, file, passes } = row;
      expect(await bench.compile(kind), 'types').toEqual({ code: 0, text: '' });

      const examined = await bench.doctor(kind);
      expect(examined.text).toContain(`new-${kind} (../)`);
      const wrong = examined.text.split('\n').filter((line) => line.startsWith('ERROR') || line.startsWith('warning'));
      for (const line of wrong) expect(line).toContain(`not written yet: ${'doctor' in row ? row.doctor : '?'}`);
      expect(wrong.length > 0).toBe('doctor' in row);
      expect(examined.code, examined.text).toBe('doctor' in row ? 1 : 0);

      const { code, text } = await bench.kit(kind);
      expect(code).toBe(1);
      const reported = /: new-\w+: (\d+) of (\d+) cases pass, (\d+) do not apply, (\d+) to work through\n/.exec(text);
      expect(reported, text.slice(0, 2_000)).not.toBeNull();
      const [passed = 0, all = 0, left = 0, failed = 0] = reported?.slice(1).map(Number) ?? [];
      expect([passed, all, failed]).toEqual([passes, kit.cases.length, kit.cases.length - left - passes]);
      expect(text).toMatch(new RegExp(`\\n  ${first}.* -> ${file} \\(\\d+ cases wait\\)\\n`));
      const lines = text.split('\n').filter((line) => line.includes(` | docs/plugins/`));
      expect(lines.length).toBe(failed);
      for (const line of lines)
        expect(line).toMatch(/^ {2}[\w-]+: .+ \| .+ -> (src|test)\/[\w/-]+\.ts \| docs\/plugins\/[\w-]+\.md$/);
      // Errors appear only in the list.
      expect(text).not.toContain('Unhandled');
    },
    120_000,
  );

  it('of any kind is loaded by its name, all of them at once', async () => {
    const { code, text } = await bench.doctorOfAll(KINDS.map(({ kind }) => ({ kind, name: nameOf(kind) })));
    for (const { kind } of KINDS) expect(text).toContain(`new-${kind} (${nameOf(kind)})`);
    expect(text).toContain('store         of plugin new-store');
    expect(text).toContain('plugin new-chain)');
    expect(code, text).toBe(1);
  }, 60_000);
});
