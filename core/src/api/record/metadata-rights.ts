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
 * Who may write the metadata of a request. Metadata is written once and stays for good, so knowing the id is not enough.
 *
 * A request that was quoted with a key takes metadata from any key of the same integrator, and from nobody else. A request
 * without a key takes metadata under its payer's signature, whatever key the caller has. A caller without either proof is
 * answered without an error: public clients have neither a key nor such a signature, and can do nothing about it.
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
