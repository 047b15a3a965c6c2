import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Address, encodeFunctionData, type Hex, type PublicClient } from 'viem';
import { artifacts } from '../../plugins/evm/src/devnet/index.js';
import { uniswapArtifacts } from '../../plugins/evm/test/support/uniswap.js';

export type Behaviour = 'well' | 'fails' | 'hanging' | 'unreachable' | 'nonsense';

export interface Question {
  readonly chainId: number;
  readonly sell: string;
  readonly buy: string;
  readonly amount: bigint;
  readonly side: 'sell' | 'buy';
  readonly taker: Address;
  readonly receiver: Address;
  readonly limit: bigint;
}

export interface Answer {
  readonly in: bigint;
  readonly out: bigint;
  readonly to: Address;
  readonly spender: Address;
  readonly data: Hex;
  readonly value: bigint;
}

export interface Aggregator {
  readonly url: string;
  behave(how: Behaviour): void;
  pending(): number;
  stop(): Promise<void>;
}

const NATIVE = /^0xe{40}$/i;
const NONSENSE = [
  '<html>',
  '{}',
  '[]',
  '{"in":"-1","out":"-1"}',
  '{"in":"x","out":"NaN"}',
  '{"out":1e400}',
  'null',
  '',
];

export const AGGREGATOR_SHAPE = Object.fromEntries(
  (['exactInput', 'exactOutput'] as const).map((kind) => {
    const side = kind === 'exactInput' ? 'sell' : 'buy';
    const about = `chain={chainId}&sell={sellToken}&buy={buyToken}&amount={amount}&side=${side}`;
    const read = { amountIn: '/in', amountOut: '/out', error: '/error' };
    const built = { ...read, to: '/tx/to', data: '/tx/data', value: '/tx/value', spender: '/spender' };
    return [
      kind,
      {
        quote: { path: `/price?${about}`, read },
        build: { path: `/build?${about}&taker={payer}&receiver={recipient}&limit={limit}`, read: built },
      },
    ];
  }),
);

/** An aggregator's web server: calls `exchange` for each quote and each call. Undefined: no route. */
export async function startAggregator(exchange: (asked: Question) => Promise<Answer | undefined>): Promise<Aggregator> {
  const open = new Set<ServerResponse>();
  let [how, turn]: [Behaviour, number] = ['well', 0];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    turn += 1;
    if (how === 'hanging') return;
    if (how === 'unreachable') return void response.destroy();
    if (how === 'fails') return void response.writeHead(500).end('{}');
    if (how === 'nonsense') return void response.end(NONSENSE[turn % NONSENSE.length]);
    const found = await exchange(questionOf(request)).catch(() => undefined);
    if (found === undefined) return void response.writeHead(404).end('{"reason":"no route"}');
    const { to, data, value, spender } = found;
    const tx = { to, data, value: `0x${value.toString(16)}` };
    return void response.end(JSON.stringify({ in: `${found.in}`, out: `${found.out}`, spender, tx }));
  };
  const server = createServer((request, response) => {
    open.add(response);
    response.once('close', () => open.delete(response));
    void answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behave: (next) => {
      how = next;
    },
    pending: () => open.size,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function questionOf({ url = '' }: IncomingMessage): Question {
  const { searchParams: of } = new URL(url, 'http://here');
  const text = (name: string) => of.get(name) ?? '';
  return {
    chainId: Number(text('chain')),
    ...{ sell: text('sell').toLowerCase(), buy: text('buy').toLowerCase(), amount: BigInt(text('amount')) },
    ...{ side: text('side') === 'sell' ? 'sell' : 'buy', limit: BigInt(text('limit') || 0) },
    ...{ taker: text('taker') as Address, receiver: text('receiver') as Address },
  };
}

export function throughPairs(
  client: PublicClient,
  router: Address,
  wrapped: Address,
): (asked: Question) => Promise<Answer | undefined> {
  const { abi } = uniswapArtifacts.pairRouter;
  const FAR_DEADLINE = 10n ** 12n;
  return async ({ sell, buy, amount, side, receiver, limit }) => {
    const path = [sell, buy].map((token) => (NATIVE.test(token) ? wrapped : (token as Address)));
    const exact = side === 'sell';
    const functionName = exact ? 'getAmountsOut' : 'getAmountsIn';
    const reported = await client.readContract({ address: router, abi, functionName, args: [amount, path] });
    const amounts = reported as readonly bigint[];
    const [amountIn, amountOut] = [amounts[0] as bigint, amounts.at(-1) as bigint];
    const [nativeIn, nativeOut] = [NATIVE.test(sell), NATIVE.test(buy)];
    const [from, into] = [nativeIn ? 'ETH' : 'Tokens', nativeOut ? 'ETH' : 'Tokens'];
    const name = exact
      ? `swapExact${from}For${into}`
      : `swap${from}For${nativeIn ? 'ExactTokens' : nativeOut ? 'ExactETH' : 'ExactTokens'}`;
    const way = [path, receiver, FAR_DEADLINE];
    const args = nativeIn ? [exact ? limit : amount, ...way] : [amount, limit, ...way];
    const data = receiver ? encodeFunctionData({ abi, functionName: name, args }) : '0x';
    const value = nativeIn ? (exact ? amount : limit || amountIn) : 0n;
    return { in: amountIn, out: amountOut, to: router, spender: router, data, value };
  };
}

const SWINDLES = [
  ...['Honest', 'Short', 'Nothing', 'Elsewhere', 'Refuses', 'IfUnpriced', 'Until', 'UnlessSignedBy', 'IfRich'],
  ...['TakesAll', 'Burns', 'Bomb'],
] as const;

/** How a contract that swaps as its calldata says deviates, and what that takes. */
export interface Swindle {
  readonly mode: (typeof SWINDLES)[number];
  readonly when?: bigint;
  readonly other?: Address;
}

export function swindle(
  swindler: Address,
  { sell, buy, receiver }: Question,
  [amountIn, amountOut]: readonly [bigint, bigint],
  { mode, when = 0n, other = swindler }: Swindle,
): Answer {
  const it = {
    ...{ input: sell as Address, amountIn, output: buy as Address, amountOut },
    ...{ to: receiver || swindler, mode: SWINDLES.indexOf(mode), when, other },
  };
  const data = encodeFunctionData({ abi: artifacts.testSwindler.abi, functionName: 'swap', args: [it] });
  return { in: amountIn, out: amountOut, to: swindler, spender: swindler, data, value: 0n };
}
