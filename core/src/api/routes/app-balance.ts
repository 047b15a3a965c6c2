import { balanceCurrencies } from '../../capabilities/sponsorship/deposits.js';
import { LINK_LIFE_MS, linkSigned, signerOf } from '../../capabilities/sponsorship/link.js';
import { isLow } from '../../capabilities/sponsorship/low-balances.js';
import { policyOf, SPONSOR_CAPS, useOf, writePolicy } from '../../capabilities/sponsorship/policy.js';
import { balanceView } from '../../capabilities/sponsorship/views.js';
import type { Change } from '../../contract/store.js';
import type { ApiKeyRow } from '../../contract/store-rows.js';
import { balanceDepositId } from '../../domain/app-balance.js';
import { linkMessage } from '../../domain/link-message.js';
import type { PolicyTarget, SponsorPolicy } from '../../domain/sponsor-policy.js';
import { ApiError, apiError, invalidRequest } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { keyState } from '../keys.js';
import { type Caller, ok, type Route, route } from '../route.js';
import { APP_BALANCE, KEY_POLICY, LINK, LINKED, POLICY_CHANGE } from '../schemas/app-balance.js';

type Deps = Pick<ApiDeps, 'store' | 'chains' | 'policy' | 'orderSigner' | 'clock' | 'log'>;

interface AskedPolicy {
  readonly maxPerCall?: string;
  readonly maxPerUser?: string;
  readonly maxPerDay?: string;
  readonly maxPerMonth?: string;
  readonly expiresAt?: string;
  readonly targets?: readonly PolicyTarget[];
}

const shared = { tags: ['Keys'], rate: 'other', access: 'open', scope: 'balance' } as const;

/** What the owner of a key sees and changes of the balance that its integrator pays from. */
export function appBalanceRoutes(deps: Deps): readonly Route[] {
  return [
    route({
      ...shared,
      ...{ method: 'GET', path: '/app-balance', operationId: 'appBalance', summary: 'Balance that sponsors users' },
      description: "App balance of the key's integrator, how to top it up, and the sponsorship policies of its keys.",
      answers: { 200: APP_BALANCE },
      handle: ({ caller }) => owned(caller, (key) => show(deps, key)),
    }),
    route({
      ...shared,
      ...{ method: 'POST', path: '/app-balance/link', operationId: 'linkFundingAddress' },
      summary: 'Link the funding address',
      description:
        'Without `signature`: returns the text that the address must sign. With it, and with the `time` of that text: links the address, and replaces the previous one. A text is valid for ten minutes and for one link.',
      body: LINK,
      answers: { 200: LINKED },
      errors: ['FORBIDDEN', ['INVALID_REQUEST', 409]],
      handle: ({ caller, body }) => owned(caller, (key) => link(deps, key, body)),
    }),
    route({
      ...shared,
      ...{ method: 'POST', path: '/app-balance/policy', operationId: 'setSponsorPolicy' },
      summary: 'Limit what a key sponsors',
      description: 'Replaces the policy of the key; null removes it. Takes effect with the next request.',
      body: POLICY_CHANGE,
      answers: { 200: KEY_POLICY },
      errors: [
        ['INVALID_REQUEST', 404],
        ['INVALID_REQUEST', 409],
      ],
      handle: ({ caller, body }) => owned(caller, (key) => setPolicy(deps, key, body.keyId ?? key.id, body.policy)),
    }),
  ];
}

function owned<T>({ key }: Caller, then: (key: ApiKeyRow) => T): T | ApiError {
  return key === null ? apiError('UNAUTHORIZED') : then(key);
}

async function show(deps: Deps, key: ApiKeyRow) {
  const { store, chains, clock } = deps;
  const { integratorId } = key;
  const [row, keys] = await Promise.all([store.integrator(integratorId), store.apiKeysOf(integratorId)]);
  const active = keys.filter((one) => keyState(one, clock.now()) === 'active');
  const views = await Promise.all(active.map((one) => keyView(deps, one.id)));
  const balance = await balanceView(store, integratorId);
  return ok({
    integratorId,
    ...balance,
    isLow: isLow(deps.policy, BigInt(balance.available)),
    fundingAddress: row?.fundingAddress ?? null,
    deposits: {
      orderId: balanceDepositId(integratorId),
      currencies: balanceCurrencies(deps).flatMap(({ chainId, currency }) => {
        const known = chains.get(chainId)?.currency(currency);
        return known ? [{ chainId, address: currency, symbol: known.symbol, decimals: known.decimals }] : [];
      }),
    },
    keys: views.filter(({ keyId, policy }) => policy !== null || keyId === key.id),
  });
}

async function keyView({ store, clock }: Deps, keyId: string) {
  const [policy, { day, month }] = await Promise.all([policyOf(store, keyId), useOf(store, keyId, null, clock.now())]);
  return { keyId, policy: policy ? policyView(policy) : null, used: { day: day.toString(), month: month.toString() } };
}

