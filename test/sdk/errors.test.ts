import {
  APIError,
  claimAppFees,
  DepositTransactionTimeoutError,
  execute,
  fastFill,
  getClient,
  getQuote,
  isAPIError,
  SolverStatusTimeoutError,
  TransactionConfirmationError,
} from '@relayprotocol/relay-sdk';
import { parseEther, parseUnits } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { newAddress, newUser, walletOf } from '../support/wallet.js';
import { World } from '../support/world.js';
import { askedFor, play, type SdkAsk, sdkOf, sdkOrder } from './sdk.js';

let world: World;

beforeAll(async () => {
  world = await World.start();
});

beforeEach(async () => {
  await sdkOf(world);
  // The SDK also prints what it throws.
  vi.spyOn(console, 'error').mockReturnValue();
  vi.spyOn(console, 'warn').mockReturnValue();
});

afterAll(async () => {
  await world?.close();
});

async function thrown(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    (value) => expect.fail(`nothing was thrown, but ${JSON.stringify(value)} came`),
    (error: unknown) => error,
  );
}

/** The SDK's error type, with the service's message. */
async function refused(work: Promise<unknown>): Promise<APIError> {
  const error = await thrown(work);
  expect(error).toBeInstanceOf(APIError);
  const api = error as APIError;
  expect(isAPIError(api)).toBe(true);
  return api;
}

describe('a quote that is refused', () => {
  const bad: readonly [string, Partial<SdkAsk>, number, string | undefined][] = [
    ['INVALID_ADDRESS', { recipient: '0x12' }, 400, 'recipient'],
    ['INVALID_SLIPPAGE_TOLERANCE', { options: { slippageTolerance: '10001' } }, 400, 'slippageTolerance'],
    ['INVALID_SLIPPAGE_TOLERANCE', { options: { latePaymentSlippageTolerance: '1.5' } }, 400, undefined],
    ['INSUFFICIENT_LIQUIDITY', { amount: parseEther('100000000') }, 400, undefined],
    ['INVALID_ADDRESS', { options: { refundTo: 'nobody' } }, 400, 'refundTo'],
    ['UNSUPPORTED_EXECUTION_TYPE', { options: { useDepositAddress: true } }, 400, 'useDepositAddress'],
    ['UNAUTHORIZED', { options: { subsidizeFees: true } }, 401, 'subsidizeFees'],
  ];
  it.each(bad)('%s: %o', async (errorCode, change, statusCode, field) => {
    const ask = { user: newUser(), amount: parseEther('1'), ...change };
    const error = await refused(sdkOrder(world, ask));
    expect(error).toMatchObject({ statusCode, rawError: { errorCode, statusCode } });
    if (field !== undefined) expect(error.rawError).toMatchObject({ errorData: { field } });
    expect(error.message).toBe(error.rawError.message);
    expect(error.message).not.toBe('Unknown Reason');
    expect(error.endpoint).toBe(`${world.rest.baseUrl}/quote/v2`);
  });

  it('says so for a recipient that is a token, a chain and a currency that are not served, and calls', async () => {
    const parameters = {
      user: newAddress(),
      recipient: newAddress() as string,
      chainId: world.a.id,
      toChainId: world.b.id,
      currency: world.a.currency('ETH'),
      toCurrency: world.b.currency('ETH'),
      amount: parseEther('1').toString(),
      tradeType: 'EXACT_INPUT' as const,
    };
    const codeOf = async (change: Partial<Parameters<typeof getQuote>[0]>) =>
      (await refused(getQuote({ ...parameters, ...change }))).rawError.errorCode;
    expect(await codeOf({ recipient: world.b.currency('USDC') })).toBe('INVALID_RECIPIENT');
    expect(await codeOf({ toChainId: 99_999 })).toBe('UNSUPPORTED_CHAIN');
    expect(await codeOf({ currency: 'usdc' })).toBe('INVALID_INPUT_CURRENCY');
    expect(await codeOf({ toCurrency: 'usdc' })).toBe('INVALID_OUTPUT_CURRENCY');
    expect(await codeOf({ toCurrency: newAddress() })).toBe('UNSUPPORTED_CURRENCY');
    const all = parseEther('1').toString();
    expect(await codeOf({ txs: [{ to: newAddress(), value: all, data: '0x' }] })).toBe('INVALID_EXTRA_TXS');
    expect(await codeOf({ amount: '-1' })).toBe('INVALID_REQUEST');
  });
});

