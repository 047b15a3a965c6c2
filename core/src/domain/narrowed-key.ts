import type { ApiKeyRow } from '../contract/store-rows.js';

/** What a key may do, and until when. */
export type KeyRights = Pick<ApiKeyRow, 'scopes' | 'tier' | 'privateChains' | 'expiresAt' | 'revokedAt'>;

/** What of its rights a key loses, and in words. */
export interface Narrowed {
  readonly set: Partial<KeyRights>;
  readonly words: readonly string[];
}

/**
 * What a key of a backup must lose because a later ledger had withdrawn it.
 *
 * Invariant: a right is only ever taken. Which of two ledgers is the later one is not known for certain, and what one of
 * them withdrew stays withdrawn: an operator can grant it again, and could not take back what a stranger did meanwhile.
 */
export function narrowedKey(backup: KeyRights, former: KeyRights): Narrowed {
  if (backup.revokedAt !== null) return { set: {}, words: [] };
  if (former.revokedAt !== null) return { set: { revokedAt: former.revokedAt }, words: ['revoked'] };
  const set: { -readonly [Name in keyof KeyRights]?: KeyRights[Name] } = {};
  const words: string[] = [];
  if (former.expiresAt !== null && (backup.expiresAt === null || former.expiresAt < backup.expiresAt)) {
    set.expiresAt = former.expiresAt;
    words.push(`expires at ${new Date(former.expiresAt).toISOString()}`);
  }
  if (backup.tier === 'elevated' && former.tier !== 'elevated') {
    set.tier = former.tier;
    words.push(`${former.tier} rates`);
  }
  const scopes = leftOf(listed(backup.scopes), listed(former.scopes), '*');
  if (scopes) {
    set.scopes = JSON.stringify(scopes);
    words.push(`scopes ${scopes.join(',') || 'none'}`);
  }
  const chains = leftOf(listed(backup.privateChains), listed(former.privateChains));
  if (chains) {
    set.privateChains = JSON.stringify(chains);
    words.push(`private chains ${chains.join(',') || 'none'}`);
  }
  return { set, words };
}

/** Whether a key is accepted at a time, Unix milliseconds. */
export function isAccepted({ revokedAt, expiresAt }: Pick<KeyRights, 'revokedAt' | 'expiresAt'>, at: number): boolean {
  return revokedAt === null && (expiresAt === null || at < expiresAt);
}

/** What both have, where that is less than the first has. @param all stands for everything. */
function leftOf(had: readonly string[], has: readonly string[], all?: string): readonly string[] | undefined {
  if (all !== undefined && has.includes(all)) return undefined;
  if (all !== undefined && had.includes(all)) return has;
  const kept = new Set(has.map((one) => one.toLowerCase()));
  const both = had.filter((one) => kept.has(one.toLowerCase()));
  return both.length === had.length ? undefined : both;
}

function listed(text: string): readonly string[] {
  return JSON.parse(text) as string[];
}
