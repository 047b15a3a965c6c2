import { describe, expect, it } from 'vitest';
import type { ChainAdapter } from '../../src/contract/index.js';
import { alpha, beta, quoted, quoterWith } from './support/quoter-with.js';

function allowing(value: bigint): ReadonlyMap<number, ChainAdapter> {
  const destination: ChainAdapter = { ...beta.adapter, laneAllowance: () => ({ value, at: 0 }) };
  return new Map([
    [1, alpha.adapter],
    [2, destination],
  ]);
}

describe('a currency that no lane may pay out', () => {
  it('is not promised, and the answer names it', async () => {
    const refused = await quoted(quoterWith({ chains: allowing(0n) }));
    expect(refused).toMatchObject({ code: 'SERVICE_UNAVAILABLE', message: 'USDC on BETA cannot be paid out now' });
  });

  it('is promised as soon as it may', async () => {
    expect(await quoted(quoterWith({ chains: allowing(1n) }))).not.toBeInstanceOf(Error);
  });
});
