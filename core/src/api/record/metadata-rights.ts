import type { QuoteRow, RequestRow } from '../../contract/store-rows.js';
import { metadataMessage } from '../../domain/metadata-message.js';
import { type ApiError, apiError } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import type { Caller } from '../route.js';

type Deps = Pick<ApiDeps, 'store' | 'chains' | 'orderSigner'>;

/** Of the quote or request that something is said of. */
export type Described = Pick<RequestRow & QuoteRow, 'id' | 'keyId' | 'user' | 'originChainId'>;

export interface Saying {
  /** Compact JSON. */
  readonly metadata: string;
  readonly signature: string | undefined;
}

/** `sign`: what the payer would sign, where that is what lacks. */
export type Right = { readonly may: true } | { readonly may: false; readonly sign: string | null };

/**
 * Whose word it is: what is said first stays for good, so whoever merely knows an id may not speak for the request.
 *
 * A request that a key asked for is described with any key of the same integrator, and in no other way. One without a key
 * is described under a signature of its payer, whatever key the caller has. Who gives no proof is told so, which is no
 * error: public clients have neither a key nor such a signature, and can do nothing about either.
 */
export async function mayDescribe(
  deps: Deps,
  { key }: Pick<Caller, 'key'>,
  { id, keyId, user, originChainId }: Described,
  { metadata, signature }: Saying,
): Promise<Right | ApiError> {
  if (keyId !== null) {
    const own = key !== null && (await deps.store.apiKeysOf(key.integratorId)).some((one) => one.id === keyId);
    if (own) return { may: true };
    if (key !== null) return apiError('FORBIDDEN', 'The request was asked for with a key of another integrator');
    return signature === undefined ? { may: false, sign: null } : notSigned('a key asked for the request: send it');
  }
  const text = metadataMessage({ service: deps.orderSigner.address, requestId: id, metadata });
  if (signature === undefined) return { may: false, sign: text };
  const verify = deps.chains.get(originChainId)?.capabilities.verifyMessage;
  const signed = verify?.(user, text, signature) === true;
  return signed ? { may: true } : notSigned(`it is not what ${user} signs for this request and metadata`);
}

function notSigned(reason: string): ApiError {
  return apiError('FORBIDDEN', `signature: ${reason}`, { field: 'signature', reason });
}
