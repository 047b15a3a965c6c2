import { type TcpProxy, tcpProxy } from '@causeway/core/testing';
import { parseUnits } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FamiliesWorld } from '../support/families/world.js';
import { type OwnPostgres, type Standby, standbyOf, startOwnPostgres } from '../support/postgres.js';
import { sleep, until } from '../support/until.js';

/** EX_TEMPFAIL: a restart is the cure. */
const WENT_BACK = 75;

let primary: OwnPostgres;
let standby: Standby;
/** The address of the current primary. */
let address: TcpProxy;
let world: FamiliesWorld;

/**
 * SVM, because there neither a contract nor a key shared by a lane's messages prevents a second fill. Only comparing
 * the ledger with the chain does.
 */
beforeAll(async () => {
  primary = await startOwnPostgres({ durable: false });
  const url = new URL(await primary.database());
  standby = await standbyOf(primary);
  address = await tcpProxy(primary);
  url.port = String(address.port);
  const store = { use: '@causeway/plugin-storage-pg', options: { url: url.href, connectTimeoutMs: 1_000 } };
  const edit = (document: Record<string, unknown>) => ({
    ...document,
    plugins: [...(document['plugins'] as readonly unknown[]), store],
  });
  world = await FamiliesWorld.start({ svm: 1, edit });
});

afterAll(async () => {
  await world?.close();
  await address?.stop();
  await standby?.stop();
  await primary?.stop();
});

async function order() {
  const amount = parseUnits('90', 6);
  return until(
    'a quote is given',
    () => world.order({ from: world.evm, to: world.s, input: 'USDC', output: 'USDC', amount }),
    { ms: 30_000, every: 200 },
  );
}

describe('a standby that lagged and was promoted under the running service', () => {
  it('ends it, and after a new start nothing is paid a second time', async () => {
    const filled = await order();
    const waiting = await order();
    await standby.caughtUp();
    await standby.cutOff();
    await filled.from.pay(filled.payer, filled.quote);
    await world.becomes(filled, 'success', 60_000);
    const delivered = await world.s.balance(filled.recipient, 'USDC');
    expect(delivered).toBe(filled.amountOut);

    await primary.halt('crash');
    await standby.promote();
    address.target = standby;
    address.reset();
    const { service } = world;
    // Otherwise the order would be filled again within a second or two.
    for (let n = 0; n < 40 && service.alive; n += 1) {
      await Promise.all(world.sides.map((side) => side.advance()));
      await sleep(250);
    }
    expect(await world.s.balance(filled.recipient, 'USDC')).toBe(delivered);
    expect((await service.end('once its database went back')).code).toBe(WENT_BACK);
    expect(service.output).toContain('a restart compares every lane');

    await world.boot();
    expect(world.service.output).toContain('marked as restored');
    await world.becomes(filled, 'success', 60_000);
    await waiting.from.pay(waiting.payer, waiting.quote);
    await world.becomes(waiting, 'success', 60_000);
    for (const one of [filled, waiting]) {
      expect(await world.s.balance(one.recipient, 'USDC')).toBe(one.amountOut);
      expect(await world.evm.balance(one.refundTo, 'USDC')).toBe(0n);
    }
  }, 200_000);
});

describe('afterwards', () => {
  it('the chains show nothing lost and nothing doubled', async () => {
    expect(await world.verdict()).toEqual([]);
  });
});
