import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { burstBench } from './burst.js';
import { bvmBatchesBench } from './bvm-batches.js';
import { bvmBlocksBench } from './bvm-blocks.js';
import { bvmLatencyBench } from './bvm-latency.js';
import { latencyBench } from './latency.js';
import { listingBench } from './listing.js';
import { quoteBench } from './quote.js';
import { type Bench, print } from './report.js';
import { roundTripBench } from './round-trips.js';
import { socketsBench } from './sockets.js';
import { startBench } from './start.js';
import { statusBench } from './status.js';
import { svmBurstBench } from './svm-burst.js';
import { svmLatencyBench } from './svm-latency.js';
import { swapQuotesBench } from './swap-quotes.js';
import { swapsBench } from './swaps.js';
import { transferCpuBench } from './transfer-cpu.js';
import { YEARS_BENCHES } from './years/years.js';

const BENCHES: readonly Bench[] = [
  startBench,
  quoteBench,
  latencyBench,
  burstBench,
  roundTripBench,
  transferCpuBench,
  swapsBench,
  swapQuotesBench,
  statusBench,
  listingBench,
  socketsBench,
  svmLatencyBench,
  svmBurstBench,
  bvmLatencyBench,
  bvmBlocksBench,
  bvmBatchesBench,
  ...YEARS_BENCHES,
];

/** `npm run bench -- NAME…`; none runs all. Milliseconds are for reading; ratios and counts decide the exit code. */
const { positionals: wanted, values: sizes } = parseArgs({
  allowPositionals: true,
  options: { quotes: { type: 'string' }, requests: { type: 'string' }, seconds: { type: 'string' } },
});
for (const [name, size] of Object.entries(sizes)) process.env[`BENCH_${name.toUpperCase()}`] = size;
const unknown = wanted.filter((name) => !BENCHES.some((bench) => bench.name === name));
if (unknown.length > 0) {
  process.stderr.write(`no bench ${unknown.join(', ')}; there are ${BENCHES.map((bench) => bench.name).join(', ')}\n`);
  process.exit(2);
}
let missed = 0;
for (const bench of BENCHES) {
  if (wanted.length > 0 && !wanted.includes(bench.name)) continue;
  const figures = await bench.run();
  print(bench, figures);
  missed += figures.filter((figure) => figure.ok === false).length;
}
process.stdout.write(missed === 0 ? '\nno ratio or count missed its goal\n' : `\n${missed} goals missed\n`);
process.exit(missed === 0 ? 0 : 1);
