import { NotWrittenError, type Store } from '@causeway/core';
import type { Database } from '../database.js';

const missing = (what: string) => new NotWrittenError(what, 'src/reads/deposits.ts');

/**
 * Reads of deposits, deposit addresses and executions.
 *
 * Each read returns one committed snapshot. `Store` documents order and limits of each method.
 */
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
  | 'nonceMappings'
  | 'executions'
  | 'executionsOf'
  | 'executionsAbove'
  | 'executionsToFinalise'
> {
  return {
    deposits: async (_keys) => {
      throw missing('deposits: return deposits by their funding keys');
    },
    depositsAbove: async (_chainId, _height) => {
      throw missing('depositsAbove: return `included` deposits of a chain above a height');
    },
    depositsToFinalise: async (_chainId, _height, _limit) => {
      throw missing('depositsToFinalise: return `included` deposits of a chain at or below a height, oldest first');
    },
    unconfirmed: async (_chainId, _limit) => {
      throw missing('unconfirmed: return `mempool` deposits of a chain, oldest first');
    },
    undecided: async (_chainId, _limit) => {
      throw missing('undecided: return deposits with decision `waiting`, in a block, oldest first');
    },
    collectable: async (_chainId, _limit) => {
      throw missing('collectable: return final, settled deposits with an amount to collect, oldest first');
    },
    depositsOfCollect: async (_legId) => {
      throw missing('depositsOfCollect: return deposits that a collect leg moves');
    },
    depositsAt: async (_chainId, _addresses) => {
      throw missing('depositsAt: return deposits at these deposit addresses, oldest first');
    },
    undecidedAt: async (_chainId, _limit) => {
      throw missing('undecidedAt: return the deposits of `undecided` that arrived at deposit addresses, oldest first');
    },
    unswept: async (_chainId, _after, _limit) => {
      throw missing(
        'unswept: return `included` or `final` deposits at deposit addresses that no sweep has moved, oldest first',
      );
    },
    addresses: async (_ids) => {
      throw missing('addresses: return deposit addresses by id');
    },
    addressesOf: async (_salts) => {
      throw missing('addressesOf: return deposit addresses by the ids of their requests');
    },
    addressesAfter: async (_chainId, _after, _limit) => {
      throw missing('addressesAfter: return deposit addresses of a chain in order, after a position');
    },
    nonceMappings: async (_ids) => {
      throw missing('nonceMappings: return nonce mappings by id');
    },
    executions: async (_ids) => {
      throw missing('executions: return executions by id');
    },
    executionsOf: async (_requests) => {
      throw missing('executionsOf: return executions by the ids of their requests');
    },
    executionsAbove: async (_chainId, _height) => {
      throw missing('executionsAbove: return `included` executions of a chain above a height');
    },
    executionsToFinalise: async (_chainId, _height, _limit) => {
      throw missing('executionsToFinalise: return `included` executions of a chain at or below a height, lowest first');
    },
  };
}
