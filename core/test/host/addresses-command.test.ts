import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ChainAdapter } from '../../src/contract/index.js';
import { legId } from '../../src/domain/accounts.js';
import { runCli } from '../../src/host/cli/index.js';
import {
  addressRow,
  depositRow,
  fundingKey,
  holdRow,
  insert,
  legRow,
  requestId,
  requestRow,
} from '../../src/testing/store-fixtures.js';
import { chainDouble, TOKEN } from '../api/support/chain-double.js';
import { ADMIN_KEY, type RunningApi, runningApi } from '../api/support/running-api.js';
import { cliOutput } from './cli-output.js';

const SWEEPER = `0x${'5'.repeat(40)}`;
const HOUR = 3_600_000;
const addressOf = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`;

let api: RunningApi;
const said = cliOutput();

beforeAll(async () => {
  const [a, b] = [chainDouble(1, 'alpha'), chainDouble(2, 'beta')];
  a.state.depositAddresses = {
    derive: (salt) => `0x${salt.slice(-40)}`,
    steps: () => [],
    sweeps: true,
    held: async (addresses, currency) => addresses.map(() => (currency === TOKEN ? 900n : 0n)),
  };
  const lanes: ChainAdapter['lanes'] = [...a.adapter.lanes, { signer: SWEEPER, sends: ['sweep'] }];
  const alpha = Object.defineProperty(a.adapter, 'lanes', { value: lanes });
  api = await runningApi({ chains: new Map([alpha, b.adapter].map((chain) => [chain.facts.id, chain])) });
  const now = Date.now();
  const integrator = { id: 'integrator-1', version: 1, name: 'shop', fundingAddress: null, createdAt: 1 };
  const rows = Array.from({ length: 130 }, (_, at) => {
    const n = at + 1;
    const place = { chainId: 1, address: addressOf(n), id: `1:${addressOf(n)}` };
    return addressRow(n, { ...place, hotUntil: n <= 2 ? now + HOUR : 1, keyId: n === 2 ? 'key-1' : null });
  });
  const transfer = depositRow(1, {
    ...{ chainId: 1, currency: TOKEN, amount: 900n, state: 'final', decision: 'refund', orderId: null },
    ...{ depositAddress: addressOf(1), salt: requestId(1) },
  });
  const sweep = legRow(1, {
    ...{ id: legId.sweep(requestId(1), fundingKey(1)), kind: 'sweep', chainId: 1, signer: SWEEPER, currency: TOKEN },
    ...{ amount: 900n, dueAt: now + HOUR, orderId: null, deadlineAt: null },
  });
  const outcome = await api.store.apply({
    name: 'test',
    changes: [
      insert('integrators', integrator),
      ...rows.map((row) => insert('addresses', row)),
      insert('requests', requestRow(1, { depositAddress: addressOf(1), body: '{}' })),
      insert('deposits', transfer),
      insert('legs', sweep),
      insert('holds', holdRow(1, { chainId: 1, currency: TOKEN })),
    ],
  });
  expect(outcome).toEqual({ ok: true });
});
afterAll(() => api.close());

beforeEach(() => {
  vi.stubEnv('CAUSEWAY_ADMIN_KEY', ADMIN_KEY);
});

async function addresses(...args: readonly string[]): Promise<string> {
  said.forget();
  const code = await runCli(['addresses', ...args, '--url', api.url]);
  return code === 0 ? said.text() : `${code} ${said.text()}`;
}

describe('causeway addresses', () => {
  it('lists them over as many pages as it takes, and continues after the last list', async () => {
    const first = (await addresses('list')).trim().split('\n');
    expect(first).toHaveLength(51);
    const more = /^there are more: --after (\S+)$/.exec(first.at(-1) ?? '')?.[1] ?? '';
    const rest = (await addresses('list', '--limit', '300', '--after', more)).trim().split('\n');
    expect(rest).toHaveLength(80);
    const names = [...first.slice(0, -1), ...rest].map((line) => line.split('  ')[1]);
    expect(names).toEqual(Array.from({ length: 130 }, (_, n) => addressOf(n + 1)));
    expect(await addresses('list', '--unswept', '--after', more)).toMatch(/^1 .*400: .*belongs to another search/s);
    expect(JSON.parse(await addresses('list', '--limit', '1', '--json'))).toMatchObject({
      addresses: [{ chainId: 1, address: addressOf(1), requestId: requestId(1) }],
      continuation: expect.any(String),
    });
  });

  it('lists some by chain, key, integrator, use, and what is not swept', async () => {
    const unswept = await addresses('list', '--unswept');
    expect(unswept).toMatch(
      new RegExp(
        `^1  ${addressOf(1)}  strict  hot  no key  \\S+  request ${requestId(1)}  1 transfer  unswept 900 ${TOKEN}\n$`,
      ),
    );
    expect((await addresses('list', '--hot')).trim().split('\n')).toHaveLength(2);
    for (const one of [
      ['--api-key', 'key-1'],
      ['--integrator', 'shop'],
      ['--integrator', 'integrator-1'],
    ])
      expect(await addresses('list', ...one), one.join(' ')).toMatch(new RegExp(`^1  ${addressOf(2)}  .*key-1.*\n$`));
    expect(await addresses('list', '--api-key', 'none', '--hot')).toContain(addressOf(1));
    expect(await addresses('list', '--api-key', 'none', '--integrator', 'shop')).toBe('no addresses\n');
    expect(await addresses('list', '--chain', '2')).toBe('no addresses\n');
  });

  it('shows one by its address, or by a request', async () => {
    const text = await addresses('show', addressOf(1).toUpperCase().replace('0X', '0x'));
    expect(text).toContain(`${addressOf(1)} on chain 1: strict, made `);
    expect(text).toMatch(new RegExp(`${fundingKey(1)} .* 900 +final +refund +owed, next attempt \\S+`));
    expect(text).toMatch(new RegExp(`${TOKEN} +USDC +900 +900`));
    expect(text).toContain('hold-1');
    expect(await addresses('show', requestId(1))).toBe(text);
    expect(JSON.parse(await addresses('show', requestId(1), '--json'))).toMatchObject({ transferCount: 1 });
  });

  it('has some watched again, and reports which it could not', async () => {
    const [first, unknown] = [addressOf(3), addressOf(999)];
    const text = await addresses('reindex', first, unknown, addressOf(4));
    expect(text).toMatch(/^1 /);
    expect(text).toContain(`${first} is polled with every block again; it holds 900 USDC (smallest unit)`);
    expect(text).toMatch(new RegExp(`^${unknown}: .*404: .*causeway addresses recover`, 'm'));
    const again = await api.store.addresses([3, 4].map((n) => `1:${addressOf(n)}`));
    expect(again.every(({ hotUntil }) => hotUntil > Date.now() + 6 * 24 * HOUR)).toBe(true);
    expect(await addresses('list', '--hot')).toContain(first);
  });

  it('sweeps what waits, once', async () => {
    const swept = await addresses('sweep', addressOf(1));
    expect(swept).toBe(`1 of 1 transfers at ${addressOf(1)} are swept now\n  ${fundingKey(1)}: it is swept now\n`);
    const [leg] = await api.store.legs([legId.sweep(requestId(1), fundingKey(1))]);
    expect(leg).toMatchObject({ state: 'owed', releasedBy: 'operator' });
    expect(leg?.dueAt).toBeLessThanOrEqual(Date.now());
    expect(await addresses('sweep', requestId(1))).toContain('asked for before');
    expect(await addresses('sweep', addressOf(5))).toBe(
      `nothing to do: nothing at ${addressOf(5)} waits for a sweep\n`,
    );
  });

  it('says what it does not understand, and what to do', async () => {
    expect(await addresses('forget')).toMatch(/^2 .*use one of list, show, reindex, sweep, recover/s);
    expect(await addresses('show')).toMatch(/^2 .*ADDRESS\|REQUEST_ID is missing/s);
    expect(await addresses('show', 'a', 'b')).toMatch(/^2 .*unexpected argument b/s);
    expect(await addresses('show', addressOf(1), '--hot')).toMatch(/^2 .*addresses show has no option --hot/s);
    expect(await addresses('list', '--limit', '0')).toMatch(/^2 .*--limit must be 1 or more/s);
    expect(await addresses('list', '--chain', 'alpha')).toMatch(/^2 .*--chain takes a chain id/s);
    expect(await addresses('list', '--chain', '77')).toMatch(/^1 .*400: .*chain 77 is not configured/s);
    expect(await addresses('list', '--integrator', 'unknown')).toMatch(/^2 .*no integrator is called unknown/s);
    expect(await addresses('show', 'nonsense')).toMatch(/^1 .*400: nonsense is no address of a configured chain/s);
    expect(await addresses('show', requestId(500))).toMatch(/^1 .*404: .*causeway addresses recover/s);
    expect(await addresses('recover', 'x', requestId(1))).toMatch(/^2 .*CHAIN_ID is a number/s);
  });
});
