import type { Hex, PermitTrial } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import { erc20Abi } from '../abi.js';
import { brief } from '../brief.js';
import type { CheckDeps } from '../check.js';
import { trialTerms } from '../fees.js';
import { tryRawCall } from '../gasless/try-raw-call.js';
import { permit2Abi, permitTokenAbi } from './abi.js';
import { permitCall } from './encode.js';
import { readAnswer } from './read.js';
import { isHighS, keySignature, recovered } from './signature.js';
import { spenderOf } from './spender.js';
import type { PermitTerms } from './terms.js';
import { digestOf, type PermitPlace, typedData } from './typed-data.js';

export interface JudgeDeps extends CheckDeps {
  /** Lower case. */
  readonly sender: string;
  readonly place: PermitPlace;
}

type Refused = Extract<PermitTrial, { is: 'refused' }>;

const HEX = /^0x(?:[0-9a-f]{2})+$/;
const MAX_SIGNATURE_BYTES = 2_048;

/** @throws TransportError, RpcError when the provider does not answer. */
export async function judgePermit(
  deps: JudgeDeps,
  provider: Provider,
  terms: PermitTerms,
  text: string,
  work: bigint,
): Promise<PermitTrial> {
  const { place, sender, fees } = deps;
  const signature = text.toLowerCase() as Hex;
  if (!HEX.test(signature) || signature.length / 2 - 1 > MAX_SIGNATURE_BYTES)
    return invalid('the signature is no hex of a usual length');
  const key = keySignature(signature);
  // guard: permit-low-s
  if (key !== undefined && isHighS(key)) return invalid('the signature is the twin with the higher s');
  const code = await provider.rpc.request<Hex>('eth_getCode', [terms.payer, 'latest']);
  // guard: permit-signer
  if (code === '0x') {
    if (key === undefined) return invalid('the signature is not 65 bytes r, s and v');
    const signer = recovered(digestOf(typedData(place, terms)), key);
    if (signer === undefined) return invalid('no key made the signature');
    if (signer !== terms.payer)
      return refused('INVALID_SIGNER', `it was not signed by ${terms.payer}, or for something else`);
  }
  const data = permitCall(terms, signature, key);
  if (data === undefined) return invalid('the signature is not 65 bytes r, s and v');
  const short = await whyShort(place, provider, terms);
  if (short !== undefined) return short;
  const now = trialTerms(fees);
  if (now === undefined) return { is: 'unavailable', message: 'no fresh fee sample' };
  const call = { to: place.entry, data, authorizations: [] };
  const made = await tryRawCall(deps, provider, sender, call, { terms: now, most: work });
  if (!('tried' in made)) return { is: 'unavailable', message: 'the deposit cannot be tried' };
  const { tried } = made;
  switch (tried.is) {
    case 'done':
      return { is: 'done', call: { to: place.entry, data } };
    case 'reverted':
      return refused(tried.revert.reason, tried.revert.message);
    case 'tooMuch':
      return refused('QUOTED_GAS_LIMIT_EXCEEDED', tried.message);
    case 'short':
      return { is: 'unavailable', message: 'the account that sends permits is short of gas money' };
    case 'unclear':
      return { is: 'unavailable', message: brief(tried.error.message) };
  }
}

/** Why the deposit cannot be made whatever was signed. */
async function whyShort(
  { entry, permit2 }: PermitPlace,
  provider: Provider,
  terms: PermitTerms,
): Promise<Refused | undefined> {
  const { kind, payer, token, orderId } = terms;
  const amount = BigInt(terms.amount);
  const of = <T>(to: Hex, abi: readonly unknown[], name: string, ...args: readonly unknown[]) =>
    readAnswer<T>(provider, to, abi, name, args);
  const spender = kind === 'eip2612' ? spenderOf(entry, terms) : permit2;
  const [balance = 0n, allowed = 0n, nonce, isUsed] = await Promise.all([
    of<bigint>(token, erc20Abi, 'balanceOf', payer),
    kind === 'eip3009' || spender === undefined ? amount : of<bigint>(token, erc20Abi, 'allowance', payer, spender),
    kind === 'eip2612' ? of<bigint>(token, permitTokenAbi, 'nonces', payer) : undefined,
    kind === 'eip3009'
      ? of<boolean>(token, permitTokenAbi, 'authorizationState', payer, orderId)
      : kind === 'permit2' && permit2 !== undefined
        ? isSpent(provider, permit2, payer, orderId)
        : false,
  ]);
  if (isUsed) return refused('INVALID_NONCE', 'the permit was used before');
  // guard: permit-balance
  if (balance < amount)
    return refused('GASLESS_PERMIT_BALANCE_TOO_LOW', `${payer} holds ${balance} of ${amount}, smallest unit`);
  if (kind === 'permit2' && allowed < amount)
    return refused('TRANSFER_AMOUNT_EXCEEDS_ALLOWANCE', `${payer} allows Permit2 ${allowed} of ${amount}`);
  if (kind === 'eip2612' && nonce !== undefined && nonce !== BigInt(terms.nonce ?? '0') && allowed < amount)
    return refused('INVALID_NONCE', `the permit is for nonce ${terms.nonce}, and ${payer} stands at ${nonce}`);
  return undefined;
}

/** Permit2 keeps nonces as bits of words. */
async function isSpent(provider: Provider, permit2: Hex, payer: Hex, orderId: Hex): Promise<boolean> {
  const nonce = BigInt(orderId);
  const bitmap = await readAnswer<bigint>(provider, permit2, permit2Abi, 'nonceBitmap', [payer, nonce >> 8n]);
  return bitmap !== undefined && ((bitmap >> (nonce & 0xffn)) & 1n) === 1n;
}

function invalid(message: string): Refused {
  return refused('INVALID_SIGNATURE', message);
}

function refused(reason: Refused['reason'], message: string): Refused {
  return { is: 'refused', reason, message };
}
