import { NotWrittenError, type Store } from '@causeway/core';
import type { Database } from '../database.js';

const missing = (what: string) => new NotWrittenError(what, 'src/reads/operators.ts');

/**
 * Reads of API keys, integrators, holds, claims, balances and other data that operators and integrators set.
 *
 * Each read returns one committed snapshot. `Store` documents order and limits of each method.
 */
export function operatorsReads(
  _database: Database,
): Pick<
  Store,
  | 'apiKeyByHash'
  | 'apiKey'
  | 'apiKeys'
  | 'apiKeysOf'
  | 'integrator'
  | 'integrators'
  | 'pauses'
  | 'holds'
  | 'hold'
  | 'holdsOfTransaction'
  | 'feeClaim'
  | 'feeClaims'
  | 'sponsorships'
  | 'openSponsorships'
  | 'balanceEvents'
  | 'sponsorPolicy'
  | 'postings'
  | 'meta'
> {
  return {
    apiKeyByHash: async (_hash) => {
      throw missing('apiKeyByHash: return an API key by its hash');
    },
    apiKey: async (_id) => {
      throw missing('apiKey: return an API key by id');
    },
    apiKeys: async () => {
      throw missing('apiKeys: return all API keys, oldest first');
    },
    apiKeysOf: async (_integratorId) => {
      throw missing('apiKeysOf: return API keys of an integrator, oldest first');
    },
    integrator: async (_id) => {
      throw missing('integrator: return an integrator by id');
    },
    integrators: async () => {
      throw missing('integrators: return all integrators, oldest first');
    },
    pauses: async () => {
      throw missing('pauses: return all pauses');
    },
    holds: async (_state) => {
      throw missing('holds: return holds by state');
    },
    hold: async (_id) => {
      throw missing('hold: return a hold by id');
    },
    holdsOfTransaction: async (_hash, _limit) => {
      throw missing('holdsOfTransaction: return holds of one transaction, open ones first');
    },
    feeClaim: async (_id) => {
      throw missing('feeClaim: return a claim of app fees by id, with its leg');
    },
    feeClaims: async (_wallets, _limit, _after) => {
      throw missing('feeClaims: return claims by these wallets, newest first');
    },
    sponsorships: async (_requests) => {
      throw missing('sponsorships: return sponsorships by the ids of their requests');
    },
    openSponsorships: async (_after, _limit) => {
      throw missing('openSponsorships: return sponsorships that are still reserved, oldest first');
    },
    balanceEvents: async (_integratorId, _filter, _limit, _after) => {
      throw missing('balanceEvents: return changes of an app balance, newest first');
    },
    sponsorPolicy: async (_keyId) => {
      throw missing('sponsorPolicy: return the limits of what an API key may sponsor');
    },
    postings: async (_from, _to, _limit, _after) => {
      throw missing('postings: return the lines of the books of a period, oldest first');
    },
    meta: async (_key) => {
      throw missing('meta: return a fact about the database by its key');
    },
  };
}
