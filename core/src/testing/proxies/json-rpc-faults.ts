import { type CallPlan, type FaultCall, faultPlans, type HttpFault } from './faults.js';

/** One call as it reached the proxy. */
export interface JsonRpcCall extends FaultCall {
  readonly params: readonly unknown[];
}

export interface JsonRpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export type JsonRpcReply = { readonly result: unknown } | { readonly error: JsonRpcError };

/**
 * What becomes of a call.
 *
 * Those that concern the connection (`dropBefore`, `dropAfter`, `hang`, `status`) take the whole exchange with them when
 * the call is part of a batch; the others concern the call alone.
 */
export type JsonRpcFault =
  | HttpFault
  /** Refused by the proxy, never passed on. */
  | { readonly error: JsonRpcError }
  /** Answered by the proxy, never passed on. */
  | { readonly result: unknown }
  /** Passed on; the caller gets what this makes of the node's reply. */
  | { readonly rewrite: (reply: JsonRpcReply, call: JsonRpcCall) => JsonRpcReply }
  /** Passed on as another question, whose answer the caller takes for its own. */
  | { readonly ask: { readonly method: string; readonly params: readonly unknown[] } };

export type JsonRpcPlan = CallPlan<JsonRpcCall, JsonRpcFault>;

export const { only, first, nth, eitherOf, whenever } = faultPlans<JsonRpcCall, JsonRpcFault>();
