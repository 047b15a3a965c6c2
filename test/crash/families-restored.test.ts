import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { until } from '../support/until.js';
import { FAMILY_FLOWS } from './families/flows.js';
import { FamiliesStage } from './families/stage.js';
import type { WarmService } from './warm-service.js';

const PATIENCE_MS = 60_000;

it('an old database pays nobody back twice where no contract keeps it from that', { timeout: 300_000 }, async () => {
  const flow = FAMILY_FLOWS.find(({ status }) => status === 'refund');
  if (flow === undefined) throw new Error('no flow pays back');
  const stage = await FamiliesStage.open();
  let service: WarmService | undefined;
  const start = (): void => {
    service = stage.services.start({});
  };
  const wait = (what: string, ask: () => Promise<boolean>) => until(what, ask, { ms: PATIENCE_MS, every: 100 });
  try {
    stage.configure();
    start();
    const order = await until('a quote', () => flow.order(stage), { ms: PATIENCE_MS });
    await service?.kill();
    const old = join(stage.home.dir, 'old.db');
    // Killed, it may have left a part of what is durable beside the database.
    for (const end of ['', '-wal', '-shm'])
      if (existsSync(`${stage.home.database}${end}`)) copyFileSync(`${stage.home.database}${end}`, `${old}${end}`);
    start();
    await order.pay();
    await wait('it comes back', () => flow.done(stage, order));
    const paid = await order.from.balance(order.refundTo, order.input);
    const sent = await stage.sent();
    await service?.kill();
    for (const end of ['', '-wal', '-shm']) {
      rmSync(`${stage.home.database}${end}`, { force: true });
      if (existsSync(`${old}${end}`)) copyFileSync(`${old}${end}`, `${stage.home.database}${end}`);
    }
    start();
    await wait('the old ledger knows of it', async () => {
      await stage.advance();
      return (await stage.rest.status(order.requestId)).status === 'refund' && (await stage.audit()).unsettled === 0;
    });
    expect(await order.from.balance(order.refundTo, order.input)).toBe(paid);
    expect(await stage.sent()).toBe(sent);
    expect(await stage.violations()).toEqual([]);
  } finally {
    await service?.kill();
    await stage.close();
  }
});
