import { type CallPlan, type FaultCall, faultPlans, type HttpFault } from './faults.js';

export interface JsonRpcCall extends FaultCall {
  readonly params: readonly unknown[];
}

export interface JsonRpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export type JsonRpcReply = { readonly result: unknown } | { readonly error: JsonRpcError };

/** `dropBefore`, `dropAfter`, `hang` and `status` affect a whole batch, the others one call. */
export type JsonRpcFault =
  | HttpFault
  /** Refused by the proxy, never passed on. */
  | { readonly error: JsonRpcError }
  /** Answered by the proxy, never passed on. */
  | { readonly result: unknown }
  /** Passed on; the caller gets the rewritten reply. */
  | { readonly rewrite: (reply: JsonRpcReply, call: JsonRpcCall) => JsonRpcReply }
  /** Passed on as another question, whose answer the caller gets. */
  | { readonly ask: { readonly method: string; readonly params: readonly unknown[] } };

export type JsonRpcPlan = CallPlan<JsonRpcCall, JsonRpcFault>;

export const { only, first, nth, eitherOf, whenever } = faultPlans<JsonRpcCall, JsonRpcFault>();
