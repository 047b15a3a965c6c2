import { parseEther, parseUnits } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { World } from '../support/world.js';
import { askedFor, delivered, lastItem, play, sdkOf, sdkOrder } from './sdk.js';

let world: World;
let url: string;

const sockets: WebSocket[] = [];

class Seeing extends WebSocket {
  constructor(address: string) {
    super(address);
    sockets.push(this);
  }
}

beforeAll(async () => {
  world = await World.start();
  url = world.rest.baseUrl.replace('http', 'ws');
  // The SDK opens sockets only where `window` has them.
  vi.stubGlobal('WebSocket', Seeing);
  vi.stubGlobal('window', { WebSocket: Seeing });
});

beforeEach(() => {
  sockets.length = 0;
});

afterAll(async () => {
  vi.unstubAllGlobals();
  await world?.close();
});

const usd = (amount: string) => parseUnits(amount, 6);

describe('the SDK, by websocket', () => {
  it.each([
    ['', 'the root'],
    ['/ws', '/ws'],
  ])('bridges native coin over %s without a single poll', async (path) => {
    await sdkOf(world, { websocket: url + path });
    const order = await sdkOrder(world, { user: await world.user(), amount: parseEther('1') });

    // The fill waits until `pending` was pushed: a socket that opens after the fill is pushed the end alone.
    await world.b.manual();
    const played = await play(world, order, {
      onProgress: ({ checkStatus }) => {
        if (checkStatus === 'pending') void world.b.automatic();
      },
    });

    const status = await delivered(world, order, played);
    expect(askedFor('/intents/status')).toEqual([]);
    expect(lastItem(played)).toMatchObject({ status: 'complete', checkStatus: 'success' });
    expect(lastItem(played).txHashes).toEqual(status.txHashes.map((txHash) => ({ txHash, chainId: world.b.id })));
    expect(lastItem(played).internalTxHashes).toEqual(
      status.inTxHashes.map((txHash) => ({ txHash, chainId: world.a.id })),
    );
    expect(played.progress.map((one) => one.checkStatus)).toContain('pending');
    expect(sockets).toHaveLength(1);
    await expect.poll(() => sockets[0]?.readyState).toBe(WebSocket.CLOSED);
  });

  it('bridges a token: one socket, for the deposit alone', async () => {
    await sdkOf(world, { websocket: url });
    const user = await world.user({ DAI: parseUnits('40', 18) });
    const order = await sdkOrder(world, { user, input: 'DAI', amount: parseUnits('40', 18) });
    await delivered(world, order, await play(world, order));
    expect(sockets).toHaveLength(1);
    expect(askedFor('/intents/status')).toEqual([]);
  });

  it('is informed of a refund at once', async () => {
    await sdkOf(world, { websocket: url });
    const order = await sdkOrder(world, {
      user: await world.user(),
      amount: parseEther('1'),
      options: { referrer: 'debug-force-refund' },
    });
    const { error, progress } = await play(world, order, { mining: true });
    expect(error).toMatchObject({ message: 'Transaction failed: Refunded' });
    expect(progress.at(-1)).toMatchObject({ refunded: true });
    expect(askedFor('/intents/status')).toEqual([]);
    const back = await world.a.balance(order.refundTo, 'ETH');
    expect(back).toBeGreaterThan((order.amountIn * 9n) / 10n);
    expect(back).toBeLessThan(order.amountIn);
  });

  it('polls when there is nothing to connect to', async () => {
    await sdkOf(world, { websocket: 'ws://127.0.0.1:1' });
    const order = await sdkOrder(world, { user: await world.user(), amount: parseEther('0.5') });
    await delivered(world, order, await play(world, order));
    expect(askedFor('/intents/status').length).toBeGreaterThan(0);
  });

  it('polls once the socket is gone, and learns of what the service finished after a crash', async () => {
    await sdkOf(world, { websocket: url });
    const order = await sdkOrder(world, {
      user: await world.user({ USDC: usd('90') }),
      input: 'USDC',
      amount: usd('90'),
    });
    await world.b.manual();
    let crashed: Promise<void> | undefined;
    const crash = async () => {
      await world.service.kill();
      await world.b.automatic();
      await world.boot();
    };
    const played = await play(world, order, {
      onProgress: ({ checkStatus }) => {
        if (checkStatus === 'pending') crashed ??= crash();
      },
    });
    await crashed;
    expect(crashed).toBeDefined();
    await delivered(world, order, played);
    expect(askedFor('/intents/status').length).toBeGreaterThan(0);
  });
});

describe('afterwards', () => {
  it('the chains show nothing lost and nothing doubled', async () => {
    await world.finalise();
    expect(await world.verdict()).toEqual([]);
  });
});
