import type { ChainId } from '../contract/ids.js';
import type { PotKind, PotRef } from '../contract/legs.js';
import { account } from './accounts.js';

export function depositoryPot(owner: string): PotRef {
  return { pot: 'depository', owner };
}

export function lanePot(owner: string): PotRef {
  return { pot: 'lane', owner };
}

const ACCOUNTS: Readonly<Record<PotKind, (chain: ChainId, owner: string, currency: string) => string>> = {
  depository: (chain, _owner, currency) => account.depository(chain, currency),
  lane: account.inventory,
};

export function accountOfPot(chain: ChainId, { pot, owner }: PotRef, currency: string): string {
  return ACCOUNTS[pot](chain, owner, currency);
}
