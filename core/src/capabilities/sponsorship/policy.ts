import type { RequestId, UnixMs } from '../../contract/ids.js';
import type { AsOf, Store } from '../../contract/store.js';
import type { ApiKeyRow } from '../../contract/store-rows.js';
import { counter } from '../../domain/accounts.js';
import { isAccepted } from '../../domain/narrowed-key.js';
import {
  judgePolicy,
  type PolicyRefusal,
  type PolicyUse,
  type SponsoredCall,
  type SponsorPolicy,
} from '../../domain/sponsor-policy.js';
import { firstLook } from '../../engine/base/first-look.js';
import type { SponsorCap, Sponsored } from './app-balance.js';

export interface SponsorAsk {
  readonly key: Pick<ApiKeyRow, 'id' | 'integratorId'>;
  readonly requestId: RequestId;
  /** Name of the user's counter; null: unknown. All unknown users share one cap per user. */
  readonly user: string | null;
  /** To reserve, micro-USD, above zero. */
  readonly amount: bigint;
  readonly calls: readonly SponsoredCall[];
}

/**
 * What a key may sponsor by its policy, with the caps of its reservation. A refusal here rests on an earlier reading of
 * the counters; `reserveChanges` enforces the same caps against concurrent requests.
 */
export async function sponsorshipOf(
  store: Pick<Store, 'sponsorPolicy' | 'pot'>,
  ask: SponsorAsk,
  now: UnixMs,
): Promise<{ readonly ok: true; readonly sponsored: Sponsored } | ({ readonly ok: false } & PolicyRefusal)> {
  const { key, requestId, user, amount, calls } = ask;
  const policy = (await policyOf(store, key.id)) ?? {};
  const judged = async (asOf?: AsOf) => {
    const use = await useOf(store, key.id, user, now, { policy, asOf });
    return judgePolicy(policy, { now, amount, calls }, use);
  };
  const refusal = await firstLook(judged, (one) => one !== null);
  if (refusal) return { ok: false, ...refusal };
  const caps = capsOf(key.id, policy, user, now);
  return { ok: true, sponsored: { integratorId: key.integratorId, requestId, amount, caps } };
}

/** The key that sponsors a promise, as it is stored now. */
export interface SponsorKey {
  readonly row: ApiKeyRow;
  readonly policy: SponsorPolicy;
}

export async function sponsorKey(
  store: Pick<Store, 'apiKey' | 'sponsorPolicy'>,
  keyId: string,
): Promise<SponsorKey | undefined> {
  const [row, policy] = await Promise.all([store.apiKey(keyId), policyOf(store, keyId)]);
  return row && { row, policy: policy ?? {} };
}

/**
 * Whether the key of a promise may still spend the balance: it may have been revoked, or its policy lowered, since the
 * promise. Its caps are those of `capsNow`.
 */
export function mayStillSpend(
  key: SponsorKey | undefined,
  { integratorId, amount, calls }: Pick<SponsorAsk, 'amount' | 'calls'> & { readonly integratorId: string },
  now: UnixMs,
): boolean {
  if (key === undefined || key.row.integratorId !== integratorId || !isAccepted(key.row, now)) return false;
  const scopes = JSON.parse(key.row.scopes) as readonly string[];
  if (!scopes.includes('*') && !scopes.includes('execute')) return false;
  const { maxPerUser: _user, maxPerDay: _day, maxPerMonth: _month, ...rules } = key.policy;
  return judgePolicy(rules, { now, amount, calls }, NOTHING_USED) === null;
}

const NOTHING_USED: PolicyUse = { day: 0n, month: 0n, user: 0n };

/** The promised caps, each lowered to its present value, and caps that were added to the policy since. */
export function capsNow(
  promised: readonly SponsorCap[],
  { row, policy }: SponsorKey,
  user: string,
  now: UnixMs,
): readonly SponsorCap[] {
  const present = capsOf(row.id, policy, user, now);
  const lower = (one: SponsorCap, other: SponsorCap | undefined): SponsorCap =>
    other?.most !== undefined && (one.most === undefined || other.most < one.most) ? other : one;
  const names = new Set(promised.map(({ account }) => account));
  return [
    ...promised.map((cap) =>
      lower(
        cap,
        present.find(({ account }) => account === cap.account),
      ),
    ),
    ...present.filter(({ account, most }) => most !== undefined && !names.has(account)),
  ];
}

/** Undefined: the key has none. */
export async function policyOf(store: Pick<Store, 'sponsorPolicy'>, keyId: string): Promise<SponsorPolicy | undefined> {
  const row = await store.sponsorPolicy(keyId);
  return row && readPolicy(row.policy);
}

/**
 * What a key sponsored today, this month, and for the user today. Micro-USD.
 *
 * @param capped reads only counters with a cap in this policy, the others are returned as zero; absent: reads all.
 */
export async function useOf(
  store: Pick<Store, 'pot'>,
  keyId: string,
  user: string | null,
  now: UnixMs,
  capped?: { readonly policy: SponsorPolicy; readonly asOf: AsOf | undefined },
): Promise<PolicyUse> {
  const { day, month, ofUser } = countersOf(keyId, user, now);
  const read = async (account: string, cap: 'maxPerDay' | 'maxPerMonth' | 'maxPerUser') =>
    capped && capped.policy[cap] === undefined ? 0n : store.pot(account, capped?.asOf);
  const [daily, monthly, users] = await Promise.all([
    read(day, 'maxPerDay'),
    read(month, 'maxPerMonth'),
    read(ofUser, 'maxPerUser'),
  ]);
  return { day: daily, month: monthly, user: users };
}

/** Days and months are counted for every key; users only with a cap, as anyone can invent more of them. */
function capsOf(keyId: string, policy: SponsorPolicy, user: string | null, now: UnixMs): readonly SponsorCap[] {
  const { day, month, ofUser } = countersOf(keyId, user, now);
  const { maxPerDay, maxPerMonth, maxPerUser } = policy;
  return [
    maxPerDay === undefined ? { account: day } : { account: day, most: maxPerDay, rule: 'maxPerDay' },
    maxPerMonth === undefined ? { account: month } : { account: month, most: maxPerMonth, rule: 'maxPerMonth' },
    ...(maxPerUser === undefined ? [] : [{ account: ofUser, most: maxPerUser, rule: 'maxPerUser' as const }]),
  ];
}

export function countersOf(keyId: string, user: string | null, now: UnixMs) {
  const day = new Date(now).toISOString().slice(0, 10);
  return {
    day: counter.sponsored(keyId, day),
    month: counter.sponsored(keyId, day.slice(0, 7)),
    ofUser: counter.sponsoredUser(keyId, day, user ?? ''),
  };
}

export const SPONSOR_CAPS = ['maxPerCall', 'maxPerUser', 'maxPerDay', 'maxPerMonth'] as const;

/** Of what `writePolicy` wrote. */
export function readPolicy(text: string): SponsorPolicy {
  const { expiresAt, targets, ...caps } = JSON.parse(text) as Readonly<Record<string, string>> & SponsorPolicy;
  const most = SPONSOR_CAPS.flatMap((name) => (caps[name] === undefined ? [] : [[name, BigInt(caps[name])]]));
  return {
    ...(Object.fromEntries(most) as SponsorPolicy),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(targets === undefined ? {} : { targets }),
  };
}

export function writePolicy(policy: SponsorPolicy): string {
  return JSON.stringify(policy, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
}
