import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Hex } from '@causeway/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deployer } from '../src/devnet/index.js';
import type { EvmAdapter } from '../src/evm-adapter.js';
import { rejecter } from '../src/generated/contracts.js';
import { fillLeg, NATIVE } from './support/legs.js';
import { testClient, wallet } from './support/wallet.js';
import { chainOptions, fillSigner, startAdapter, startWorld, type World } from './support/world.js';

const TRACE_MS = 5_000;
const TRIED = '7e'.repeat(20);

let world: World;
let adapter: EvmAdapter;
let slow: Server;
let open = 0;
let most = 0;
/** Trials of the payee `TRIED`, and how many there were when the first trace ended. */
let tried = 0;
let triedBefore: number | undefined;

beforeAll(async () => {
  world = await startWorld();
  const { rpcUrl } = world.anvil;
  slow = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    if (body.includes('debug_traceCall')) {
      open += 1;
      most = Math.max(most, open);
      response.on('close', () => {
        open -= 1;
        if (body.includes(TRIED)) triedBefore ??= tried;
      });
      await delay(TRACE_MS);
    } else if (body.includes(TRIED)) tried += (JSON.parse(body) as unknown[]).length ?? 1;
    if (response.destroyed) return;
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(rpcUrl, { method: 'POST', body, headers }).catch(() => undefined);
    if (answer === undefined) response.destroy();
    else response.end(await answer.text());
  });
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
  const http = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`;
  ({ adapter } = await startAdapter(chainOptions(world, { rpc: [{ http }] })));
});
afterAll(async () => {
  await adapter.stop();
  slow.closeAllConnections();
  slow.close();
  await world.anvil.stop();
});

it('quotes that fail of slow traces keep no fill from being checked, and leave no trace behind', async () => {
  const hash = await wallet(world.anvil, deployer).deployContract({ ...rejecter, args: [] } as never);
  const { contractAddress } = await testClient(world.anvil).waitForTransactionReceipt({ hash, pollingInterval: 20 });
  const call = adapter.capabilities.destinationCalls?.encode({ to: contractAddress as Hex, value: 1n, data: '0x' });
  const { signal } = new AbortController();
  let isOver = false;
  const strangers = Array.from({ length: 12 }, async (_, n) => {
    const recipient = `0x${(n + 1).toString(16).padStart(2, '0').repeat(20)}`;
    const wish = { currency: NATIVE, amount: 5_000n, recipient, calls: [call as Hex] };
    while (!isOver) await adapter.fillCost(wish, { party: `stranger ${n}`, signal });
  });
  await expect.poll(() => most, { timeout: 5_000 }).toBeGreaterThan(0);
  await delay(3_000);
  const took: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    const began = performance.now();
    expect(await adapter.check(fillLeg(9_000 + n, `0x${'7f'.repeat(20)}`, 5_000n), fillSigner.address)).toMatchObject({
      ok: true,
    });
    took.push(Math.round(performance.now() - began));
  }
  // A trace is the slowest response that a check could wait for.
  expect(Math.max(...took)).toBeLessThan(TRACE_MS / 2);
  isOver = true;
  await Promise.all(strangers);
  await expect.poll(() => open, { timeout: 1_000 }).toBe(0);
  expect(most).toBeLessThan(8);
}, 60_000);

it('a trial gives its place back before its failure is explained', async () => {
  const hash = await wallet(world.anvil, deployer).deployContract({ ...rejecter, args: [] } as never);
  const { contractAddress } = await testClient(world.anvil).waitForTransactionReceipt({ hash, pollingInterval: 20 });
  const call = adapter.capabilities.destinationCalls?.encode({ to: contractAddress as Hex, value: 1n, data: '0x' });
  const { signal } = new AbortController();
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) => {
      const leg = { ...fillLeg(9_100 + n, `0x${TRIED}`, 5_000n), calls: [call as Hex] };
      return adapter.check(leg, fillSigner.address, { party: `party ${n}`, signal });
    }),
  );
  // There are eight places, and a trace is awaited for 500 ms.
  expect(triedBefore).toBeGreaterThan(8);
  expect(answers.map((one) => one.ok || one.reason)).toEqual(answers.map(() => 'EXECUTION_REVERTED'));
});
