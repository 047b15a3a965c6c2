import type { QuoteRow, RequestRow } from '../../contract/store-rows.js';
import { metadataMessage } from '../../domain/metadata-message.js';
import { type ApiError, apiError } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import type { Caller } from '../route.js';

type Deps = Pick<ApiDeps, 'store' | 'chains' | 'orderSigner'>;

export type Described = Pick<RequestRow & QuoteRow, 'id' | 'keyId' | 'user' | 'originChainId'>;

export interface Saying {
  /** Compact JSON. */
  readonly metadata: string;
  readonly signature: string | undefined;
}

/** `sign`: the message for the payer to sign, if only its signature is missing. */
export type Right = { readonly may: true } | { readonly may: false; readonly sign: string | null };

/**
 * Metadata is permanent, so knowing the id is not enough: a request quoted with a key takes it only from keys of the
 * same integrator, one without a key only under its payer's signature. Callers without proof get no error, because
 * public clients cannot provide one.
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
