import { StatusEvents } from '../support/events.js';
import type { BvmSide } from '../support/families/bvm-side.js';
import { FamiliesWorld } from '../support/families/world.js';
import { requestIdOf } from '../support/rest.js';
import { withHighLimits } from './high-limits.js';
import { type Bench, type Figure, ms, percentile } from './report.js';
import { pause } from './svm-crowd.js';

/** Unmeasured deposits, so that code is compiled and connections are open. */
const WARM_UP = 5;
const PAYER_HAS = 1_000_000n;
const AMOUNT = 500_000n;
const WATCH = { pollMs: 1_000, poolPollMs: 400 };

/** From the node's response that a deposit is in its mempool to the `pending` event at a client's websocket. */
export const bvmLatencyBench: Bench = {
  name: 'bvm-latency',
  about:
    'UTXO chains: deposit in the pool -> `pending` at a websocket, where the pool is published and where it is polled',
  async run() {
    const options = { watch: WATCH, quoteValidityMs: 600_000 };
    const world = await FamiliesWorld.start({
      ...{ svm: 0, quoteValidityMs: 600_000, orderTtl: '600s', edit: withHighLimits },
      bvm: (['bitcoin', 'litecoin'] as const).map((kind) => ({ kind, options, payerHas: PAYER_HAS })),
    });
    try {
      const [published, polled] = world.bvm;
      if (published?.node.zmq === undefined || polled === undefined || polled.node.zmq !== undefined)
        throw new Error('one node that publishes its pool is wanted, and one that does not');
      return [
        ...(await measure(world, published, { count: 60, goalMs: 20, how: 'published' })),
        ...(await measure(world, polled, { count: 30, goalMs: 600, how: 'polled every 400 ms' })),
      ];
    } finally {
      await world.close();
    }
  },
};

interface Plan {
  readonly count: number;
  readonly goalMs: number;
  readonly how: string;
}

interface Due {
  readonly requestId: string;
  readonly hex: string;
  readonly events: StatusEvents;
}

async function prepare(world: FamiliesWorld, from: BvmSide): Promise<Due> {
  const payer = await from.payer();
  const quote = await world.rest.quote({
    ...{ user: payer.address, recipient: world.evm.newAddress(), refundTo: from.newAddress() },
    ...{ originChainId: from.id, destinationChainId: world.evm.id, tradeType: 'EXACT_INPUT' },
    ...{ originCurrency: from.currency(from.coin), destinationCurrency: world.evm.currency('ETH') },
    amount: AMOUNT.toString(),
  });
  const requestId = requestIdOf(quote);
  const events = await StatusEvents.of(world.rest.baseUrl, requestId);
  return { requestId, events, hex: await from.sign(payer, quote) };
}

async function measure(world: FamiliesWorld, from: BvmSide, { count, goalMs, how }: Plan): Promise<readonly Figure[]> {
  const sends: number[] = [];
  const latencies: number[] = [];
  const all: Due[] = [];
  while (all.length < WARM_UP + count) all.push(await prepare(world, from));
  for (const [n, { hex, events }] of all.entries()) {
    await pause(200 + Math.random() * WATCH.poolPollMs);
    const begun = performance.now();
    await from.node.rpc('sendrawtransaction', [hex]);
    const sent = performance.now();
    await events.came('pending');
    events.close();
    if (n < WARM_UP) continue;
    sends.push(sent - begun);
    latencies.push(Math.max(0, (events.at.get('pending') ?? Number.NaN) - sent));
  }
  for (const { requestId } of all.slice(-2)) await world.becomes({ requestId }, 'success', 60_000);
  const baseline = percentile(sends, 0.5);
  const p50 = percentile(latencies, 0.5);
  return [
    { name: `${from.name}: the node takes a deposit (baseline)`, value: ms(baseline) },
    {
      name: `${from.name}, ${how}: p50`,
      value: `${ms(p50)}, ${(p50 / baseline).toFixed(1)} times the baseline`,
      goal: `<= ${goalMs} ms, or 30 times the baseline`,
      ok: p50 <= Math.max(goalMs, 30 * baseline),
    },
    { name: `${from.name}, ${how}: p99`, value: ms(percentile(latencies, 0.99)) },
  ];
}
