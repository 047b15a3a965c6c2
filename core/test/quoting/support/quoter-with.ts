import type { PriceBook } from '../../../src/domain/price-book.js';
import type { ApiError } from '../../../src/errors/api-error.js';
import { systemRandom } from '../../../src/host/system-random.js';
import type { QuoteAnswer } from '../../../src/quoting/answer.js';
import type { QuoteAsk, QuoteCaller } from '../../../src/quoting/ask.js';
import type { PlanStage } from '../../../src/quoting/plan-stage.js';
import { createQuoter, type Quoter } from '../../../src/quoting/quoter.js';
import type { QuotingDeps } from '../../../src/quoting/quoting-deps.js';
import { NO_SCREENING } from '../../../src/screening/screening.js';
import { secp256k1Signer } from '../../../src/signing/secp256k1.js';
import { chainDouble } from '../../api/support/chain-double.js';
import { ask, POLICY } from '../../api/support/running-api.js';

const quiet = () => undefined;
export const log = { debug: quiet, info: quiet, warn: quiet, error: quiet, child: () => log };

export const alpha = chainDouble(1, 'alpha');
export const beta = chainDouble(2, 'beta');

/** Equal on every chain, by group, with a chosen age. */
export function pricesOf(usd: Readonly<Record<string, string>>, at = () => Date.now()): PriceBook {
  return {
    price: ({ chainId, group }) => ({ ok: true, usd: usd[`${chainId}:${group}`] ?? usd[group] ?? '1', at: at() }),
  };
}

/** A store that accepts everything. */
export function quoterWith(more: Partial<QuotingDeps>, stages?: readonly PlanStage[]): Quoter {
  const deps: QuotingDeps = {
    store: {
      unpaidQuotes: async () => 0,
      ordersByPrefix: async () => [],
      requests: async () => [],
      apply: async () => ({ ok: true }),
    },
    chains: new Map([
      [1, alpha.adapter],
      [2, beta.adapter],
    ]),
    liquidity: () => [],
    screening: NO_SCREENING,
    prices: pricesOf({ ether: '2000' }),
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
    ...more,
  };
  return createQuoter(deps, stages);
}

export function quoted(
  quoter: Quoter,
  change: Readonly<Record<string, unknown>> = {},
  by: QuoteCaller | string = 'anybody',
): Promise<QuoteAnswer | ApiError> {
  return quoter.quote(
    ask(change) as unknown as QuoteAsk,
    typeof by === 'string' ? { keyId: null, party: by, granted: [] } : by,
  );
}

/** @throws where it is refused. */
export async function detailsOf(
  quoter: Quoter,
  change: Readonly<Record<string, unknown>> = {},
): Promise<QuoteAnswer['details']> {
  const answer = await quoted(quoter, change);
  if (answer instanceof Error) throw answer;
  return answer.details;
}
