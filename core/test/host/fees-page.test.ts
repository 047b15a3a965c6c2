import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { movedBps, skewBps, volatilityBps } from '../../src/domain/moving-fees.js';
import { servicePolicy } from '../../src/host/config/policy.js';
import { ROOT_SCHEMA } from '../../src/host/config/root-schema.js';
import { validateAgainst } from '../../src/host/config/schema-validator.js';
import type { RootOptions } from '../../src/host/config/service-options.js';

const page = readFileSync(new URL('../../docs/fees.md', import.meta.url), 'utf8');

function policyOf(service: object) {
  const root = {
    service: { network: 'local', orderSigner: 'env:KEY', ...service },
    plugins: [],
  } as unknown as RootOptions;
  expect(validateAgainst(ROOT_SCHEMA, root)).toEqual([]);
  return servicePolicy(root.service, 'chain', new Map());
}

it('costs what the page about fees says, under the configuration that it shows', () => {
  const [, yaml = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  const { service } = parse(yaml) as { readonly service: object };
  const { routeFees, movingFees } = policyOf(service);
  const usual = routeFees[0]?.bps ?? 0;
  const { skew, volatility } = movingFees ?? {};
  if (!movingFees || !skew || !volatility) throw new Error('the page shows both');
  const [big] = skew.weights;
  // One of two equal chains next to the named one.
  const pot = (held: bigint, taken: bigint) => ({
    held,
    taken,
    total: 1_000_000n,
    weight: 1,
    weights: 2 + (big?.weight ?? 0),
  });
  const fee = (held: bigint, taken: bigint) => movedBps(movingFees, usual, skewBps(skew, pot(held, taken)), 0);
  expect([fee(150_000n, 50_000n), fee(150_000n, 1_000n), fee(300_000n, 0n)]).toEqual([8 + 20, 8 + 11, 8 - 3]);
  expect(volatilityBps(volatility, 200)).toBe(15);
  for (const said of ['8 + 20', '8 + 11', '8 - 3', '15 bps']) expect(page.replaceAll('\n', ' ')).toContain(said);
});

it('does not move unless it is asked to, and rates are not fixed', () => {
  expect(policyOf({}).movingFees).toBeUndefined();
  expect(policyOf({ fees: { dynamic: { leastBps: 3 } } }).movingFees).toBeUndefined();
  expect(policyOf({}).fixedRate).toBeUndefined();
  expect(policyOf({ fixedRate: { maxHeldUsdPerKey: '10', maxHeldUsd: '20.5' } }).fixedRate).toEqual({
    validityMs: 30_000,
    fee: {
      classes: [
        { groups: ['usd-coin', 'tether', 'dai'], bps: 3, perRootMinuteBps: 2 },
        { bps: 10, perRootMinuteBps: 20 },
      ],
    },
    maxHeldMicroUsdPerKey: 10_000_000n,
    maxHeldMicroUsd: 20_500_000n,
  });
});
