import type { JsonRpcCall, JsonRpcFault, JsonRpcPlan, JsonRpcReply } from '@causeway/core/testing';

/** A node restarted from a newer snapshot: it lacks these slots, both included. */
export interface Hole {
  readonly from: number;
  readonly to: number;
}

interface Listed {
  readonly slot: number;
}

interface Statuses {
  readonly context: { readonly slot: number };
  readonly value: readonly (Listed | null)[];
}

export function holed({ from, to }: Hole): JsonRpcPlan {
  const has = (slot: number): boolean => slot < from || slot > to;
  return (call) => {
    const [first] = call.params;
    const missing = { error: { code: -32007, message: `Slot ${first} was skipped, or missing due to ledger jump` } };
    switch (call.method) {
      case 'getBlocks':
        return changed<readonly number[]>((slots) => slots.filter(has));
      case 'getBlock':
      case 'getBlockTime':
        return has(Number(first)) ? 'pass' : missing;
      case 'getSignaturesForAddress':
        return changed<readonly Listed[]>((entries) => entries.filter(({ slot }) => has(slot)));
      case 'getSignatureStatuses':
        return changed<Statuses>(({ context, value }) => ({
          context,
          value: value.map((status) => (status !== null && has(status.slot) ? status : null)),
        }));
      default:
        return 'pass';
    }
  };
}

/**
 * A fresh and a late node under one name; the late one answers the calls of `isLate`. As on the public network, it
 * refuses a `minContextSlot` that it has not reached.
 */
export function lagging(by: number, isLate: (call: JsonRpcCall) => boolean): JsonRpcPlan {
  return (call): JsonRpcFault => {
    if (!isLate(call)) return 'pass';
    switch (call.method) {
      case 'getSlot':
      case 'getBlockHeight':
        return changed<number>((slot) => slot - by);
      case 'getLatestBlockhash':
        return changed<{ readonly context: Listed; readonly value: { readonly lastValidBlockHeight: number } }>(
          ({ context, value }) => ({
            context: { slot: context.slot - by },
            value: { ...value, lastValidBlockHeight: value.lastValidBlockHeight - by },
          }),
        );
      case 'getSignatureStatuses':
        return changed<Statuses>(({ context, value }) => {
          const slot = context.slot - by;
          return { context: { slot }, value: value.map((status) => (status && status.slot <= slot ? status : null)) };
        });
      default:
        return 'pass';
    }
  };
}

export function listedUpTo(head: number): JsonRpcPlan {
  return ({ method, params }) => {
    if (method !== 'getSignaturesForAddress') return 'pass';
    const { minContextSlot } = (params[1] ?? {}) as { readonly minContextSlot?: number };
    if (minContextSlot !== undefined && minContextSlot > head) {
      return { error: { code: -32016, message: 'Minimum context slot has not been reached' } };
    }
    return changed<readonly Listed[]>((entries) => entries.filter(({ slot }) => slot <= head));
  };
}

export function apart(from: number): JsonRpcPlan {
  const moved = <T extends Listed>(one: T): T => (one.slot < from ? one : { ...one, slot: one.slot + 1 });
  return ({ method }) => {
    switch (method) {
      case 'getTransaction':
        return changed<Listed | null>((one) => one && moved(one));
      case 'getSignaturesForAddress':
        return changed<readonly Listed[]>((entries) => entries.map(moved));
      case 'getSignatureStatuses':
        return changed<Statuses>(({ context, value }) => ({ context, value: value.map((one) => one && moved(one)) }));
      default:
        return 'pass';
    }
  };
}

export const REFUSING: JsonRpcPlan = ({ method }) =>
  method === 'sendTransaction'
    ? { error: { code: -32_602, message: 'invalid transaction: failed to sanitize' } }
    : 'pass';

export function changed<T>(change: (result: T) => unknown): JsonRpcFault {
  return {
    rewrite: (reply: JsonRpcReply) => ('result' in reply ? { result: change(reply.result as T) } : reply),
  };
}
