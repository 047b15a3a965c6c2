import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { orUsage, UsageError, wholeOption } from '../support/script-options.js';
import { type Bench, print } from './report.js';

const SIZES = ['quotes', 'requests', 'seconds'] as const;

const usageOf = (benches: readonly Bench[]): string => `npm run bench -- [NAME…] [options]

Measures these benches, or all. Milliseconds are for reading; ratios and counts decide.

${benches.map(({ name, about }) => `  ${name.padEnd(14)}  ${about}`).join('\n')}

  --requests N    of transfer-cpu, listing, years
  --quotes N      of years
  --seconds N     of swaps, swap-quotes, sockets, webhooks, years
  --help

Ends with 1 when a goal was missed. test/bench/README.md tells more.`;

/** @throws UsageError, and what `parseArgs` does, on what is none of them. */
function chosenFrom(benches: readonly Bench[]): readonly Bench[] {
  const { positionals: wanted, values } = parseArgs({
    allowPositionals: true,
    options: { quotes: { type: 'string' }, requests: { type: 'string' }, seconds: { type: 'string' } },
  });
  for (const name of SIZES) if (values[name] !== undefined) wholeOption(name, values[name], 1);
  const unknown = wanted.filter((name) => !benches.some((bench) => bench.name === name));
  if (unknown.length > 0) throw new UsageError(`there is no bench ${unknown.join(', ')}`);
  return benches.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
}

// Benches take their sizes when they are loaded.
for (const name of SIZES) {
  const [, size] = new RegExp(`--${name}[= ](\\S+)`).exec(process.argv.join(' ')) ?? [];
  if (size !== undefined) process.env[`BENCH_${name.toUpperCase()}`] = size;
}
const { BENCHES } = await import('./benches.js');
const chosen = orUsage(usageOf(BENCHES), () => chosenFrom(BENCHES));
let missed = 0;
for (const bench of chosen) {
  const figures = await bench.run();
  print(bench, figures);
  missed += figures.filter((figure) => figure.ok === false).length;
}
process.stdout.write(missed === 0 ? '\nno ratio or count missed its goal\n' : `\n${missed} goals missed\n`);
process.exit(missed === 0 ? 0 : 1);
