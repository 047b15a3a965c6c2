import { eitherOf, type JsonRpcPlan, type JsonRpcReply, only } from '@causeway/core/testing';

type Block = { readonly number?: string; readonly blockNumber?: string | null } | null;

const hex = (height: bigint): string => `0x${height.toString(16)}`;

/**
 * Stuck at a height like a backend lagging behind its load balancer: no newer heads, blocks, logs, receipts, nonces
 * or state. It accepts and forwards transactions.
 */
export function staleAt(height: bigint): JsonRpcPlan {
  const newer = (one: Block) => one !== null && BigInt(one.number ?? one.blockNumber ?? '0x0') > height;
  const unlessNewer = (reply: JsonRpcReply): JsonRpcReply =>
    'result' in reply && newer(reply.result as Block) ? { result: null } : reply;
  const at = (method: string, place: number): JsonRpcPlan =>
    only(method, ({ params }) => {
      const tag = params[place];
      if (tag !== 'latest' && tag !== 'pending') return 'pass';
      return { ask: { method, params: params.map((param, index) => (index === place ? hex(height) : param)) } };
    });
  return eitherOf(
    only('eth_blockNumber', { result: hex(height) }),
    only('eth_getBlockByNumber', ({ method, params: [tag, full] }) => {
      if (tag === 'latest') return { ask: { method, params: [hex(height), full] } };
      if (tag === 'finalized') return { ask: { method, params: [hex(height > 2n ? height - 2n : 0n), full] } };
      return BigInt(tag as string) > height ? { result: null } : 'pass';
    }),
    only(['eth_getBlockByHash', 'eth_getTransactionReceipt', 'eth_getTransactionByHash'], { rewrite: unlessNewer }),
    // Refuses an unknown block by hash; returns less of a range.
    only('eth_getLogs', ({ params: [filter] }) => {
      const byHash = typeof filter === 'object' && filter !== null && 'blockHash' in filter;
      return {
        rewrite: (reply) => {
          if (!('result' in reply)) return reply;
          const logs = reply.result as Block[];
          if (byHash && logs.some(newer)) return { error: { code: -32000, message: 'unknown block' } };
          return { result: logs.filter((log) => !newer(log)) };
        },
      };
    }),
    at('eth_getTransactionCount', 1),
    at('eth_getBalance', 1),
    at('eth_call', 1),
    at('eth_estimateGas', 1),
  );
}
