import type { Sighting } from '@causeway/core';
import { type Provider, reports, type Testimony } from '@causeway/core/rpc';
import { isNative } from './addresses.js';
import { readFunding } from './deposit-addresses/funding.js';
import { fetchTransaction, wholeTransaction } from './transactions/fetch.js';
import type { ReadTransaction } from './transactions/read.js';
import { arrivalAt, type WatchedAccount } from './watch/addresses/arrivals.js';
import { slotId } from './watch/heads.js';
import { readDeposits, type Vault } from './watch/read-deposits.js';

/** A provider with another slot or another transfer contradicts. */
export async function testify(vault: Vault, { rpc }: Provider, sighting: Sighting): Promise<Testimony> {
  const raw = await fetchTransaction(rpc, sighting.transactionHash);
  if (raw === undefined) return 'nothing';
  const { height, id } = sighting.block;
  if (raw.slot !== height || id !== slotId(raw.slot)) return 'different';
  const read = wholeTransaction(raw);
  const block = { height, id, timestamp: 0 };
  const funding = readFunding(sighting.fundingKey);
  if (funding !== undefined) {
    // The address stays empty: the ledger has the deposit address of this account.
    const watched = { address: '', account: funding.account, currency: sighting.currency };
    const arrival = arrivalAt(vault, watched, read, block);
    return arrival !== undefined && isOfCurrency(read, watched) && reports([arrival], sighting) ? 'same' : 'different';
  }
  const reported = readDeposits(vault, read, 'included', block);
  return reports(reported, sighting) ? 'same' : 'different';
}

function isOfCurrency({ tokens }: ReadTransaction, { account, currency }: WatchedAccount): boolean {
  return isNative(currency) || tokens.get(account)?.mint === currency;
}
