import { FamiliesWorld } from '../support/families/world.js';
import { ordersIn } from './crowd.js';
import { withHighLimits } from './high-limits.js';
import { type Bench, type Figure, ms, percentile } from './report.js';
import { Bystander, blockhash, orderInMessage, pause, quotes, roundTrip, send, signDeposit } from './svm-crowd.js';

const PER_SECOND = 5;
const SECONDS = 20;
/** Unmeasured deposits, so that code is compiled and connections are open. */
const WARM_UP = 25;
const SLOT_MS = 400;
/** The local node publishes only every 50 ms. */
const POLL_MS = 10;

/**
 * From the response in which an observer first sees a deposit confirmed to the fill's bytes reaching the other
 * chain's RPC.
 */
export const svmLatencyBench: Bench = {
  name: 'svm-latency',
  about: `SVM: deposit confirmed -> fill sent, ${PER_SECOND} deposits a second, ${SLOT_MS} ms slots`,
  async run() {
    const world = await FamiliesWorld.start({
      ...{
        proxied: true,
        slotMs: SLOT_MS,
        pollMs: POLL_MS,
        quoteValidityMs: 600_000,
        orderTtl: '600s',
        edit: withHighLimits,
      },
    });
    try {
      const baseline = await roundTrip(world.proxy(world.s).url);
      return [
        { name: 'one RPC round trip (baseline)', value: ms(baseline) },
        ...(await measure(world, world.evm, baseline)),
        ...(await measure(world, world.t, baseline)),
      ];
    } finally {
      await world.close();
    }
  },
};

async function measure(
  world: FamiliesWorld,
  to: FamiliesWorld['evm'] | FamiliesWorld['t'],
  baseline: number,
): Promise<readonly Figure[]> {
  const from = world.s;
  const user = await from.payer();
  const quoted = await quotes(world, {
    from,
    to,
    user: user.address,
    amount: 10n ** 8n,
    count: WARM_UP + PER_SECOND * SECONDS,
  });
  const proxy = world.proxy(to);
  const first = proxy.calls.length;
  const watcher = new Bystander(from);
  const signatures = new Map<string, string>();
  const start = performance.now();
  for (const [index, one] of quoted.entries()) {
    await pause(Math.max(0, start + (index * 1000) / PER_SECOND - performance.now()));
    const signed = signDeposit(user, one, await blockhash(from));
    signatures.set(one.orderId, signed.signature);
    watcher.expect(signed.signature);
    await send(from, signed);
  }
  for (const { requestId } of quoted.slice(-PER_SECOND)) await world.becomes({ requestId }, 'success', 60_000);
  watcher.stop();
  const measured = quoted.slice(WARM_UP);
  const orders = new Set(measured.map(({ orderId }) => orderId));
  const latencies: number[] = [];
  const seen = new Set<string>();
  for (const call of proxy.calls.slice(first)) {
    const raw = String(call.params[0]);
    const carried =
      call.method === 'eth_sendRawTransaction'
        ? ordersIn(raw, orders)
        : [call.method === 'sendTransaction' ? orderInMessage(raw, orders) : undefined];
    for (const order of carried) {
      const from = watcher.confirmed.get(signatures.get(order ?? '') ?? '');
      if (order === undefined || from === undefined || seen.has(order)) continue;
      seen.add(order);
      latencies.push(call.at - from);
    }
  }
  const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
  const name = `${from.name} to ${to.name}`;
  const trips = (value: number) => `${ms(value)}, ${(value / baseline).toFixed(0)} round trips`;
  return [
    {
      name: `${name}: deposits filled`,
      value: `${seen.size} of ${measured.length}`,
      ok: seen.size === measured.length,
    },
    {
      name: `${name}: p50`,
      value: trips(p50),
      goal: '<= 50 ms, or 30 round trips',
      ok: p50 <= Math.max(50, 30 * baseline),
    },
    { name: `${name}: p99`, value: trips(p99) },
  ];
}
