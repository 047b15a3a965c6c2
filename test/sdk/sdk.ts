import {
  type AdaptedWallet,
  type APIError,
  adaptViemWallet,
  axios,
  createClient,
  type Execute,
  getClient,
  type ProgressData,
} from '@relayprotocol/relay-sdk';
import { configureDynamicChains } from '@relayprotocol/relay-sdk/chain-utils';
import type { Address, Hex } from 'viem';
import type { TestChain } from '../support/chain.js';
import { type Quote, requestIdOf, type Status, type StepItem } from '../support/rest.js';
import { sleep } from '../support/until.js';
import { newAddress, sendItem, type User, walletOf } from '../support/wallet.js';
import { arrivesOf, type Order, type World } from '../support/world.js';

export const SOURCE = 'tests.example.org';

/**
 * All HTTP calls of the SDK. Others than to the service are refused: an unmodified SDK calls third parties after some
 * failures.
 */
export const asked: { readonly method: string; readonly path: string; readonly body: unknown }[] = [];

axios.interceptors.request.use((config) => {
  const url = new URL(config.url ?? '');
  if (url.hostname !== '127.0.0.1') throw new Error(`not the service: ${url.href}`);
  asked.push({ method: (config.method ?? 'get').toUpperCase(), path: url.pathname + url.search, body: config.data });
  return config;
});

/** Unsuccessful calls, including those that the SDK ignores. */
export const unserved: string[] = [];

axios.interceptors.response.use(undefined, (error: APIError) => {
  unserved.push(`${error.statusCode} ${error.endpoint}: ${error.message}`);
  return Promise.reject(error);
});

export function askedFor(path: string) {
  return asked.filter((one) => one.path.startsWith(path));
}

export interface Tuning {
  /** For pushed status changes; null polls. */
  readonly websocket?: string | null;
  readonly pollingMs?: number;
  readonly attempts?: number;
  /** Absent: the service. */
  readonly baseUrl?: string;
  /** Absent: none. */
  readonly apiKey?: string;
}

/** Configures the process-wide client for this world; its chains are those that the service lists. */
export async function sdkOf(world: World, tuning: Tuning = {}) {
  const options = {
    baseApiUrl: tuning.baseUrl ?? world.rest.baseUrl,
    ...(tuning.apiKey === undefined ? {} : { apiKey: tuning.apiKey }),
    source: SOURCE,
    pollingInterval: tuning.pollingMs ?? 50,
    maxPollingAttemptsBeforeTimeout: tuning.attempts ?? 600,
    confirmationPollingInterval: 50,
    websocket: { enabled: typeof tuning.websocket === 'string', url: tuning.websocket ?? '' },
  };
  createClient(options);
  // Only reconfiguring accepts the confirmation interval.
  const client = createClient(options);
  await configureDynamicChains();
  asked.length = 0;
  unserved.length = 0;
  return client;
}

type Options = Record<string, unknown>;

export interface SdkAsk {
  readonly to?: TestChain;
  readonly input?: string;
  readonly output?: string;
  readonly amount: bigint;
  readonly tradeType?: 'EXACT_INPUT' | 'EXACT_OUTPUT' | 'EXPECTED_OUTPUT';
  readonly user: User;
  readonly recipient?: Address;
  readonly options?: Options;
  readonly txs?: readonly { readonly to: Address; readonly value: string; readonly data: Hex }[];
  readonly headers?: Readonly<Record<string, string>>;
}

export interface SdkOrder extends Order {
  readonly sdkQuote: Execute;
}

/** Quotes from A through the SDK, and registers the promise with the oracle. */
export async function sdkOrder(world: World, ask: SdkAsk): Promise<SdkOrder> {
  const { a: from } = world;
  const to = ask.to ?? world.b;
  const input = ask.input ?? 'ETH';
  const output = ask.output ?? input;
  const recipient = ask.recipient ?? newAddress();
  const refundTo = newAddress();
  const sdkQuote = await getClient().actions.getQuote(
    {
      wallet: walletOf(from, ask.user),
      chainId: from.id,
      toChainId: to.id,
      currency: from.currency(input),
      toCurrency: to.currency(output),
      amount: ask.amount.toString(),
      tradeType: ask.tradeType ?? 'EXACT_INPUT',
      recipient,
      ...(ask.txs === undefined ? {} : { txs: [...ask.txs] }),
      options: { refundTo, ...ask.options },
    },
    true,
    { ...ask.headers },
  );
  // The SDK's types make every field optional; the service sends them all.
  const quote = sdkQuote as unknown as Quote;
  const { currencyIn, currencyOut } = quote.details;
  const gives = quote.details.route.destination.inputCurrency;
  const swaps = gives.currency.address !== currencyOut.currency.address;
  const order = {
    quote,
    sdkQuote,
    requestId: requestIdOf(quote),
    orderId: quote.protocol.v2.orderId,
    ...{ user: ask.user, recipient, refundTo, from, to, input, output },
    amountIn: BigInt(currencyIn.amount),
    amountOut: BigInt(currencyOut.amount),
    minimumOut: BigInt(currencyOut.minimumAmount),
  };
  world.promises.push({
    orderId: order.orderId,
    ...(swaps ? { given: { currency: gives.currency.address, most: BigInt(gives.amount) } } : {}),
    originChainId: from.id,
    ...arrivesOf(quote),
    destinationChainId: to.id,
    currencyOut: to.currency(output),
    expectedOut: order.amountOut,
    minimumOut: order.minimumOut,
    ...{ recipient, refundTo },
  });
  return order;
}

