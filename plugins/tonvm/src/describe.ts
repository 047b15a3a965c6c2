import type { BlockRef, TransactionEntry } from '@causeway/core';
import { Address } from '@ton/core';
import { NATIVE, textOf } from './addresses.js';
import { change, type TonTransaction } from './chain/transaction.js';
import type { Depository } from './depository.js';
import { arrivalOf } from './deposits.js';
import type { Trace } from './lane/trace.js';

/** For clients; an external message by the hash that wallets show. */
export function entryOf(
  depository: Depository,
  transaction: TonTransaction,
  trace: Trace | undefined,
  block: BlockRef,
): TransactionEntry {
  const { account, aborted, keptWithoutCode, hash, externalHash, fees, input } = transaction;
  const address = textOf(Address.parse(account));
  const arrival = arrivalOf(depository, transaction);
  return {
    ...{ txHash: externalHash ?? hash, fee: (trace?.fee ?? fees).toString(), block: block.height, type: 'onchain' },
    ...{ chainId: depository.chainId, timestamp: Math.floor(block.timestamp / 1_000) },
    status: aborted && !keptWithoutCode ? 'failure' : 'success',
    data: {
      ...{ account: address, lt: transaction.lt.toString(), hash },
      from: input?.source === undefined ? null : textOf(Address.parse(input.source)),
      transfers: (trace?.outcomes ?? []).flatMap(({ payment, end }) =>
        payment === undefined
          ? []
          : [
              {
                to: textOf(Address.parse(payment.recipient)),
                currency: payment.currency,
                amount: payment.amount.toString(),
                end,
              },
            ],
      ),
    },
    stateChanges: [
      ...[stateChange(address, NATIVE, change(transaction))],
      ...(arrival !== undefined && arrival.currency !== NATIVE
        ? [stateChange(depository.address, arrival.currency, arrival.amount)]
        : []),
    ],
  };
}

function stateChange(address: string, tokenAddress: string, by: bigint) {
  return { address, change: { kind: 'token', balanceDiff: by.toString(), data: { tokenKind: 'ft', tokenAddress } } };
}
