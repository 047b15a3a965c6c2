import { afterEach, expect, it } from 'vitest';
import type { ChainAdapter, DepositStepsInput, PayerFunds, PayerFundsWish } from '../../src/contract/index.js';
import { systemRandom } from '../../src/host/system-random.js';
import type { QuoteAsk } from '../../src/quoting/ask.js';
import { createQuoter } from '../../src/quoting/quoter.js';
import { NO_SCREENING } from '../../src/screening/screening.js';
import { secp256k1Signer } from '../../src/signing/secp256k1.js';
import { BURN, chainDouble } from '../api/support/chain-double.js';
import { ask, POLICY, USER } from '../api/support/running-api.js';

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet, child: () => log };
const [a, b] = [chainDouble(1, 'alpha'), chainDouble(2, 'beta')];
afterEach(() => {
  a.reset();
  b.reset();
});

/** Payers' outputs, with recorded questions. */
function chainOf(payerUtxos: NonNullable<ChainAdapter['capabilities']['payerUtxos']> | false) {
  const steps: DepositStepsInput[] = [];
  const depositSteps = (input: DepositStepsInput) => {
    steps.push(input);
    return a.adapter.depositSteps(input);
  };
  return { chain: { ...a.adapter, capabilities: { payerUtxos }, depositSteps }, steps };
}

function quoterOf(chain: ChainAdapter) {
  return createQuoter({
    store: {
      unpaidQuotes: async () => 0,
      ordersByPrefix: async () => [],
      requests: async () => [],
      apply: async () => ({ ok: true }),
    },
    chains: new Map([
      [1, chain],
      [2, b.adapter],
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
    policy: POLICY,
    orderSigner: secp256k1Signer(Buffer.alloc(32, 7)),
    clock: { now: Date.now, monotonic: () => performance.now(), sleep: async () => undefined, every: () => quiet },
    random: systemRandom,
    log,
  });
}

const CALLER = { keyId: null, party: 'anybody', granted: [] };
const asked = (change: Readonly<Record<string, unknown>> = {}) => ask(change) as unknown as QuoteAsk;

it('looks up what the payer can spend, for the amount of the quote, and makes the steps of it', async () => {
  const wishes: PayerFundsWish[] = [];
  const { chain, steps } = chainOf(async (wish) => {
    wishes.push(wish);
    return { ok: true, funds: 'found' };
  });
  const answer = await quoterOf(chain).quote(asked({ additionalData: { userPublicKey: '02ab' } }), CALLER);
  expect(answer).not.toBeInstanceOf(Error);
  expect(wishes).toEqual([{ payer: USER, publicKey: '02ab', amount: BigInt(asked().amount) }]);
  expect(steps[0]?.funds).toBe('found');
});

it('asks no one for a price, nor for a payer who never signs', async () => {
  const { chain, steps } = chainOf(async () => {
    throw new Error('asked');
  });
  expect(await quoterOf(chain).price(asked(), CALLER)).not.toBeInstanceOf(Error);
  expect(await quoterOf(chain).quote(asked({ user: BURN, recipient: USER }), CALLER)).not.toBeInstanceOf(Error);
  expect(steps.map(({ funds }) => funds)).toEqual([undefined, undefined]);
});

it.each<[Exclude<PayerFunds, { ok: true }>['why'], string, object]>([
  ['short', 'INSUFFICIENT_FUNDS', { field: 'user', reason: 'why' }],
  ['publicKey', 'INVALID_REQUEST', { field: 'additionalData.userPublicKey', reason: 'why' }],
  ['payer', 'UNSUPPORTED_EXECUTION_TYPE', { field: 'user', reason: 'why' }],
])('refuses where the problem is %s', async (why, code, errorData) => {
  const { chain } = chainOf(async () => ({ ok: false, why, message: 'why' }));
  expect(await quoterOf(chain).quote(asked(), CALLER)).toMatchObject({ code, errorData });
});

it('says that the look-up failed where it did', async () => {
  const { chain } = chainOf(async () => {
    throw new Error('secret');
  });
  const answer = await quoterOf(chain).quote(asked(), CALLER);
  expect(answer).toMatchObject({ code: 'RPC_HTTP_ERROR', status: 503 });
  expect(String(answer)).not.toContain('secret');
});

it('refuses quotes and prices where no one is configured who could look it up, and says so', async () => {
  const { chain } = chainOf(false);
  const refusal = { code: 'UNSUPPORTED_EXECUTION_TYPE', errorData: { reason: expect.stringContaining('configured') } };
  expect(await quoterOf(chain).quote(asked(), CALLER)).toMatchObject(refusal);
  expect(await quoterOf(chain).price(asked(), CALLER)).toMatchObject(refusal);
});
