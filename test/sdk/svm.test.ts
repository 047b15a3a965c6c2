import {
  type AdaptedWallet,
  adaptViemWallet,
  createClient,
  type Execute,
  getClient,
  type ProgressData,
} from '@relayprotocol/relay-sdk';
import { configureDynamicChains } from '@relayprotocol/relay-sdk/chain-utils';
import { adaptSolanaWallet } from '@relayprotocol/relay-svm-wallet-adapter';
import { Connection, Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { parseEther, parseUnits } from 'viem';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Payer, PayingSide, Side } from '../support/families/side.js';
import type { SvmPayer, SvmSide } from '../support/families/svm-side.js';
import { FamiliesWorld } from '../support/families/world.js';
import { type Quote, requestIdOf } from '../support/rest.js';
import { walletOf } from '../support/wallet.js';

let world: FamiliesWorld;

beforeAll(async () => {
  world = await FamiliesWorld.start();
});

beforeEach(async () => {
  createClient({
    ...{ baseApiUrl: world.rest.baseUrl, source: 'tests.example.org', pollingInterval: 50 },
    ...{ maxPollingAttemptsBeforeTimeout: 600, confirmationPollingInterval: 50, websocket: { enabled: false } },
  });
  await configureDynamicChains();
});

afterAll(async () => {
  await world?.close();
});

function svmWallet(side: SvmSide, payers: readonly [SvmPayer, ...SvmPayer[]]): AdaptedWallet {
  const connection = new Connection(side.url, { commitment: 'confirmed', wsEndpoint: side.wsUrl });
  const keys = payers.map(({ privateKey }) => Keypair.fromSecretKey(bs58.decode(privateKey)));
  const [user, patron] = payers;
  return adaptSolanaWallet(
    user.address,
    side.id,
    connection,
    async (transaction) => {
      transaction.sign(keys);
      return { signature: await connection.sendRawTransaction(transaction.serialize(), { skipPreflight: true }) };
    },
    patron?.address,
  );
}

interface Ask<P extends Payer> {
  readonly from: PayingSide<P>;
  readonly to: Side;
  readonly symbol: string;
  readonly amount: bigint;
  readonly wallet: AdaptedWallet;
  readonly user: P;
  readonly options?: Readonly<Record<string, unknown>>;
}

async function bridged<P extends Payer>({ from, to, symbol, amount, wallet, user, options }: Ask<P>) {
  const native = symbol === '';
  const [input, output] = native ? [from.coin, to.coin] : [symbol, symbol];
  const recipient = to.newAddress();
  const sdkQuote = await getClient().actions.getQuote({
    ...{
      wallet,
      user: user.address,
      chainId: from.id,
      toChainId: to.id,
      recipient,
      amount: amount.toString(),
      tradeType: 'EXACT_INPUT',
    },
    ...{ currency: from.currency(input), toCurrency: to.currency(output) },
    options: { refundTo: from.newAddress(), ...options },
  });
  const quote = sdkQuote as unknown as Quote;
  const amountOut = BigInt(quote.details.currencyOut.amount);
  const before = await from.balance(user.address, input);
  const seen: ProgressData[] = [];
  const { data } = (await whileChainsMove(
    getClient().actions.execute({ quote: sdkQuote, wallet, onProgress: (reported) => void seen.push(reported) }),
  )) as { data: Execute };

  expect(await to.balance(recipient, output)).toBe(amountOut);
  const spent = before - (await from.balance(user.address, input));
  const { status, inTxHashes, txHashes } = await world.rest.status(requestIdOf(quote));
  expect(status).toBe('success');
  const item = data.steps.at(-1)?.items.at(-1);
  expect(item).toMatchObject({ status: 'complete', progressState: 'complete', checkStatus: 'success' });
  expect(item?.txHashes).toEqual(txHashes.map((txHash) => ({ txHash, chainId: to.id })));
  expect(item?.internalTxHashes).toMatchObject(inTxHashes.map((txHash) => ({ txHash, chainId: from.id })));
  expect(seen.some(({ error, refunded }) => error !== undefined || refunded === true)).toBe(false);
  const { orderId } = quote.protocol.v2;
  const [origin, destination] = await Promise.all([from.history(), to.history()]);
  expect(origin.deposits.filter(({ id }) => id === orderId)).toMatchObject([{ amount, hash: inTxHashes[0] }]);
  expect(destination.fills.filter((fill) => fill.orderId === orderId)).toMatchObject([
    { amount: amountOut, hash: txHashes[0] },
  ]);
  return { spent, quote };
}

/** The EVM chain mines only on a transaction or on request. */
async function whileChainsMove<T>(work: Promise<T>): Promise<T> {
  let over = false;
  const done = work.finally(() => {
    over = true;
  });
  while (!over) {
    await world.evm.chain.nudge();
    await Promise.race([done.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, 100))]);
  }
  return done;
}

const usd = (amount: string) => parseUnits(amount, 6);

it('the SDK moves native coin and a token out of an SVM chain, by the public adapter of its wallets', async () => {
  const user = await world.s.payer();
  const common = { from: world.s, to: world.evm, user, wallet: svmWallet(world.s, [user]) };
  await bridged({ ...common, symbol: '', amount: parseUnits('1', 9) });
  const { spent } = await bridged({ ...common, symbol: 'USDC', amount: usd('120') });
  expect(spent).toBe(usd('120'));
});

it('another account pays the fee of the deposit, and it limits its own work', async () => {
  const [user, patron] = [await world.s.payer(), await world.s.payer()];
  const { spent, quote } = await bridged({
    ...{ from: world.s, to: world.evm, user, symbol: '', amount: parseUnits('1', 9) },
    wallet: svmWallet(world.s, [user, patron]),
    options: { depositFeePayer: patron.address, includeComputeUnitLimit: true },
  });
  expect(spent).toBe(parseUnits('1', 9));
  expect(quote.steps[0]?.items[0]?.data).toMatchObject({
    feePayer: patron.address,
    instructions: [{ programId: 'ComputeBudget111111111111111111111111111111' }, {}, {}],
  });
});

it('the SDK moves native coin and a token into an SVM chain', async () => {
  for (const symbol of ['', 'USDC']) {
    const user = await world.evm.payer(symbol === '' ? 'ETH' : symbol);
    const wallet = adaptViemWallet(walletOf(world.evm.chain, user));
    const amount = symbol === '' ? parseEther('0.1') : usd('120');
    await bridged({ from: world.evm, to: world.s, user, wallet, symbol, amount });
  }
});
