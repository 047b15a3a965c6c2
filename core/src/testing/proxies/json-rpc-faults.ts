/** One call as it reached the proxy. */
export interface JsonRpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
  /** 1 for the first call of this method that the proxy saw. */
  readonly nth: number;
  /** Monotonic milliseconds (`performance.now()`) when the whole exchange had been read. */
  readonly at: number;
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
  | 'pass'
  /** Lost on the way there: the node never sees it, the caller sees a reset. */
  | 'dropBefore'
  /** Lost on the way back: the node acted on it, the caller sees a reset. */
  | 'dropAfter'
  /** Neither passed on nor answered; the connection stays open. */
  | 'hang'
  /** Answered over HTTP, never passed on. */
  | { readonly status: number; readonly retryAfterSeconds?: number; readonly body?: string }
  /** Refused by the proxy, never passed on. */
  | { readonly error: JsonRpcError }
  /** Answered by the proxy, never passed on. */
  | { readonly result: unknown }
  /** Passed on this much later. */
  | { readonly delayMs: number }
  /** Passed on; the caller gets what this makes of the node's reply. */
  | { readonly rewrite: (reply: JsonRpcReply, call: JsonRpcCall) => JsonRpcReply }
  /** Passed on as another question, whose answer the caller takes for its own. */
  | { readonly ask: { readonly method: string; readonly params: readonly unknown[] } };

/** Decides about each call. Plans may keep state: each call is put to its plan exactly once, in order of arrival. */
export type JsonRpcPlan = (call: JsonRpcCall) => JsonRpcFault;

type Matches = string | readonly string[] | ((call: JsonRpcCall) => boolean);

/** The plan for calls of these methods (or that satisfy a condition); everything else passes. */
export function only(which: Matches, plan: JsonRpcPlan | JsonRpcFault): JsonRpcPlan {
  const matches =
    typeof which === 'function'
      ? which
      : (call: JsonRpcCall) => (typeof which === 'string' ? which === call.method : which.includes(call.method));
  const inner = typeof plan === 'function' ? plan : () => plan;
  return (call) => (matches(call) ? inner(call) : 'pass');
}

/** The fault for the first `times` calls put to it, then none. */
export function first(times: number, plan: JsonRpcPlan | JsonRpcFault): JsonRpcPlan {
  const inner = typeof plan === 'function' ? plan : () => plan;
  let met = 0;
  return (call) => {
    met += 1;
    return met > times ? 'pass' : inner(call);
  };
}

/** The fault for the `n`-th call put to it alone; counts from 1. */
export function nth(n: number, fault: JsonRpcFault): JsonRpcPlan {
  let met = 0;
  return () => {
    met += 1;
    return met === n ? fault : 'pass';
  };
}

/** The first of these plans that has something against a call decides. */
export function eitherOf(...plans: readonly JsonRpcPlan[]): JsonRpcPlan {
  return (call) => {
    for (const plan of plans) {
      const fault = plan(call);
      if (fault !== 'pass') return fault;
    }
    return 'pass';
  };
}

/** The fault while `during()` holds. */
export function whenever(during: () => boolean, plan: JsonRpcPlan | JsonRpcFault): JsonRpcPlan {
  const inner = typeof plan === 'function' ? plan : () => plan;
  return (call) => (during() ? inner(call) : 'pass');
}
