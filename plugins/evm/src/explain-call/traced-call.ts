import type { Clock, Hex } from '@causeway/core';
import { type Provider, RpcError, sideOf } from '@causeway/core/rpc';
import { type CallBook, type ExplainedCall, explainData, explainTrace } from './explain-call.js';

const TRACE_TIMEOUT_MS = 500;
const METHOD_NOT_FOUND = -32_601;

/** Providers without trace methods. */
const traceless = new WeakSet<Provider>();

/** The frames have the events of their calls. */
export const WITH_EVENTS = { tracerConfig: { withLog: true } };

/** Fields of a call as `eth_call` takes them. */
export type AskedCall = Readonly<Record<string, unknown>>;

/**
 * Traces a call on top of the latest block, by a separate client, so that failing calls of any number of callers take no capacity
 * from payments. Never rejects.
 *
 * @param more options of the method other than the tracer, as `WITH_EVENTS`.
 * @returns answer of `callTracer`, unread; undefined if the node has no traces or is late.
 */
export async function tracedCall(
  provider: Provider,
  clock: Pick<Clock, 'sleep'>,
  asked: AskedCall,
  more: object = {},
): Promise<unknown> {
  const over = new AbortController();
  const late = clock.sleep(TRACE_TIMEOUT_MS, over.signal).then(() => undefined);
  const tracing = request(sideOf(provider, 'traces', over.signal), asked, more);
  return Promise.race([tracing, late]).finally(() => over.abort());
}

/**
 * Says why a simulated call failed: from a trace, or from its revert data where the node has none. Never rejects.
 *
 * @param failure what `eth_call` answered: revert data, and the node's words.
 */
export async function explainFailure(
  provider: Provider,
  clock: Pick<Clock, 'sleep'>,
  book: CallBook,
  asked: AskedCall & { readonly to: string; readonly data: Hex },
  failure: { readonly data: Hex; readonly halt?: string },
  overrides?: AskedCall,
): Promise<ExplainedCall> {
  const trace = await tracedCall(provider, clock, asked, overrides && { stateOverrides: overrides });
  return explainTrace(trace, book) ?? explainData(asked, failure.data, book, failure.halt);
}

async function request(provider: Provider, asked: AskedCall, more: object): Promise<unknown> {
  const { home = provider } = provider;
  if (traceless.has(home)) return undefined;
  const options = { tracer: 'callTracer', ...more };
  try {
    return (await provider.rpc.request<unknown>('debug_traceCall', [asked, 'latest', options])) ?? undefined;
  } catch (error) {
    if (error instanceof RpcError && error.code === METHOD_NOT_FOUND) traceless.add(home);
    return undefined;
  }
}
