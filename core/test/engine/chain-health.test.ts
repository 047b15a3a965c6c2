import { beforeEach, expect, it } from 'vitest';
import type { ChainAdapter, ChainStatus } from '../../src/contract/index.js';
import { ChainHealth } from '../../src/engine/rounds/chain-health.js';
import { alpha } from '../quoting/support/quoter-with.js';

const { id, displayName, blockTimeMs } = alpha.adapter.facts;
const STALL_MS = Math.min(60_000, Math.max(10_000, 5 * blockTimeMs));

let now: number;
let head: number;
let status: ChainStatus;
let hasPrice: boolean;
let followed: Map<number, number>;
let alerts: Map<string, string>;
let health: ChainHealth;
let chain: ChainAdapter;

beforeEach(() => {
  [now, head, hasPrice] = [0, 100, true];
  followed = new Map([[id, 100]]);
  alerts = new Map();
  status = { healthy: true, reason: null, head: null };
  const laneBalance = () => ({ value: 0n, at: 0 });
  chain = { ...alpha.adapter, laneBalance, status: () => ({ ...status, head: { value: head, at: 0 } }) };
  health = new ChainHealth({
    chains: new Map([[id, chain]]),
    clock: { monotonic: () => now } as never,
    prices: { price: () => (hasPrice ? { ok: true, usd: '1', at: 0 } : { ok: false, why: 'stale' }) },
    alerts: { raise: (key, text) => alerts.set(key, text), clear: (key) => alerts.delete(key), list: () => [] },
    followed,
  });
});

function pass(ms: number, recorded?: number): void {
  for (const end = now + ms; now < end; ) {
    now += 250;
    health.judge(() => ({ height: recorded }));
  }
}

it('a chain is unserved while its deposits are not read though blocks come, whatever its adapter says', () => {
  pass(1_000);
  expect(health.unserved(id)).toBeNull();
  head = 103;
  pass(STALL_MS - 1_000);
  expect(health.unserved(id)).toBeNull();
  pass(2_000);
  expect(health.unserved(id)).toContain('deposits are read up to block 100, and block 103 is there since');
  expect(health.status(chain)).toMatchObject({ healthy: false });
  pass(10_000);
  expect([...alerts.values()]).toEqual([expect.stringMatching(new RegExp(`^${displayName} is not served: deposits`))]);
  followed.set(id, 103);
  pass(250);
  expect(health.status(chain)).toMatchObject({ healthy: true, reason: null });
  expect(alerts.size).toBe(0);
});

it('a watcher that is always a little behind is none that stands still', () => {
  for (let n = 0; n < 200; n += 1) {
    head += 1;
    followed.set(id, head - 3);
    pass(1_000);
    expect(health.unserved(id)).toBeNull();
  }
});

it('goes by the durable cursor where another process watches, and by a head that went back', () => {
  followed.clear();
  head = 110;
  pass(STALL_MS + 2_000, 100);
  expect(health.unserved(id)).toContain('up to block 100');
  head = 100;
  pass(250, 100);
  expect(health.unserved(id)).toBeNull();
});

it('fees and balances that no one reports make it unserved; a price alone is reported with the status', () => {
  hasPrice = false;
  pass(250);
  expect(health.unserved(id)).toBeNull();
  expect(health.status(chain).reason).toContain('the price of');
  const withoutFees = { ...chain, legCost: () => undefined };
  const blind = { ...chain, laneBalance: () => undefined };
  for (const [one, words] of [
    [withoutFees, 'its fees are not known'],
    [blind, 'the balance of'],
  ] as const) {
    const services = {
      clock: { monotonic: () => now },
      prices: { price: () => ({ ok: false }) },
      alerts: { raise: () => 0 },
    };
    const other = new ChainHealth({ ...services, chains: new Map([[id, one]]), followed } as never);
    other.judge(() => ({ height: 100 }));
    expect(other.unserved(id)).toContain(words);
  }
});

it('the alert has the words of the adapter, which name a provider', () => {
  status = { healthy: false, reason: 'deposits cannot be read: provider 1 (host): a pox', head: null };
  pass(10_500);
  expect([...alerts.values()]).toEqual([`${displayName} is not served: ${status.reason}`]);
});
