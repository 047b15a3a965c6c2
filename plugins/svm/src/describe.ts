import type { TransactionEntry } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import { isSignature } from './addresses.js';
import type { ChainConfig } from './chain-config.js';
import { feeOf } from './effects.js';
import { stateChanges } from './state-changes.js';
import { fillersOf, type Solver } from './transactions/build.js';
import { fetchTransaction } from './transactions/fetch.js';
import { readTransaction } from './transactions/read.js';
import { blockAt } from './watch/heads.js';

/** Entry of the request record for any confirmed transaction; undefined while unconfirmed. */
export async function describeTransaction(
  provider: Provider,
  { facts, currencies }: Pick<ChainConfig, 'facts' | 'currencies'>,
  solver: Solver,
  hash: string,
): Promise<TransactionEntry | undefined> {
  if (!isSignature(hash)) return undefined;
  const raw = await fetchTransaction(provider.rpc, hash);
  if (raw === undefined) return undefined;
  const transaction = readTransaction(raw);
  const { timestamp } = await blockAt(provider, transaction.slot);
  const { payer, instructions } = transaction;
  // For the solver's transactions all movements are known, hence the cost; wallets may do more than a deposit.
  const fee = fillersOf(solver).includes(payer) ? feeOf(solver, transaction) : BigInt(raw.meta?.fee ?? 0);
  return {
    txHash: transaction.signature,
    fee: fee.toString(),
    block: transaction.slot,
    type: 'onchain',
    chainId: facts.id,
    timestamp: Math.floor(timestamp / 1_000),
    status: transaction.ok ? 'success' : 'failure',
    data: {
      from: payer,
      instructions: instructions
        .filter(({ path }) => !path.includes('.'))
        .map(({ program, accounts, data }) => ({
          programId: program,
          accounts,
          data: Buffer.from(data).toString('hex'),
        })),
    },
    ...stateChanges(transaction).listed((currency) => currencies.has(currency)),
  };
}
