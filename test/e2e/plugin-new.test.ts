import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bench, linkedBench } from './support/plugin-bench.js';

/** What a new package of each kind has to say: how many cases wait for what first, and whether a service could start with it. */
const KINDS = [
  { kind: 'notifier', first: 'requestOf:', file: 'src/request.ts', cases: 16, doctor: 0 },
  { kind: 'prices', first: 'pricesOf:', file: 'src/reading.ts', cases: 8, doctor: 1 },
] as const;

let bench: Bench;
beforeAll(() => {
  bench = linkedBench();
}, 120_000);
afterAll(() => rmSync(bench.folder, { recursive: true, force: true }));

/** Packed core, and the packed plugin beside it, in a folder that is no checkout. */
describe.each(KINDS)('a new plugin of kind $kind', ({ kind, first, file, cases, doctor }) => {
  const name = `@acme/causeway-plugin-new-${kind}`;

  it('compiles, is packed, is loaded by its name and by its path, and fails its kit with a list', async () => {
    const made = bench.begin(name, kind);
    expect(made.text).toContain(`${name}, a plugin of kind ${kind}`);
    expect(await bench.compile(kind), 'types').toEqual({ code: 0, text: '' });
    await bench.pack(name, kind);

    const byPath = await bench.doctor(kind, 'by path');
    expect(byPath.text).toContain(`new-${kind} (../)`);
    const byName = await bench.doctor(kind, name);
    expect(byName.text).toContain(`new-${kind} (${name})`);
    for (const { code, text } of [byPath, byName]) {
      expect(code, text).toBe(doctor);
      expect(text).toContain(doctor === 0 ? '0 errors, 0 warnings' : 'a plugin threw: not written yet');
    }

    const kit = await bench.kit(kind);
    expect(kit.code).not.toBe(0);
    expect(kit.text).toContain(`: new-${kind}: `);
    expect(kit.text).toMatch(new RegExp(`\\n  ${first} .* -> ${file} \\(\\d+ cases wait\\)\\n`));
    const lines = kit.text.split('\n').filter((line) => line.includes(` | docs/plugins/${kind}.md`));
    expect(lines.length).toBe(cases);
    for (const line of lines)
      expect(line).toMatch(/^ {2}[\w-]+: .+ \| .+ -> (src|test)\/[\w/-]+\.ts \| docs\/plugins\//);
    // What is thrown is told by the list, and nowhere else.
    expect(kit.text).not.toContain('Unhandled');
  }, 120_000);
});