function policyView({ expiresAt, ...policy }: SponsorPolicy): unknown {
  const rest = JSON.parse(writePolicy(policy)) as object;
  return { ...rest, ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }) };
}

async function link(
  { store, chains, orderSigner, clock, log }: Deps,
  { integratorId }: ApiKeyRow,
  asked: { readonly fundingAddress: string; readonly time?: string; readonly signature?: string },
) {
  const row = await store.integrator(integratorId);
  if (!row) return invalidRequest('fundingAddress', 'the key has no integrator');
  const now = clock.now();
  const { fundingAddress, signature, time } = asked;
  const service = orderSigner.address;
  if (signature === undefined) {
    const signer = signerOf(chains.values(), fundingAddress);
    if (!signer) return invalidRequest('fundingAddress', 'is no address of a chain whose signatures can be read');
    const { address } = signer;
    const at = new Date(now).toISOString();
    return ok({
      fundingAddress: address,
      message: linkMessage({ service, integratorId, version: row.version, address, time: at }),
      ...{ time: at, expiresAt: new Date(now + LINK_LIFE_MS).toISOString() },
    });
  }
  if (time === undefined) return invalidRequest('time', 'is that of the text that was signed');
  const deps = { store, chains: chains.values(), service };
  const linked = await linkSigned(deps, row, { fundingAddress, time, signature }, now);
  if (linked.ok) {
    log.info({ integrator: integratorId, address: linked.row.fundingAddress }, 'a funding address was linked');
    return ok({ fundingAddress: linked.row.fundingAddress });
  }
  const { code, field, message } = linked;
  const data = { field, reason: message };
  if (code === 'notSigned') return apiError('FORBIDDEN', `${field}: ${message}`, data);
  return new ApiError('INVALID_REQUEST', `${field}: ${message}`, data, code === 'overtaken' ? 409 : 400);
}

async function setPolicy(deps: Deps, key: ApiKeyRow, keyId: string, asked: AskedPolicy | null) {
  const { store, clock, log } = deps;
  const of = keyId === key.id ? key : await store.apiKey(keyId);
  if (of?.integratorId !== key.integratorId) return refusedKey('no key of yours has this id', 404);
  const policy = asked && policyIn(deps, asked);
  if (policy instanceof ApiError) return policy;
  const row = await store.sponsorPolicy(keyId);
  const written = { policy: writePolicy(policy ?? {}), updatedAt: clock.now() };
  const change: Change =
    row === undefined
      ? { op: 'insert', table: 'sponsorPolicies', row: { id: keyId, version: 1, ...written } }
      : { op: 'update', table: 'sponsorPolicies', key: { id: keyId }, version: row.version, set: written };
  const outcome = await store.apply({ name: 'api.setSponsorPolicy', changes: [change] });
  if (!outcome.ok) return refusedKey('its policy was changed at the same time: read it again', 409);
  log.info({ key: keyId, policy: written.policy }, 'a sponsorship policy was set');
  return ok(await keyView(deps, keyId));
}

function refusedKey(reason: string, status: number): ApiError {
  return new ApiError('INVALID_REQUEST', `keyId: ${reason}`, { field: 'keyId', reason }, status);
}

/** Canonical, as calls are compared with it. */
function policyIn({ chains }: Deps, asked: AskedPolicy): SponsorPolicy | ApiError {
  const { expiresAt, targets, ...caps } = asked;
  // A misspelt rule would be one that does not hold.
  const unknown = Object.keys(caps).find((name) => !SPONSOR_CAPS.includes(name as (typeof SPONSOR_CAPS)[number]));
  if (unknown !== undefined) return invalidRequest(`policy.${unknown.slice(0, 40)}`, 'is no rule of a policy');
  const canonical: PolicyTarget[] = [];
  for (const [n, { chainId, address, selectors }] of (targets ?? []).entries()) {
    const parsed = chains.get(chainId)?.parseAddress(address);
    if (!parsed) return invalidRequest(`policy.targets.${n}.chainId`, `chain ${chainId} is not configured`);
    if (!parsed.ok) return invalidRequest(`policy.targets.${n}.address`, parsed.reason);
    const lower = selectors?.map((one) => one.toLowerCase());
    canonical.push({ chainId, address: parsed.value, ...(lower ? { selectors: lower } : {}) });
  }
  const at = expiresAt === undefined ? undefined : Date.parse(expiresAt);
  if (Number.isNaN(at)) return invalidRequest('policy.expiresAt', 'is no time');
  const most = Object.entries(caps).map(([name, value]) => [name, BigInt(value)]);
  return {
    ...(Object.fromEntries(most) as SponsorPolicy),
    ...(at === undefined ? {} : { expiresAt: at }),
    ...(targets === undefined ? {} : { targets: canonical }),
  };
}
