import type { JsonRpcFault, JsonRpcPlan, JsonRpcReply } from '@causeway/core/testing';

const hex = (value: number): string => `0x${value.toString(16)}`;
const TAGGED = new Set([
  ...['eth_call', 'eth_estimateGas', 'eth_getBalance', 'eth_getCode', 'eth_getStorageAt', 'eth_getTransactionCount'],
  ...['eth_getBlockByNumber', 'eth_feeHistory', 'eth_getBlockReceipts', 'eth_simulateV1'],
]);

/** What the node answers, changed on its way back. */
const changed = <T>(change: (result: T) => unknown): JsonRpcFault => ({
  rewrite: (reply: JsonRpcReply) => ('result' in reply ? { result: change(reply.result as T) } : reply),
});

interface Placed {
  readonly blockNumber?: string | null;
  readonly number?: string | null;
}

/** What a node has: the newest block, and the newest final one. */
export interface View {
  readonly head: number;
  readonly finalized: number;
}

/** A node that has no more than this. */
export function seeing(view: () => View): JsonRpcPlan {
  const has = ({ blockNumber, number }: Placed): boolean => {
    const at = blockNumber ?? number ?? null;
    return at !== null && Number(at) <= view().head;
  };
  return ({ method, params }): JsonRpcFault => {
    const { head, finalized } = view();
    const place = (tag: unknown): unknown => {
      if (tag === 'latest' || tag === 'pending') return hex(head);
      return tag === 'safe' || tag === 'finalized' ? hex(finalized) : tag;
    };
    if (method === 'eth_blockNumber') return { result: hex(head) };
    if (method === 'eth_getLogs') {
      const [filter] = params as [Readonly<Record<string, unknown>>];
      if (filter['blockHash'] !== undefined) return changed<readonly Placed[]>((logs) => logs.filter(has));
      const [from, to] = [place(filter['fromBlock']), place(filter['toBlock'] ?? 'latest')];
      if (Number(from) > head) return { result: [] };
      const toBlock = Number(to) > head ? hex(head) : to;
      return { ask: { method, params: [{ ...filter, fromBlock: from, toBlock }] } };
    }
    if (/^eth_get(TransactionReceipt|TransactionByHash|BlockByHash)$/.test(method))
      return changed<Placed | null>((found) => (found !== null && has(found) ? found : null));
    if (!TAGGED.has(method)) return 'pass';
    if (params.some((one) => typeof one === 'string' && /^0x[0-9a-f]{1,15}$/.test(one) && Number(one) > head))
      return { result: null };
    return { ask: { method, params: params.map(place) } };
  };
}

/** A node of another chain. */
export const ELSEWHERE: JsonRpcPlan = ({ method }) => {
  if (method === 'eth_chainId') return { result: hex(4_242) };
  return method === 'net_version' ? { result: '4242' } : 'pass';
};
