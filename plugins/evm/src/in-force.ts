import type { Hex, LegCheck } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import { AUTHORIZATION_GAS, type Authorization, asTried, signerOf } from './authorizations.js';
import { quantity } from './rpc/types.js';
import { refusedBeforehand, type Tried } from './try-call.js';

type Refusal = Extract<LegCheck, { ok: false }>;

const BARE_GAS = 21_000n;

const reckons = new WeakSet<Provider>();

const UNTRIED: Refusal = Object.freeze({
  ok: false,
  kind: 'unavailable',
  reason: 'UNKNOWN',
  message: 'the provider tries no authorizations',
});

/**
 * Why an authorization would be skipped; undefined if all take effect. The transaction succeeds regardless, but its
 * calls find no code.
 *
 * @throws TransportError, RpcError when the provider does not answer.
 */
export async function whyPassedOver(
  provider: Provider,
  from: string,
  authorizations: readonly Authorization[],
): Promise<Refusal | undefined> {
  if (authorizations.length === 0) return undefined;
  if (!(await reckonsWith(provider, from, authorizations))) return UNTRIED;
  const found = await Promise.all(authorizations.map((one, index) => whyNot(provider, one, index + 1)));
  const message = found.find((why) => why !== undefined);
  return message === undefined ? undefined : { ok: false, kind: 'refused', reason: 'INVALID_NONCE', message };
}

/**
 * Invariant: an earlier refusal, such as a skipped authorization, counts only if the later trial proves that the
 * order was not filled before. A fill uses up its authorizations' nonces, so those of a filled order are always
 * skipped.
 */
export function unlessFilled(beforehand: Refusal | undefined, tried: Tried): Refusal | undefined {
  if (beforehand?.kind !== 'refused') return beforehand;
  const proven = tried.is === 'done' || tried.is === 'tooMuch' || tried.is === 'reverted';
  return proven && !refusedBeforehand(tried) ? beforehand : undefined;
}

async function whyNot(provider: Provider, one: Authorization, n: number): Promise<string | undefined> {
  const account = signerOf(one);
  const stands = BigInt(await provider.rpc.request<Hex>('eth_getTransactionCount', [account, 'latest']));
  // guard: authorization-nonce
  return stands === BigInt(one.nonce)
    ? undefined
    : `authorization ${n} is for nonce ${one.nonce} of ${account}, which stands at ${stands}`;
}

/** A node that ignores unknown fields would estimate calls to accounts without their code and report success. */
async function reckonsWith(
  provider: Provider,
  from: string,
  authorizations: readonly Authorization[],
): Promise<boolean> {
  const { home = provider } = provider;
  if (reckons.has(home)) return true;
  const asked = { from, to: from, value: quantity(0n), authorizationList: authorizations.map(asTried) };
  const estimated = BigInt(await provider.rpc.request<Hex>('eth_estimateGas', [asked, 'latest']));
  if (estimated < BARE_GAS + AUTHORIZATION_GAS * BigInt(authorizations.length)) return false;
  reckons.add(home);
  return true;
}
