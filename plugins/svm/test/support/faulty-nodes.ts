import type { JsonRpcCall, JsonRpcFault, JsonRpcPlan, JsonRpcReply } from '@causeway/core/testing';

/** A node that was started from a newer snapshot over its old ledger: it has nothing of these slots, both included. */
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

/** The local node with a hole in its ledger. The oldest block that it names is as old as ever. */
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
 * Two nodes behind one name: a fresh one, and one that is some slots behind, which answers what `isLate` says. As the public
 * network's nodes do, the late one refuses what is to be as new as a slot that it has not reached.
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

/** The list of what touched an account as a node gives it that has come to this slot. */
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

/** A node on a fork: what is in a slot from this one on is in the next one there. */
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

/** A node that takes no transaction for a valid one. */
export const REFUSING: JsonRpcPlan = ({ method }) =>
  method === 'sendTransaction'
    ? { error: { code: -32_602, message: 'invalid transaction: failed to sanitize' } }
    : 'pass';

/** What a node answers, changed on its way back. */
export function changed<T>(change: (result: T) => unknown): JsonRpcFault {
  return {
    rewrite: (reply: JsonRpcReply) => ('result' in reply ? { result: change(reply.result as T) } : reply),
  };
}
