export interface FaultCall {
  /** JSON-RPC method, or verb and first path segment, such as `POST /transactions`. */
  readonly method: string;
  /** 1 for the first call of this method that the proxy saw. */
  readonly nth: number;
  /** Monotonic milliseconds (`performance.now()`) when the whole exchange had been read. */
  readonly at: number;
}

/** Faults of every HTTP exchange. */
export type HttpFault =
  | 'pass'
  /** The node never sees it; the caller sees a reset. */
  | 'dropBefore'
  /** The node acted on it; the caller sees a reset. */
  | 'dropAfter'
  /** Neither passed on nor answered; the connection stays open. */
  | 'hang'
  /** Answered over HTTP, never passed on. */
  | { readonly status: number; readonly retryAfterSeconds?: number; readonly body?: string }
  /** Passed on this much later. */
  | { readonly delayMs: number };

/** Called exactly once per call, in order of arrival, so plans may keep state. */
export type CallPlan<C extends FaultCall, F> = (call: C) => F | 'pass';

/** Building blocks of plans. A fault in place of a plan applies to every call. */
export interface FaultPlans<C extends FaultCall, F> {
  /** The plan for calls of these methods or of a condition; everything else passes. */
  only(which: string | readonly string[] | ((call: C) => boolean), plan: CallPlan<C, F> | F): CallPlan<C, F>;
  /** The fault for the first `times` calls, then none. */
  first(times: number, plan: CallPlan<C, F> | F): CallPlan<C, F>;
  /** The fault for the `n`-th call alone, from 1. */
  nth(n: number, fault: F): CallPlan<C, F>;
  /** The first plan with a fault decides. */
  eitherOf(...plans: readonly CallPlan<C, F>[]): CallPlan<C, F>;
  /** The fault while `during()` holds. */
  whenever(during: () => boolean, plan: CallPlan<C, F> | F): CallPlan<C, F>;
}

export function faultPlans<C extends FaultCall, F extends string | object>(): FaultPlans<C, F> {
  const planOf = (plan: CallPlan<C, F> | F): CallPlan<C, F> =>
    typeof plan === 'function' ? (plan as CallPlan<C, F>) : () => plan as F;
  return Object.freeze<FaultPlans<C, F>>({
    only(which, plan) {
      const inner = planOf(plan);
      const matches = (call: C): boolean => {
        if (typeof which === 'function') return which(call);
        return typeof which === 'string' ? which === call.method : which.includes(call.method);
      };
      return (call) => (matches(call) ? inner(call) : 'pass');
    },
    first(times, plan) {
      const inner = planOf(plan);
      let met = 0;
      return (call) => {
        met += 1;
        return met > times ? 'pass' : inner(call);
      };
    },
    nth(n, fault) {
      let met = 0;
      return () => {
        met += 1;
        return met === n ? fault : 'pass';
      };
    },
    eitherOf(...plans) {
      return (call) => {
        for (const plan of plans) {
          const fault = plan(call);
          if (fault !== 'pass') return fault;
        }
        return 'pass';
      };
    },
    whenever(during, plan) {
      const inner = planOf(plan);
      return (call) => (during() ? inner(call) : 'pass');
    },
  });
}
