import type { DepositObservation } from '@causeway/core';
import type { HttpClient, Provider } from '@causeway/core/rpc';
import { isTokenProgram } from '../programs.js';
import { type Blocks, type Touch, touchIn } from '../transactions/block-accounts.js';
import { fetchListed } from '../transactions/fetch.js';
import { blockAt, slotId } from './heads.js';
import { readDeposits, type Vault } from './read-deposits.js';

type Place = { readonly signature: string; readonly slot: number };

/**
 * Reported as included: the caller knows which slots are final.
 *
 * @throws RpcError, TransportError, Error: it cannot be read.
 */
export async function depositsIn(
  vault: Vault,
  provider: Provider,
  place: Place,
  onForeign: (mint: string) => void,
): Promise<readonly DepositObservation[]> {
  const read = await fetchListed(provider.rpc, place);
  const { slot } = place;
  const found = readDeposits(vault, read, 'included', { height: slot, id: slotId(slot), timestamp: 0 }, onForeign);
  // The common case needs no query of the block time.
  if (found.length === 0) return found;
  const block = await blockAt(provider, slot);
  return found.map((one) => ({ ...one, block }));
}

/**
 * Whether an unreadable transaction paid nothing in, by the balances in its block.
 * @throws RpcError, TransportError.
 */
export async function broughtNothing(vault: Vault, blocks: Blocks, rpc: HttpClient, place: Place): Promise<boolean> {
  const touch = await touchIn(blocks, rpc, place);
  return touch !== undefined && isNothing(vault, touch);
}

function isNothing({ address, accounts }: Vault, { ok, lamports, tokens }: Touch): boolean {
  if (!ok) return true;
  if (lamports.some(({ account, before, after }) => account === address && after > before)) return false;
  const ours = tokens.filter(({ account, owners }) => accounts.has(account) || owners.includes(address));
  if (ours.some(({ before, after }) => after > before)) return false;
  // Nodes show token balances only where a token program is named, without which no token moves.
  const reported = new Set(tokens.map(({ account }) => account));
  const isUnreported = lamports.some(({ account }) => accounts.has(account) && !reported.has(account));
  return !isUnreported || !lamports.some(({ account }) => isTokenProgram(account));
}
