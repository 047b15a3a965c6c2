import 'reflect-metadata';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ROOT } from '../support/repository.js';
import { orUsage, UsageError, wholeOption } from '../support/script-options.js';
import { comparedWith, missingFrom, type Records, recordedAgain } from './recorded.js';
import { type Bench, print } from './report.js';

const SIZES = ['quotes', 'requests', 'seconds'] as const;
const RECORDS = new URL('./recorded-ratios.json', import.meta.url);

const usageOf = (benches: readonly Bench[]): string => `npm run bench -- [NAME…] [options]

Measures these benches, or all. Milliseconds are for reading; ratios and counts decide.

${benches.map(({ name, about }) => `  ${name.padEnd(14)}  ${about}`).join('\n')}

  --requests N    of transfer-cpu, listing, years
  --quotes N      of years
  --seconds N     of swaps, swap-quotes, sockets, webhooks, years
  --recorded      of those that a ratio was recorded of, and by these ratios alone: one below 0.8 of it fails
  --record        writes the ratios of this run to test/bench/recorded-ratios.json
  --help

Ends with 1 when a goal was missed. test/bench/README.md tells more.`;

const records = JSON.parse(readFileSync(RECORDS, 'utf8')) as Records;

function chosenFrom(benches: readonly Bench[]) {
  const { positionals: wanted, values } = parseArgs({
    allowPositionals: true,
    options: {
      ...{ quotes: { type: 'string' }, requests: { type: 'string' }, seconds: { type: 'string' } },
      ...{ recorded: { type: 'boolean' }, record: { type: 'boolean' } },
    },
  });
  for (const name of SIZES) if (values[name] !== undefined) wholeOption(name, values[name], 1);
  const unknown = wanted.filter((name) => !benches.some((bench) => bench.name === name));
  if (unknown.length > 0) throw new UsageError(`there is no bench ${unknown.join(', ')}`);
  const { recorded = false, record = false } = values;
  const chosen = benches.filter(
    ({ name }) => (wanted.length === 0 || wanted.includes(name)) && (!recorded || records[name] !== undefined),
  );
  return { chosen, recorded, record };
}

for (const name of SIZES) {
  const [, size] = new RegExp(`--${name}[= ](\\S+)`).exec(process.argv.join(' ')) ?? [];
  if (size !== undefined) process.env[`BENCH_${name.toUpperCase()}`] = size;
}
const { BENCHES } = await import('./benches.js');
const { chosen, recorded, record } = orUsage(usageOf(BENCHES), () => chosenFrom(BENCHES));
let missed = 0;
let held = 0;
let fell = 0;
let written = records;
for (const bench of chosen) {
  const figures = await bench.run();
  const rows = comparedWith(records[bench.name], figures);
  print(
    bench,
    rows.map(({ figure }) => figure),
  );
  missed += figures.filter((figure) => figure.ok === false).length;
  const lost = missingFrom(records[bench.name], figures);
  if (lost.length > 0) process.stdout.write(`  ! recorded and not measured: ${lost.join(', ')}\n`);
  held += rows.filter((row) => row.held === true).length;
  fell += rows.filter((row) => row.held === false).length + lost.length;
  if (record) written = recordedAgain(written, bench.name, figures, commit());
}
if (record) writeFileSync(RECORDS, `${JSON.stringify(written, undefined, 2)}\n`);
process.stdout.write(missed === 0 ? '\nno ratio or count missed its goal\n' : `\n${missed} goals missed\n`);
process.stdout.write(`${held} ratios held, ${fell} fell below 0.8 of what was recorded\n`);
process.exit((recorded ? fell : missed) === 0 ? 0 : 1);

function commit(): string {
  return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
}
