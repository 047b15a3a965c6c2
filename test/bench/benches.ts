import { addressesBench } from './addresses/addresses.js';
import { addressBurstBench } from './addresses/burst.js';
import { addressQuotesBench } from './addresses/quotes.js';
import { burstBench } from './burst.js';
import { bvmBatchesBench } from './bvm-batches.js';
import { bvmBlocksBench } from './bvm-blocks.js';
import { bvmLatencyBench } from './bvm-latency.js';
import { callsBench } from './calls.js';
import { crowdedBench } from './crowded.js';
import { latencyBench } from './latency.js';
import { listingBench } from './listing.js';
import { quoteBench } from './quote.js';
import { readersBench } from './readers.js';
import type { Bench } from './report.js';
import { roundTripBench } from './round-trips.js';
import { socketsBench } from './sockets.js';
import { startBench } from './start.js';
import { startCpuBench } from './start-cpu.js';
import { statusBench } from './status.js';
import { svmBurstBench } from './svm-burst.js';
import { svmLatencyBench } from './svm-latency.js';
import { swapQuotesBench } from './swap-quotes.js';
import { swapsBench } from './swaps.js';
import { tonBench } from './ton.js';
import { transferCpuBench } from './transfer-cpu.js';
import { webhooksBench } from './webhooks/webhooks.js';
import { YEARS_BENCHES } from './years/years.js';

export const BENCHES: readonly Bench[] = [
  startBench,
  startCpuBench,
  quoteBench,
  latencyBench,
  burstBench,
  roundTripBench,
  transferCpuBench,
  swapsBench,
  swapQuotesBench,
  statusBench,
  listingBench,
  crowdedBench,
  addressesBench,
  addressBurstBench,
  addressQuotesBench,
  callsBench,
  socketsBench,
  readersBench,
  webhooksBench,
  svmLatencyBench,
  svmBurstBench,
  bvmLatencyBench,
  bvmBlocksBench,
  bvmBatchesBench,
  tonBench,
  ...YEARS_BENCHES,
];
