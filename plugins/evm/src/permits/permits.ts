import type { Asker, ChainCapabilities, Clock, Permits } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import { isNative } from '../addresses.js';
import { brief } from '../brief.js';
import type { ChainConfig } from '../chain-config.js';
import type { CheckDeps } from '../check.js';
import { costOfWork, withBuffer } from '../costs.js';
import { judgePermit } from './judge.js';
import { type OfferDeps, offerPermit } from './offer.js';
import type { PermitTerms } from './terms.js';
import { PermitsOfTokens } from './token-permits.js';

/** Most of the three kinds on contracts/ (156,000, contracts/gas.md), and 44,000 for a token's own code. */
const PERMIT_GAS = 200_000n;
/** Of a transaction with a permit, envelope included. */
const PERMIT_BYTES = 650;

/**
 * None without the contract that makes such deposits.
 *
 * @param sender of the deposits, lower case; undefined: none is configured.
 */
export function permitsOf(
  config: ChainConfig,
  checker: CheckDeps,
  sender: string | undefined,
  clock: Pick<Clock, 'now'>,
): Pick<ChainCapabilities, 'permits'> {
  const { permitEntry: entry, permit2, facts, gas } = config;
  if (entry === undefined || sender === undefined) return {};
  const { fees, providers, turns } = checker;
  const place = { chainId: facts.id, entry, ...(permit2 === undefined ? {} : { permit2 }) };
  const offering: OfferDeps = { config, fees, place, tokens: new PermitsOfTokens(facts.id, clock) };
  const judging = { ...checker, sender, place };
  const ask = async <T>(asker: Asker, of: (provider: Provider) => Promise<T>) => {
    try {
      const answer = await turns.take(asker, () => providers.onSide('trials', of, asker.signal));
      return answer ?? ({ is: 'unavailable', message: 'too many calls are tried at once' } as const);
    } catch (error) {
      return { is: 'unavailable', message: brief(error instanceof Error ? error.message : String(error)) } as const;
    }
  };
  const permits: Permits = {
    cost: (currency: string) => {
      const data = fees.dataFee(PERMIT_BYTES);
      if (isNative(currency) || data === undefined) return undefined;
      const work = withBuffer(PERMIT_GAS + data.gas, gas.costBuffer);
      const cost = costOfWork(fees, gas, work, PERMIT_BYTES);
      return cost && { ...cost, work };
    },
    offer: (wish, asker) => ask(asker, (provider) => offerPermit(offering, provider, wish)),
    judge: (terms, signature, work, asker) =>
      ask(asker, (provider) => judgePermit(judging, provider, JSON.parse(terms) as PermitTerms, signature, work)),
  };
  return { permits: Object.freeze(permits) };
}