export interface Played {
  readonly data: Execute | undefined;
  readonly error: unknown;
  /** Every call of `onProgress`, copied on arrival. */
  readonly progress: readonly Seen[];
}

/** The current step in one `onProgress` call. */
interface Seen {
  readonly step: string | undefined;
  readonly progressState: string | undefined;
  readonly checkStatus: string | undefined;
  readonly txHashes: readonly { readonly txHash: string; readonly chainId: number }[];
  readonly refunded: boolean | undefined;
  readonly error: unknown;
}

function seen({ currentStep, currentStepItem, txHashes, refunded, error }: ProgressData): Seen {
  const { progressState, checkStatus } = currentStepItem ?? {};
  return { step: currentStep?.id, progressState, checkStatus, txHashes: [...(txHashes ?? [])], refunded, error };
}

interface Play {
  /** Continuous blocks, so that refunds become final. */
  readonly mining?: boolean;
  readonly depositGasLimit?: string;
  /** A wallet that sends all transactions of a quote as one batch. */
  readonly atOnce?: boolean;
  readonly onProgress?: (seen: Seen) => void;
}

function batching(order: SdkOrder): AdaptedWallet {
  return {
    ...adaptViemWallet(walletOf(order.from, order.user)),
    supportsAtomicBatch: async () => true,
    handleBatchTransactionStep: async (_chainId, items) => {
      for (const item of items) await order.from.receipt(await sendItem(order.from, order.user, item as StepItem));
      return '0xba7c4';
    },
  };
}

/** The SDK executes a quote with a viem wallet to its end; an error is an outcome. */
export async function play(world: World, order: SdkOrder, how: Play = {}): Promise<Played> {
  const progress: Seen[] = [];
  const work = getClient()
    .actions.execute({
      quote: order.sdkQuote,
      wallet: how.atOnce === true ? batching(order) : walletOf(order.from, order.user),
      ...(how.depositGasLimit === undefined ? {} : { depositGasLimit: how.depositGasLimit }),
      onProgress: (data) => {
        progress.push(seen(data));
        how.onProgress?.(seen(data));
      },
    })
    .then(
      ({ data }) => ({ data, error: undefined }),
      (error: unknown) => ({ data: undefined, error }),
    );
  return { ...(await whileChainsMove(world, work, how.mining)), progress };
}

/** Of two transactions that arrive out of order a node mines only one until nudged. */
export async function whileChainsMove<T>(world: World, work: Promise<T>, mining = false): Promise<T> {
  let over = false;
  const done = work.finally(() => {
    over = true;
  });
  while (!over) {
    await Promise.all(world.chains.map((chain) => (mining ? chain.mine() : chain.nudge())));
    await Promise.race([sleep(100), done.catch(() => undefined)]);
  }
  return done;
}

/** By the chains: the recipient holds what was quoted, through a transaction that status and SDK both name. */
export async function delivered(world: World, order: SdkOrder, played: Played): Promise<Status> {
  if (played.error !== undefined) throw new Error(`the SDK gave up: ${String(played.error)}`, { cause: played.error });
  const balance = await order.to.balance(order.recipient, order.output);
  if (balance !== order.amountOut) throw new Error(`${balance} arrived, ${order.amountOut} was quoted`);
  const status = await world.rest.status(order.requestId);
  if (status.status !== 'success') throw new Error(`the status is ${status.status}`);
  for (const hash of status.txHashes) await order.to.receipt(hash as Hex);
  for (const hash of status.inTxHashes) await order.from.receipt(hash as Hex);
  return status;
}

/** The deposit, as the SDK leaves it. */
export function lastItem({ data }: Played) {
  const item = data?.steps.at(-1)?.items.at(-1);
  if (item === undefined) throw new Error('the SDK has no steps left');
  return item;
}
