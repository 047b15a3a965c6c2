import type { Sighting } from '@causeway/core';
import { type Provider, reports, type Testimony } from '@causeway/core/rpc';
import { outpointsOf } from './funding-key.js';
import type { RawTransaction } from './raw/transaction.js';
import { blockHash, transaction, ViewMoved } from './rpc/node.js';
import { prevouts } from './rpc/prevouts.js';
import { type DepositReading, readDeposits } from './watch/read-deposits.js';

/** False also for an output at a deposit address that this process does not know yet, so false proves nothing. */
function paysService(
  { chainId, scripts }: DepositReading,
  { outputs }: RawTransaction,
  { fundingKey }: Sighting,
): boolean {
  const paid = (outpointsOf(chainId, fundingKey) ?? []).flatMap(({ vout }) => outputs[vout] ?? []);
  return paid.length === 0 || paid.some(({ script }) => scripts.of(script) !== undefined);
}

/** A provider with another block at that height, or without the transfer in it, contradicts. */
export async function testify(reading: DepositReading, provider: Provider, sighting: Sighting): Promise<Testimony> {
  const { height, id } = sighting.block;
  try {
    const there = await blockHash(provider, height);
    if (there === undefined) return 'nothing';
    if (there !== id) return 'different';
    const tx = await transaction(provider, sighting.transactionHash, id);
    if (tx === undefined) return 'different';
    if (!paysService(reading, tx, sighting)) return 'nothing';
    const block = { height, id, timestamp: 0 };
    const reported = readDeposits(reading, tx, await prevouts(provider, tx, id), { state: 'included', block });
    return reports(reported, sighting) ? 'same' : 'different';
  } catch (error) {
    if (error instanceof ViewMoved) return 'nothing';
    throw error;
  }
}
