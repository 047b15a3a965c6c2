import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

export interface Question {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface AggregatorServer {
  readonly url: string;
  readonly asked: Question[];
  instead: Handler | undefined;
  pending(): number;
  connections(): number;
  stop(): Promise<void>;
}

export async function serve(handler: Handler): Promise<AggregatorServer> {
  let [url, connections] = ['', 0];
  const [asked, open] = [[] as Question[], new Set<ServerResponse>()];
  const server = createServer((request, response) => {
    open.add(response);
    response.once('close', () => open.delete(response));
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const { method = '', headers } = request;
      asked.push({ method, url: new URL(request.url ?? '', url), headers, body });
      (aggregator.instead ?? handler)(request, response, body);
    });
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const aggregator: AggregatorServer = {
    ...{ url, asked, instead: undefined, pending: () => open.size, connections: () => connections },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return aggregator;
}

/** Writes the JSON text as it is, without floats. */
export function json(response: ServerResponse, text: string, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(text);
}

export const ROUTER = '0x1111111111111111111111111111111111111111';
export const SPENDER = '0x2222222222222222222222222222222222222222';
export const TOKEN = '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
export const OTHER = '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb';
export const NATIVE = `0x${'0'.repeat(40)}`;
export const PARTIES = { payer: `0x${'c'.repeat(40)}`, recipient: `0x${'d'.repeat(40)}`, limit: 1n } as const;

export const JSON_SHAPE = {
  exactInput: {
    quote: {
      path: '/quote?chain={chainId}&sell={sellToken}&buy={buyToken}&amount={amount}&taker={payer}&to={recipient}',
      read: {
        ...{ amountIn: '/in', amountOut: '/out', to: '/tx/to', data: '/tx/data', value: '/tx/value' },
        ...{ spender: '/spender', gas: '/gas', height: '/block', error: '/error' },
      },
    },
  },
  exactOutput: {
    quote: {
      path: '/quote?chain={chainId}&sell={sellToken}&buy={buyToken}&wanted={amount}&taker={payer}&to={recipient}',
      read: {
        ...{ amountIn: '/in', amountOut: '/out', to: '/tx/to', data: '/tx/data', value: '/tx/value' },
        ...{ spender: '/spender', gas: '/gas', height: '/block', error: '/error' },
      },
    },
  },
} as const;

export interface Answer {
  readonly in: string;
  readonly out: string;
  readonly to: string;
  readonly data: string;
  readonly value: string;
  readonly spender: string;
  readonly gas: string;
  readonly block: string;
}

export function answerTo({ url }: Pick<Question, 'url'>): Answer {
  const [amount, wanted] = [url.searchParams.get('amount'), url.searchParams.get('wanted')];
  const [amountIn, amountOut] =
    amount === null ? [(BigInt(wanted ?? 0) + 1n) / 2n, BigInt(wanted ?? 0)] : [BigInt(amount), BigInt(amount) * 2n];
  const isNative = /^0xe{40}$/i.test(url.searchParams.get('sell') ?? '');
  return {
    ...{ in: `"${amountIn}"`, out: `"${amountOut}"`, to: `"${ROUTER}"`, data: '"0x12345678aa"' },
    ...{ value: isNative ? `"${amountIn}"` : '"0"', spender: `"${SPENDER}"`, gas: '200000', block: '77' },
  };
}

export function written({ to, data, value, gas, spender, block, ...amounts }: Answer): string {
  return `{"in":${amounts.in},"out":${amounts.out},"spender":${spender},"gas":${gas},"block":${block},"tx":{"to":${to},"data":${data},"value":${value}}}`;
}

export function serveJson(change: (answer: Answer, question: Pick<Question, 'url'>) => Partial<Answer> = () => ({})) {
  return serve((request, response) => {
    const question = { url: new URL(request.url ?? '', 'http://here') };
    const answer = answerTo(question);
    json(response, written({ ...answer, ...change(answer, question) }));
  });
}
