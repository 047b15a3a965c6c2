import { afterEach, describe, expect, it } from 'vitest';
import type { ChainAdapter } from '../../src/contract/chain-adapter.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { ApiError } from '../../src/errors/api-error.js';
import { BURN } from '../api/support/chain-double.js';
import { alpha, beta, quoted, quoterWith } from './support/quoter-with.js';

/** Recipients that influence their fill's cost. */
const bodies: QuoteBody[] = [];

afterEach(() => {
  bodies.length = 0;
  alpha.reset();
  beta.reset();
});

function quoterOf(fillCost: NonNullable<ChainAdapter['fillCost']>) {
  return quoterWith({
    chains: new Map([
      [1, alpha.adapter],
      [2, { ...beta.adapter, fillCost }],
    ]),
    store: {
      unpaidQuotes: async () => 0,
      ordersByPrefix: async () => [],
      requests: async () => [],
      apply: async ({ changes }) => {
        for (const change of changes)
          if (change.op === 'insert') bodies.push(JSON.parse((change.row as { body: string }).body) as QuoteBody);
        return { ok: true };
      },
    },
  });
}

const gasOf = async (quoter: ReturnType<typeof quoterOf>): Promise<bigint> => {
  const answer = await quoted(quoter);
  if (answer instanceof Error) throw answer;
  return BigInt(answer.fees.relayerGas.amount);
};

describe('a recipient that takes more work than others', () => {
  it('is charged for it, and for no more than it was tried at', async () => {
    const usual = await gasOf(quoterOf(async () => undefined));
    const native = (beta.state.fill?.native ?? 0n) * 5n;
    const expensive = await gasOf(quoterOf(async () => ({ native, work: 400_000n, at: 0 })));
    expect(expensive).toBeGreaterThan(usual * 2n);
    expect(bodies.map(({ fillWork }) => fillWork)).toEqual([undefined, '400000']);
  });

  it('is not quoted where it cannot be paid, and where no one answers', async () => {
    const refused = { ok: false, kind: 'refused', reason: 'TRANSFER_FAILED', message: 'no' } as const;
    const failed = { ok: false, kind: 'unavailable', reason: 'UNKNOWN', message: 'no' } as const;
    const codeOf = async (fillCost: NonNullable<ChainAdapter['fillCost']>) => {
      const answer = await quoted(quoterOf(fillCost));
      return answer instanceof ApiError ? answer.code : 'OK';
    };
    expect(await codeOf(async () => refused)).toBe('DESTINATION_TX_FAILED');
    expect(await codeOf(async () => failed)).toBe('RPC_HTTP_ERROR');
    expect(await codeOf(() => Promise.reject(new Error('down')))).toBe('RPC_HTTP_ERROR');
    expect(await codeOf(() => new Promise(() => undefined))).toBe('REQUEST_TIMED_OUT');
    expect(bodies).toEqual([]);
  });

  it('is not asked about for a preview', async () => {
    const answer = await quoted(
      quoterOf(() => Promise.reject(new Error('asked'))),
      { user: BURN, recipient: BURN },
    );
    expect(answer).not.toBeInstanceOf(ApiError);
  });
});
