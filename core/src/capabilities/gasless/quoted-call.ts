import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { AskedAuthorization } from '../../contract/chain-capabilities.js';
import type { Hex, RequestId, UnixMs } from '../../contract/ids.js';
import type { Store } from '../../contract/store.js';
import type { ApiKeyRow, QuoteRow } from '../../contract/store-rows.js';
import type { QuoteBody } from '../../domain/quote.js';
import { invalidRequest } from '../../errors/api-error.js';
import type { AskedCall } from '../../quoting/ask.js';
import { callValue } from '../../quoting/calls.js';
import type { Stage } from '../../quoting/stage.js';

export interface QuotedCall {
  readonly row: QuoteRow;
  readonly body: QuoteBody;
}

/** What a client says of a quoted execution besides its call. */
export interface DestinationExecution {
  readonly calls?: readonly AskedCall[];
  readonly authorizationList?: readonly AskedAuthorization[];
}

interface Asked {
  readonly requestId: RequestId;
  readonly key: Pick<ApiKeyRow, 'integratorId'>;
  readonly chain: ChainAdapter;
  readonly data: Hex;
  readonly destination: DestinationExecution | undefined;
}

/**
 * The quote whose deposit or own execution a call is to make.
 *
 * Invariant: the call carries the id of the quoted order, which is a hash of all its terms, so it can pay for nothing
 * else under the quote's name. Whether it does pay, only its deposit on the chain shows.
 */
export async function quotedCall(
  store: Pick<Store, 'apiKey' | 'quote' | 'request'>,
  chains: ReadonlyMap<number, ChainAdapter>,
  { requestId, key, chain, data, destination }: Asked,
  now: UnixMs,
): Promise<Stage<QuotedCall>> {
  const wrong = (reason: string) => invalidRequest('requestId', reason);
  const row = await store.quote(requestId);
  const owner = row === undefined || row.keyId === null ? undefined : await store.apiKey(row.keyId);
  // guard: quotes-of-others-are-unknown
  if (row === undefined || (row.keyId !== null && owner?.integratorId !== key.integratorId))
    return wrong('is of no quote of this integrator, nor of one without a key');
  const body = JSON.parse(row.body) as QuoteBody;
  if (body.depositAddress) return wrong('is of a quote that a plain transfer to its deposit address pays');
  if (body.origin.chainId !== chain.facts.id)
    return invalidRequest('data.chainId', `must be ${body.origin.chainId}, the origin of the quote`);
  if (now > body.expiresAt) return wrong('is of a quote that has expired: ask for another one');
  // guard: quoted-calls-name-their-order
  if (!data.toLowerCase().includes(body.orderId.slice(2)))
    return invalidRequest('data.data', 'does not make the deposit of the quote: it lacks the id of its order');
  if ((await store.request(requestId)) !== undefined) return wrong('is of a quote that is executed already');
  const differs = destination && differsFrom(body, chains.get(body.destination.chainId), destination);
  if (differs) return invalidRequest(`executionOptions.destinationChainExecutionData.${differs}`, SAME);
  return { row, body };
}

const SAME = 'must be what was quoted: the calls of a quote are part of its order (txs)';

/** Which part of what is to be executed on the destination is not what the order says. */
function differsFrom(
  { order, authorizations = [] }: QuoteBody,
  chain: ChainAdapter | undefined,
  { calls = [], authorizationList = [] }: DestinationExecution,
): keyof DestinationExecution | undefined {
  const { destinationCalls, authorizations: reader } = chain?.capabilities ?? {};
  const encoded = calls.map(({ to, value, data }) => {
    const parsed = chain?.parseAddress(to);
    const amount = callValue(value);
    return parsed?.ok && amount !== undefined
      ? destinationCalls?.encode({ to: parsed.value, value: amount, data: data.toLowerCase() as Hex })
      : undefined;
  });
  if (!isSame(encoded, order.output.calls)) return 'calls';
  const read = authorizationList.map((one) => {
    const made = reader?.read(one);
    return made?.ok ? made.encoded : undefined;
  });
  return isSame(read, authorizations) ? undefined : 'authorizationList';
}

function isSame(one: readonly (string | undefined)[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, n) => text?.toLowerCase() === other[n]?.toLowerCase());
}
