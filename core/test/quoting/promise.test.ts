import { secp256k1 } from '@noble/curves/secp256k1';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { priceExactInput } from '../../src/domain/fees.js';
import { bytesToHex, hexToBytes } from '../../src/domain/hex.js';
import { keccak256 } from '../../src/domain/keccak.js';
import { orderId } from '../../src/domain/order-id.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { systemRandom } from '../../src/host/system-random.js';
import type { QuoteAnswer } from '../../src/quoting/answer.js';
import type { QuoteAsk } from '../../src/quoting/ask.js';
import { addressCodec } from '../../src/quoting/promise.js';
import { createQuoter } from '../../src/quoting/quoter.js';
import { NO_SCREENING } from '../../src/screening/screening.js';
import { secp256k1Signer } from '../../src/signing/secp256k1.js';
import { NATIVE, OTHER_TOKEN, TOKEN } from '../api/support/chain-double.js';
import { ask, POLICY, type RunningApi, runningApi } from '../api/support/running-api.js';

let api: RunningApi;
let stored: QuoteBody | undefined;
beforeAll(async () => {
  api = await runningApi();
});
afterAll(() => api.close());

/** In-memory store: hundreds of quotes without a disk. */
function quoter() {
  const quiet = () => undefined;
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet, child: () => log };
  return createQuoter({
    store: {
      unpaidQuotes: async () => 0,
      ordersByPrefix: async () => [],
      requests: async () => [],
      apply: async ({ changes }) => {
        const [change] = changes;
        if (change?.op === 'insert' && change.table === 'quotes') stored = JSON.parse(change.row.body) as QuoteBody;
        return { ok: true };
      },
    },
    chains: new Map([
      [1, api.a.adapter],
      [2, api.b.adapter],
    ]),
    liquidity: () => [],
    screening: NO_SCREENING,
    prices: { price: ({ group }) => ({ ok: true, usd: group === 'ether' ? '2000' : '1', at: 0 }) },
    engine: {
      available: () => 10n ** 40n,
      volumeLeft: () => null,
      paused: () => null,
      pauseReason: () => null,
      shortOfSpace: () => false,
      unserved: () => null,
      earmark: () => [],
    },
    policy: { ...POLICY, limits: { ...POLICY.limits, maxRequestMicroUsd: null } },
    orderSigner: secp256k1Signer(Buffer.alloc(32, 7)),
    clock: { now: Date.now, monotonic: () => performance.now(), sleep: async () => undefined, every: () => quiet },
    random: systemRandom,
    log,
  });
}

const quote = async (change: object) => {
  const answer = await quoter().quote(ask(change as Record<string, unknown>) as unknown as QuoteAsk, {
    keyId: null,
    party: 'anybody',
    granted: [],
  });
  if (answer instanceof Error) throw answer;
  return answer;
};

describe('the order of a quote', () => {
  it('hashes to its id, differs each time, and ids never meet', async () => {
    const codec = addressCodec(
      new Map([
        [1, api.a.adapter],
        [2, api.b.adapter],
      ]),
    );
    const seen = new Set<string>();
    for (let time = 0; time < 20; time += 1) {
      const { protocol, steps } = await quote({});
      expect(orderId(protocol.v2.orderData, codec)).toBe(protocol.v2.orderId);
      seen
        .add(protocol.v2.orderId)
        .add(steps[0]?.requestId ?? '')
        .add(protocol.v2.orderData.salt);
    }
    expect(seen.size).toBe(60);
  });

  it('belongs to a request whose id begins with its time', async () => {
    const before = Date.now();
    const ids = [await quote({}), await quote({})].map(({ steps }) => steps[0]?.requestId ?? '');
    for (const id of ids) {
      expect(id).toMatch(/^0x[0-9a-f]{64}$/);
      const at = Number.parseInt(id.slice(2, 14), 16);
      expect(at).toBeGreaterThanOrEqual(before);
      expect(at).toBeLessThanOrEqual(Date.now());
    }
    expect(new Set(ids.map((id) => id.slice(14))).size).toBe(2);
  });

  it('is signed by its solver over the bare id', async () => {
    const { protocol } = await quote({ includeProtocolData: true });
    const bytes = hexToBytes(protocol.v2.orderSignature ?? '0x');
    const signature = secp256k1.Signature.fromCompact(bytes.slice(0, 64)).addRecoveryBit((bytes[64] ?? 0) - 27);
    const point = signature.recoverPublicKey(hexToBytes(protocol.v2.orderId)).toRawBytes(false);
    const solver = bytesToHex(keccak256(point.slice(1)).slice(12));
    expect(protocol.v2.orderData.solver).toBe(solver);
  });
});

describe('any quote', () => {
  const currency = fc.constantFrom(NATIVE, TOKEN, OTHER_TOKEN);
  const wish = fc.record({
    originCurrency: currency,
    destinationCurrency: currency,
    tradeType: fc.constantFrom('EXACT_INPUT', 'EXACT_OUTPUT', 'EXPECTED_OUTPUT'),
    amount: fc.bigInt({ min: 1n, max: 10n ** 24n }).map(String),
    slippageTolerance: fc.integer({ min: 0, max: 10_000 }).map(String),
    fee: fc.integer({ min: 0, max: 3_000 }),
  });

  it('adds up to the unit, promises no more than the fee function gives, and answers what it stores', async () => {
    let quoted = 0;
    await fc.assert(
      fc.asyncProperty(wish, async ({ fee, ...change }) => {
        const answer = await quoter().quote(
          ask({ ...change, appFees: [{ recipient: `0x${'7'.repeat(40)}`, fee }] }) as unknown as QuoteAsk,
          { keyId: null, party: 'anybody', granted: [] },
        );
        if (answer instanceof Error) {
          expect(answer.code).toBe('AMOUNT_TOO_LOW');
          return;
        }
        quoted += 1;
        check(answer, stored as QuoteBody);
        const fixed = change.tradeType === 'EXACT_INPUT' ? answer.details.currencyIn : answer.details.currencyOut;
        expect(fixed.amount).toBe(change.amount);
      }),
      { numRuns: 300 },
    );
    expect(quoted).toBeGreaterThan(50);
  });
});

function check({ fees, details, protocol }: QuoteAnswer, body: QuoteBody): void {
  expect(body.amountIn).toBe(details.currencyIn.amount);
  expect(body.amountOut).toBe(details.currencyOut.amount);
  expect(body.minimumAmount).toBe(details.currencyOut.minimumAmount);
  expect(BigInt(body.minimumAmount)).toBeLessThanOrEqual(BigInt(body.amountOut));
  const [payment] = protocol.v2.orderData.output.payments;
  expect(payment).toMatchObject({ minimumAmount: body.minimumAmount, expectedAmount: body.amountOut });
  expect(BigInt(fees.relayer.amount)).toBe(BigInt(fees.relayerGas.amount) + BigInt(fees.relayerService.amount));
  const again = priceExactInput(BigInt(body.amountIn), body.terms);
  if (!again.ok) throw new Error('the stored terms do not price the stored amount');
  expect(again.amounts.amountOut).toBeGreaterThanOrEqual(BigInt(body.amountOut));
  expect(again.amounts.relayerService.toString()).toBe(fees.relayerService.amount);
  expect(again.amounts.app.reduce((sum, fee) => sum + fee, 0n).toString()).toBe(fees.app.amount);
}