describe('a claim of app fees', () => {
  it('is refused in words where nothing is owed', async () => {
    const wallet = walletOf(world.a, newUser());
    const currency = world.a.currency('USDC');
    const error = await refused(claimAppFees({ wallet, chainId: world.a.id, currency }));
    expect(error).toMatchObject({ statusCode: 400, message: expect.stringContaining('nothing can be claimed') });
    expect(error.rawError.errorCode).toBe('AMOUNT_TOO_LOW');
  });
});

describe('what comes later', () => {
  it('is refused in words, with the status: fast fills, which need a key that the SDK does not send', async () => {
    const error = await refused(fastFill({ requestId: `0x${'1'.repeat(64)}` }));
    expect(error).toMatchObject({ statusCode: 401, message: 'A valid API key is required' });
  });
});

describe('an execution', () => {
  it('never begins for the addresses of previews', async () => {
    const { a, b } = world;
    const quote = await getQuote(
      {
        chainId: a.id,
        toChainId: b.id,
        currency: a.currency('ETH'),
        toCurrency: b.currency('ETH'),
        amount: parseEther('1').toString(),
        tradeType: 'EXACT_INPUT',
      },
      true,
    );
    expect(quote.steps).toHaveLength(1);
    expect(() => execute({ quote, wallet: walletOf(a, newUser()) })).toThrow(/burn address/);
  });

  it('that is refunded says so, and the money is back', async () => {
    const order = await sdkOrder(world, {
      user: await world.user({ USDC: parseUnits('500', 6) }),
      input: 'USDC',
      amount: parseUnits('500', 6),
      options: { referrer: 'debug-force-refund' },
    });
    const { error, progress } = await play(world, order, { mining: true });
    expect(error).toMatchObject({ message: 'Transaction failed: Refunded' });
    expect(progress.at(-1)).toMatchObject({ refunded: true });
    const back = await world.a.balance(order.refundTo, 'USDC');
    expect(back).toBeGreaterThan((order.amountIn * 9n) / 10n);
    expect(back).toBeLessThan(order.amountIn);
    expect(await world.b.balance(order.recipient, 'USDC')).toBe(0n);
  });

  it('whose deposit reverts is a TransactionConfirmationError, and the request stays unpaid', async () => {
    const order = await sdkOrder(world, { user: await world.user(), amount: parseEther('1') });
    const { error } = await play(world, order, { depositGasLimit: '24000' });
    expect(error).toBeInstanceOf(TransactionConfirmationError);
    expect((error as TransactionConfirmationError).receipt).toMatchObject({ status: 'reverted' });
    expect((await world.rest.status(order.requestId)).status).toBe('waiting');
  });

  it('whose deposit is not mined in time is a DepositTransactionTimeoutError, and is filled all the same', async () => {
    await sdkOf(world, { attempts: 6 });
    const order = await sdkOrder(world, { user: await world.user(), amount: parseEther('1') });
    await world.a.manual();
    const { error } = await play(world, order);
    expect(error).toBeInstanceOf(DepositTransactionTimeoutError);
    expect(error).toMatchObject({ requestId: order.requestId });
    expect(askedFor('/transactions/index')).toHaveLength(1);
    await world.a.automatic();
    await world.becomes(order, 'success');
    expect(await world.b.balance(order.recipient, 'ETH')).toBe(order.amountOut);
  });

  it('that the service does not answer for is a SolverStatusTimeoutError, and is filled after a restart', async () => {
    await sdkOf(world, { attempts: 20, pollingMs: 100 });
    const order = await sdkOrder(world, { user: await world.user(), amount: parseEther('1') });
    await world.service.stop();
    expect((await refused(getClient().utils.request({ url: `${world.rest.baseUrl}/lives` }))).statusCode).toBe(500);
    const { error } = await play(world, order);
    expect(error).toBeInstanceOf(SolverStatusTimeoutError);
    await world.boot();
    await world.becomes(order, 'success');
    expect(await world.b.balance(order.recipient, 'ETH')).toBe(order.amountOut);
  });

  it('of a payer without the money sends nothing', async () => {
    const order = await sdkOrder(world, { user: newUser(), amount: parseEther('1') });
    const { error } = await play(world, order);
    expect(String(error)).toMatch(/funds/);
    expect(askedFor('/transactions/index')).toEqual([]);
    expect((await world.rest.status(order.requestId)).status).toBe('waiting');
  });
});

describe('afterwards', () => {
  it('the chains show nothing lost and nothing doubled', async () => {
    await world.finalise();
    expect(await world.verdict()).toEqual([]);
  });
});
