import { NotWrittenError, type Store } from '@causeway/core';
import type { Database } from '../database.js';

const missing = (what: string) => new NotWrittenError(what, 'src/reads/deposits.ts');

/** Deposits and executions, as watchers and deciders look for them. Each read sees one committed snapshot; order and bounds of each are said where `Store` declares it. */
export function depositsReads(
  _database: Database,
): Pick<
  Store,
  | 'deposits'
  | 'depositsAbove'
  | 'depositsToFinalise'
  | 'unconfirmed'
  | 'undecided'
  | 'undecidedAt'
  | 'collectable'
  | 'depositsOfCollect'
  | 'depositsAt'
  | 'unswept'
  | 'addresses'
  | 'addressesOf'
  | 'addressesAfter'
  | 'executions'
  | 'executionsOf'
  | 'executionsAbove'
  | 'executionsToFinalise'
> {
  return {
    /** Deposits by their funding keys. */
    deposits: async (_keys) => {
      throw missing('deposits: deposits by their funding keys');
    },
    /** Included deposits above a height. */
    depositsAbove: async (_chainId, _height) => {
      throw missing('depositsAbove: included deposits above a height');
    },
    /** Included deposits at or below a height. */
    depositsToFinalise: async (_chainId, _height, _limit) => {
      throw missing('depositsToFinalise: included deposits at or below a height');
    },
    /** Deposits in the pool. */
    unconfirmed: async (_chainId, _limit) => {
      throw missing('unconfirmed: deposits in the pool');
    },
    /** Deposits that wait for a decision. */
    undecided: async (_chainId, _limit) => {
      throw missing('undecided: deposits that wait for a decision');
    },
    /** Final deposits with something to collect. */
    collectable: async (_chainId, _limit) => {
      throw missing('collectable: final deposits with something to collect');
    },
    /** Deposits of a collect leg. */
    depositsOfCollect: async (_legId) => {
      throw missing('depositsOfCollect: deposits of a collect leg');
    },
    depositsAt: async (_chainId, _addresses) => {
      throw missing('depositsAt: deposits at these deposit addresses, oldest first');
    },
    undecidedAt: async (_chainId, _limit) => {
      throw missing('undecidedAt: those of them that arrived at deposit addresses, oldest first');
    },
    unswept: async (_chainId, _limit) => {
      throw missing('unswept: included or final deposits at deposit addresses that no sweep moved, oldest first');
    },
    addresses: async (_ids) => {
      throw missing('addresses: deposit addresses by id');
    },
    addressesOf: async (_salts) => {
      throw missing('addressesOf: deposit addresses by their requests');
    },
    addressesAfter: async (_chainId, _after, _limit) => {
      throw missing('addressesAfter: deposit addresses of a chain by creation and id, after the given one');
    },
    /** Executions by their ids. */
    executions: async (_ids) => {
      throw missing('executions: executions by their ids');
    },
    /** Executions of requests. */
    executionsOf: async (_requests) => {
      throw missing('executionsOf: executions of requests');
    },
    /** Included executions above a height. */
    executionsAbove: async (_chainId, _height) => {
      throw missing('executionsAbove: included executions above a height');
    },
    /** Included executions at or below a height. */
    executionsToFinalise: async (_chainId, _height, _limit) => {
      throw missing('executionsToFinalise: included executions at or below a height');
    },
  };
}
