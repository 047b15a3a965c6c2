import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Hex } from '@causeway/core';
import { encodeFunctionResult, parseAbi, toFunctionSelector } from 'viem';

const abi = parseAbi([
  'function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)',
  'function decimals() view returns (uint8)',
  'function description() view returns (string)',
]);

export interface FakeFeed {
  answer: bigint;
  decimals: number;
  description: string;
  /** Unix seconds; undefined: always now. */
  updatedAt?: bigint | undefined;
  startedAt?: bigint;
  roundId?: bigint;
  /** Overrides the call's response. */
  raw?: Hex;
}

export interface FakeRpc {
  readonly url: string;
  readonly feeds: Map<string, FakeFeed>;
  calls: number;
  instead: ((response: ServerResponse) => void) | undefined;
  stop(): Promise<void>;
}

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly { readonly to?: string; readonly data?: Hex }[];
}

export async function fakeRpc(chainId: number, feeds: Map<string, FakeFeed>): Promise<FakeRpc> {
  const result = ({ method, params }: Call): Hex | undefined => {
    if (method === 'eth_chainId') return `0x${chainId.toString(16)}`;
    const feed = feeds.get(params[0]?.to ?? '');
    return feed && answerOf(feed, params[0]?.data ?? '0x');
  };
  const rpc: { -readonly [K in keyof FakeRpc]: FakeRpc[K] } = {
    url: '',
    feeds,
    calls: 0,
    instead: undefined,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString('utf8');
    });
    request.on('end', () => {
      const asked = JSON.parse(body) as Call | Call[];
      const list = Array.isArray(asked) ? asked : [asked];
      rpc.calls += list.length;
      if (rpc.instead !== undefined) return rpc.instead(response);
      const replies = list.map((call) => ({ jsonrpc: '2.0', id: call.id, result: result(call) ?? '0x' }));
      response.end(JSON.stringify(Array.isArray(asked) ? replies : replies[0]));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  rpc.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return rpc;
}

function answerOf(feed: FakeFeed, data: Hex): Hex {
  if (feed.raw !== undefined) return feed.raw;
  const now = BigInt(Math.floor(Date.now() / 1000));
  const updatedAt = feed.updatedAt ?? now;
  const { roundId = 1n, startedAt = updatedAt } = feed;
  switch (data) {
    case toFunctionSelector('latestRoundData()'): {
      const result = [roundId, feed.answer, startedAt, updatedAt, roundId] as const;
      return encodeFunctionResult({ abi, functionName: 'latestRoundData', result });
    }
    case toFunctionSelector('decimals()'):
      return encodeFunctionResult({ abi, functionName: 'decimals', result: feed.decimals });
    default:
      return encodeFunctionResult({ abi, functionName: 'description', result: feed.description });
  }
}
