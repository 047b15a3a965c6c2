import type { Sighting } from '@causeway/core';
import { type Provider, reports, type Testimony } from '@causeway/core/rpc';
import { fetchTransaction, wholeTransaction } from './transactions/fetch.js';
import { slotId } from './watch/heads.js';
import { readDeposits, type Vault } from './watch/read-deposits.js';

/** A provider with another slot or another transfer contradicts. */
export async function testify(vault: Vault, { rpc }: Provider, sighting: Sighting): Promise<Testimony> {
  const raw = await fetchTransaction(rpc, sighting.transactionHash);
  if (raw === undefined) return 'nothing';
  const { height, id } = sighting.block;
  if (raw.slot !== height || id !== slotId(raw.slot)) return 'different';
  const reported = readDeposits(vault, wholeTransaction(raw), 'included', { height, id, timestamp: 0 });
  return reports(reported, sighting) ? 'same' : 'different';
}
