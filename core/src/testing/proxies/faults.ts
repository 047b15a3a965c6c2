/** What a plan knows of every call. */
export interface FaultCall {
  /** Of JSON-RPC; over paths the verb and the first part of the path, such as `POST /transactions`. */
  readonly method: string;
  /** 1 for the first call of this method that the proxy saw. */
  readonly nth: number;
  /** Monotonic milliseconds (`performance.now()`) when the whole exchange had been read. */
  readonly at: number;
}

/** What can become of every exchange over HTTP. */
export type HttpFault =
  | 'pass'
  /** Lost on the way there: the node never sees it, the caller sees a reset. */
  | 'dropBefore'
  /** Lost on the way back: the node acted on it, the caller sees a reset. */
  | 'dropAfter'
  /** Neither passed on nor answered; the connection stays open. */
  | 'hang'
  /** Answered over HTTP, never passed on. */
  | { readonly status: number; readonly retryAfterSeconds?: number; readonly body?: string }
  /** Passed on this much later. */
  | { readonly delayMs: number };

/** Decides about each call. Plans may keep state: each call is put to its plan exactly once, in order of arrival. */
export type CallPlan<C extends FaultCall, F> = (call: C) => F | 'pass';

/** What plans are made of. Wherever a plan is taken, a fault is: it is the plan that has that fault for every call. */
export interface FaultPlans<C extends FaultCall, F> {
  /** The plan for calls of these methods (or that satisfy a condition); everything else passes. */
  only(which: string | readonly string[] | ((call: C) => boolean), plan: CallPlan<C, F> | F): CallPlan<C, F>;
  /** The fault for the first `times` calls put to it, then none. */
  first(times: number, plan: CallPlan<C, F> | F): CallPlan<C, F>;
  /** The fault for the `n`-th call put to it alone; counts from 1. */
  nth(n: number, fault: F): CallPlan<C, F>;
  /** The first of these plans that has something against a call decides. */
  eitherOf(...plans: readonly CallPlan<C, F>[]): CallPlan<C, F>;
  /** The fault while `during()` holds. */
  whenever(during: () => boolean, plan: CallPlan<C, F> | F): CallPlan<C, F>;
}

/** Plans for one kind of calls and the faults that it has. */
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
