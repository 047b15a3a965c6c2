import { NotWrittenError, type Store } from '@causeway/core';
import type { Database } from '../database.js';

const missing = (what: string) => new NotWrittenError(what, 'src/reads/operators.ts');

/** What operators and integrators set. Each read sees one committed snapshot; order and bounds of each are said where `Store` declares it. */
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
  | 'meta'
> {
  return {
    /** An API key by its hash. */
    apiKeyByHash: async (_hash) => {
      throw missing('apiKeyByHash: an API key by its hash');
    },
    /** An API key by its id. */
    apiKey: async (_id) => {
      throw missing('apiKey: an API key by its id');
    },
    /** All API keys. */
    apiKeys: async () => {
      throw missing('apiKeys: all API keys');
    },
    /** API keys of an integrator. */
    apiKeysOf: async (_integratorId) => {
      throw missing('apiKeysOf: API keys of an integrator');
    },
    /** An integrator by its id. */
    integrator: async (_id) => {
      throw missing('integrator: an integrator by its id');
    },
    /** All integrators. */
    integrators: async () => {
      throw missing('integrators: all integrators');
    },
    /** What is paused. */
    pauses: async () => {
      throw missing('pauses: what is paused');
    },
    /** Holds by their state. */
    holds: async (_state) => {
      throw missing('holds: holds by their state');
    },
    /** A hold by its id. */
    hold: async (_id) => {
      throw missing('hold: a hold by its id');
    },
    /** Holds of one transaction. */
    holdsOfTransaction: async (_hash, _limit) => {
      throw missing('holdsOfTransaction: holds of one transaction');
    },
    /** A claim of app fees. */
    feeClaim: async (_id) => {
      throw missing('feeClaim: a claim of app fees');
    },
    /** Claims of wallets, newest first. */
    feeClaims: async (_wallets, _limit, _after) => {
      throw missing('feeClaims: claims of wallets, newest first');
    },
    /** What integrators pay of requests, by the requests' ids. */
    sponsorships: async (_requests) => {
      throw missing('sponsorships: what integrators pay of requests');
    },
    /** Reservations that are not ended, oldest first. */
    openSponsorships: async (_after, _limit) => {
      throw missing('openSponsorships: reservations that are not ended');
    },
    /** Changes of an app balance, newest first. */
    balanceEvents: async (_integratorId, _filter, _limit, _after) => {
      throw missing('balanceEvents: changes of an app balance');
    },
    /** What a key may sponsor. */
    sponsorPolicy: async (_keyId) => {
      throw missing('sponsorPolicy: what a key may sponsor');
    },
    /** A fact of the database by its key. */
    meta: async (_key) => {
      throw missing('meta: a fact of the database by its key');
    },
  };
}
