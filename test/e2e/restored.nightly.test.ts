import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseEther } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sleep, until } from '../support/until.js';
import { depositDirectly, pay } from '../support/wallet.js';
import { World } from '../support/world.js';

let world: World;

beforeAll(async () => {
  // Own world: restores an older ledger.
  world = await World.start();
});

afterAll(async () => {
  await world?.close();
});

describe('a database restored from before a fill', () => {
  it('halts the signer that the chain knows better: nothing is sent a second time', async () => {
    const filled = await world.order({ amount: parseEther('1') });
    const refunded = await world.order({ amount: parseEther('1') });
    await world.service.stop();
    const data = join(world.home.dir, 'data');
    const backup = join(world.home.dir, 'backup');
    cpSync(data, backup, { recursive: true });

    await world.boot();
    await pay(filled.from, filled.user, filled.quote);
    await world.becomes(filled, 'success');
    await depositDirectly(world.a, refunded.user, { symbol: 'ETH', amount: parseEther('0.5'), id: refunded.orderId });
    await world.becomes(refunded, 'refund', { mining: true });
    const { address } = world.keys.fill;
    await world.service.stop();

    rmSync(data, { recursive: true });
    cpSync(backup, data, { recursive: true });
    const sent = await Promise.all(world.chains.map((chain) => chain.client.getTransactionCount({ address })));
    await world.boot();
    await until('the deposits are seen again', async () => {
      await world.finalise();
      return (await world.rest.status(filled.requestId)).status !== 'waiting';
    });
    for (let block = 0; block < 5; block += 1) {
      await world.finalise();
      await sleep(300);
    }

    expect(await Promise.all(world.chains.map((chain) => chain.client.getTransactionCount({ address })))).toEqual(sent);
    expect(await world.b.balance(filled.recipient, 'ETH')).toBe(filled.amountOut);
    expect(await world.a.balance(refunded.refundTo, 'ETH')).toBeLessThan(parseEther('0.5'));
    expect(world.service.output).toMatch(/halted/);
  });
});

describe('afterwards', () => {
  it('the chains show nothing lost and nothing doubled', async () => {
    await world.finalise();
    expect(await world.verdict()).toEqual([]);
  });
});
