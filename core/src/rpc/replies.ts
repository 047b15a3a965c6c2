import { isRateLimited, RpcError, TransportError } from './errors.js';

interface Reply {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown };
}

/** `missing`: the provider answered other calls of the batch, but not this one. */
export type CallResult =
  | { readonly is: 'value'; readonly value: unknown }
  | { readonly is: 'error'; readonly error: RpcError | TransportError }
  | { readonly is: 'missing'; readonly error: TransportError };

/**
 * Results in order of the calls' ids, from `first` on.
 * @throws TransportError if the body is no JSON-RPC.
 */
export function resultsOf(
  answer: { readonly status: number; readonly text: string },
  first: number,
  calls: number,
  label: string,
): readonly CallResult[] {
  const replies = parseReplies(answer.text, answer.status, label);
  const byId = new Map(replies.map((reply) => [reply.id, reply]));
  const alone = replies.length === 1 ? replies[0] : undefined;
  // A refusal of a whole batch is one error object without an id.
  return Array.from({ length: calls }, (_, n) =>
    resultOf(byId.get(first + n) ?? (alone?.error ? alone : undefined), label),
  );
}

/** The error common to all calls, if it may be about the batch. */
export function refusalOf(results: readonly CallResult[]): RpcError | TransportError | undefined {
  const [first, ...others] = results.map((result) => (result.is === 'value' ? undefined : result.error));
  if (first === undefined || (first instanceof RpcError && first.data !== undefined)) return undefined;
  return others.every((error) => error !== undefined && isSameRefusal(error, first)) ? first : undefined;
}

export function isSameRefusal(one: RpcError | TransportError, other: RpcError | TransportError): boolean {
  return kindOf(one) === kindOf(other) && one.message === other.message;
}

function kindOf(error: RpcError | TransportError): number | string {
  return error instanceof RpcError ? error.code : error.failure;
}

function resultOf(reply: Reply | undefined, label: string): CallResult {
  if (reply === undefined) return { is: 'missing', error: new TransportError(`${label}: reply missing`, 'malformed') };
  if (reply.error !== undefined && reply.error !== null) {
    const code = typeof reply.error.code === 'number' ? reply.error.code : 0;
    const message = typeof reply.error.message === 'string' ? reply.error.message : 'an error without a message';
    const isRate = isRateLimited(code, message);
    const error = isRate
      ? new TransportError(`${label}: ${message}`, 'rate')
      : new RpcError(message, code, reply.error.data);
    return { is: 'error', error };
  }
  if (!('result' in reply))
    return { is: 'error', error: new TransportError(`${label}: reply without result`, 'malformed') };
  return { is: 'value', value: reply.result };
}

/** Some providers send JSON-RPC errors with a 4xx or 5xx status: the body decides, else the status. */
function parseReplies(text: string, status: number, label: string): readonly Reply[] {
  try {
    const parsed: unknown = JSON.parse(text);
    const list = Array.isArray(parsed) ? parsed : [parsed];
    if (list.every((entry) => typeof entry === 'object' && entry !== null && ('result' in entry || 'error' in entry))) {
      if (status < 500 || list.some((entry) => 'result' in entry)) return list as readonly Reply[];
    }
  } catch {
    // An unreadable body is a transport failure at any status; see below.
  }
  if (status !== 200) throw new TransportError(`${label}: HTTP status ${status}`, 'http');
  throw new TransportError(`${label}: malformed reply`, 'malformed');
}
