import type { ApiKeyRow } from '../contract/store-rows.js';

export type KeyRights = Pick<ApiKeyRow, 'scopes' | 'tier' | 'privateChains' | 'expiresAt' | 'revokedAt'>;

export interface Narrowed {
  readonly set: Partial<KeyRights>;
  readonly words: readonly string[];
}

/**
 * Rights that a restored key must lose because a later ledger had withdrawn them.
 *
 * Invariant: rights are only removed, because which ledger is later is uncertain.
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

export function isAccepted({ revokedAt, expiresAt }: Pick<KeyRights, 'revokedAt' | 'expiresAt'>, at: number): boolean {
  return revokedAt === null && (expiresAt === null || at < expiresAt);
}

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
