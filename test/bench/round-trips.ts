import { parseEther } from 'viem';
import { payer, signDeposits, statuses } from './crowd.js';
import { proxiedWorld } from './proxied-world.js';
import type { Bench } from './report.js';

const TRIPS = 200;
const IN_FLIGHT = 10;
const AMOUNT = parseEther('1');
const INVENTORY = parseEther('20');

interface Audit {
  readonly balanced: boolean;
  readonly unsettled: number;
  readonly openHolds: number;
  readonly pots: readonly {
    readonly account: string;
    readonly difference: string | null;
    readonly drift: string | null;
  }[];
}

/** Round trips with less inventory than volume: collecting deposits must keep the solver funded. */
export const roundTripBench: Bench = {
  name: 'round-trips',
  about: `${TRIPS} transfers A to B and ${TRIPS} back, ${INVENTORY / 10n ** 18n} ETH of inventory a side`,
  async run() {
    const { world, close } = await proxiedWorld({
      quoteValidityMs: 600_000,
      orderTtl: '600s',
      collectEvery: '1s',
      inventory: INVENTORY,
    });
    try {
      for (const chain of world.chains) await chain.client.setIntervalMining({ interval: 1 });
      const started = performance.now();
      const ids: string[] = [];
      for (let trip = 0; trip < TRIPS; trip += IN_FLIGHT) {
        for (const [from, to] of [
          [world.a, world.b],
          [world.b, world.a],
        ] as const) {
          const user = await payer(from);
          const deposits = await signDeposits(world, from, to, user, IN_FLIGHT, AMOUNT);
          for (const deposit of deposits) await from.client.sendRawTransaction({ serializedTransaction: deposit.raw });
          ids.push(...deposits.map((deposit) => deposit.requestId));
        }
        await allSettled(world, ids.slice(-2 * IN_FLIGHT));
      }
      const seconds = (performance.now() - started) / 1000;
      const audit = await quietAudit(world.rest);
      const seen = await statuses(world, ids);
      const volume = BigInt(TRIPS) * AMOUNT;
      const off = audit.pots.filter((pot) => pot.difference !== '0');
      return [
        {
          name: 'transfers',
          value: `${ids.length} in ${seconds.toFixed(0)} s, volume ${volume / INVENTORY} times the inventory of a side`,
        },
        {
          name: 'succeeded without anyone',
          value: `${seen.success ?? 0} of ${ids.length}`,
          ok: seen.success === ids.length,
        },
        { name: 'audit', value: audit.balanced ? 'balances to the unit' : JSON.stringify(off), ok: audit.balanced },
        {
          name: 'unsettled, holds',
          value: `${audit.unsettled}, ${audit.openHolds}`,
          ok: audit.unsettled === 0 && audit.openHolds === 0,
        },
      ];
    } finally {
      await close();
    }
  },
};

type World = Awaited<ReturnType<typeof proxiedWorld>>['world'];

async function allSettled(world: World, ids: readonly string[]): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (performance.now() < deadline) {
    const seen = await statuses(world, ids);
    if ((seen.success ?? 0) + (seen.refund ?? 0) + (seen.failure ?? 0) === ids.length) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function quietAudit(rest: World['rest']): Promise<Audit> {
  let audit: Audit | undefined;
  for (let tries = 0; tries < 60; tries += 1) {
    const response = await fetch(`${rest.baseUrl}/admin/audit`, {
      headers: { authorization: `Bearer ${rest.adminKey}` },
    });
    if (!response.ok) throw new Error(`audit answered ${response.status}`);
    audit = (await response.json()) as Audit;
    if (audit.balanced) return audit;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  if (!audit) throw new Error('no audit');
  return audit;
}
