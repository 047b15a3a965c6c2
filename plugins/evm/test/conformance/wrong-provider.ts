import type { JsonRpcCall, JsonRpcFault, JsonRpcPlan, JsonRpcReply } from '@causeway/core/testing';

const hex = (value: number): string => `0x${value.toString(16)}`;
const TAGGED = new Set([
  ...['eth_call', 'eth_estimateGas', 'eth_getBalance', 'eth_getCode', 'eth_getStorageAt', 'eth_getTransactionCount'],
  ...['eth_getBlockByNumber', 'eth_feeHistory', 'eth_getBlockReceipts', 'eth_simulateV1'],
]);

const changed = <T>(change: (result: T) => unknown): JsonRpcFault => ({
  rewrite: (reply: JsonRpcReply) => ('result' in reply ? { result: change(reply.result as T) } : reply),
});

interface Placed {
  readonly blockNumber?: string | null;
  readonly number?: string | null;
}

export interface View {
  readonly head: number;
  readonly finalized: number;
}

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

export const ELSEWHERE: JsonRpcPlan = ({ method }) => {
  if (method === 'eth_chainId') return { result: hex(4_242) };
  return method === 'net_version' ? { result: '4242' } : 'pass';
};

export const REFUSING: JsonRpcPlan = ({ method }) =>
  method === 'eth_sendRawTransaction' ? { error: { code: -32_000, message: 'invalid sender' } } : 'pass';

/** Queries by tag and by number count separately: many providers lack only the tag. */
export function questionOf({ method, params }: JsonRpcCall): string {
  const [block] = params;
  return method === 'eth_getBlockByNumber' && !String(block).startsWith('0x') ? `${method} ${block}` : method;
}

interface Named {
  readonly hash?: string;
  readonly blockHash?: string | null;
  readonly parentHash?: string;
}

/** A node on a fork: other hashes from this height on, and this chain's hashes unknown. */
export function apart(from: number): JsonRpcPlan {
  const other = (hash: string): string =>
    `0x${hash.slice(2).replace(/./g, (digit) => (15 - Number(`0x${digit}`)).toString(16))}`;
  const renamed = (one: Placed & Named): unknown => {
    const at = Number(one.blockNumber ?? one.number ?? -1);
    if (at < from) return one;
    const { hash, blockHash, parentHash } = one;
    return {
      ...one,
      ...(hash !== undefined && one.number !== undefined ? { hash: other(hash) } : {}),
      ...(typeof blockHash === 'string' ? { blockHash: other(blockHash) } : {}),
      ...(parentHash !== undefined && at > from ? { parentHash: other(parentHash) } : {}),
    };
  };
  return ({ method }) => {
    if (method === 'eth_getBlockByHash')
      return changed<(Placed & Named) | null>((one) => (one !== null && Number(one.number) >= from ? null : one));
    if (!/^eth_get(BlockByNumber|TransactionReceipt|TransactionByHash|Logs|BlockReceipts)$/.test(method)) return 'pass';
    return changed<(Placed & Named) | readonly (Placed & Named)[] | null>((reported) => {
      if (reported === null) return null;
      return Array.isArray(reported) ? reported.map(renamed) : renamed(reported as Placed & Named);
    });
  };
}
