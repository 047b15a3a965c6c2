import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/errors/api-error.js';
import { POLICY } from '../api/support/running-api.js';
import { detailsOf, pricesOf, quoted, quoterWith } from './support/quoter-with.js';

/** One dollar coin on two chains that may depeg; only two units of gas and the price charge are taken. */
const policy = { ...POLICY, routeFees: [{ bps: 0, floorMicroUsd: 0n }], mostPartedBps: 100 };

const at = (alpha: string, beta: string) =>
  quoterWith({ policy, prices: pricesOf({ ether: '0.000001', '1:usd-coin': alpha, '2:usd-coin': beta }) });

async function outOf(alpha: string, beta: string): Promise<number> {
  return Number((await detailsOf(at(alpha, beta))).currencyOut.amount);
}

describe('members of one group', () => {
  it('are exchanged one to one at equal prices, and where what goes out is more expensive by nothing', async () => {
    expect(await outOf('1', '1')).toBe(99_999_998);
  });

  it('give no more than one for one where what goes out has become cheaper', async () => {
    expect(await outOf('1', '0.995')).toBe(99_999_998);
  });

  it('are taken at their own price where they are worth less', async () => {
    expect(await outOf('0.995', '1')).toBe(99_499_998);
  });

  it('are not exchanged at all once they have parted', async () => {
    for (const [alpha, beta] of [
      ['0.60', '1'],
      ['1', '0.60'],
      ['0.9899', '1'],
    ] as const) {
      const refused = await quoted(at(alpha, beta));
      expect(refused).toBeInstanceOf(ApiError);
      expect((refused as ApiError).code).toBe('ROUTE_TEMPORARILY_RESTRICTED');
    }
    expect(await outOf('0.99', '1')).toBe(98_999_998);
  });
});

it('limits count the more expensive side', async () => {
  const limits = { ...POLICY.limits, maxRequestMicroUsd: 100_200_000n };
  const quoter = (alpha: string, beta: string) =>
    quoterWith({
      policy: { ...policy, limits },
      prices: pricesOf({ ether: '0.000001', '1:usd-coin': alpha, '2:usd-coin': beta }),
    });
  expect(await quoted(quoter('1', '1'))).not.toBeInstanceOf(ApiError);
  // The output is worth more than the input.
  expect(await quoted(quoter('1', '1.009'))).not.toBeInstanceOf(ApiError);
  expect(await quoted(quoter('1.009', '1'))).toMatchObject({ code: 'INSUFFICIENT_LIQUIDITY' });
});
