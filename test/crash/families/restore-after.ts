import type { Side } from '../../support/families/side.js';
import { until } from '../../support/until.js';
import type { FamilyFlow } from './flow.js';
import { OldDatabase } from './old-database.js';
import type { FamiliesStage } from './stage.js';

const TIMEOUT_MS = 60_000;

export interface Restored {
  readonly sentBefore: number;
  readonly sentAfter: number;
}

/**
 * Plays a flow on a database from before any payment and restores that database once all is settled; resolves once
 * the service has found its own sends.
 */
export async function restoreAfter<S extends Side>(stage: FamiliesStage<S>, flow: FamilyFlow<S>): Promise<Restored> {
  const wait = <T>(what: string, ask: () => Promise<T | false>) => until(what, ask, { ms: TIMEOUT_MS, every: 100 });
  const old = new OldDatabase(stage.home);
  stage.configure(flow.tuning);
  let service = stage.services.start({});
  try {
    const orders = await wait('a quote', () => flow.orders(stage));
    await service.kill();
    old.keep();
    service = stage.services.start({});
    const course = flow.course?.(stage, orders) ?? { step: () => stage.advance(), isOver: () => true };
    const paid = Promise.all(orders.map((order) => order.pay()));
    const isKnown = async (): Promise<boolean> => {
      await course.step();
      if (!(await flow.done(stage, orders)) || !course.isOver()) return false;
      for (const { requestId } of orders) if ((await stage.rest.status(requestId)).status !== flow.status) return false;
      return (await stage.audit()).unsettled === 0;
    };
    await wait('everybody has what they are owed', isKnown);
    await paid;
    const sentBefore = await stage.sent();
    await service.kill();
    old.restore();
    service = stage.services.start({});
    await wait('the old ledger knows of it', isKnown);
    return { sentBefore, sentAfter: await stage.sent() };
  } finally {
    await service.kill();
  }
}
