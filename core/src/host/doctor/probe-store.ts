import type { Store } from '../../contract/store.js';
import { bad, type Finding, good } from './findings.js';

interface WithDurability {
  durability(): Promise<{ readonly durable: boolean; readonly journalMode: string; readonly synchronous: string }>;
}

/** Whether an open store keeps what it was given through a loss of power. */
export async function probeStore(store: Store): Promise<readonly Finding[]> {
  await store.ping();
  if (store.probe) return (await store.probe()).map(({ ok, level, name, message }) => ({ ok, level, name, message }));
  if (!hasDurability(store)) return [good('database', 'answers')];
  const { durable, journalMode, synchronous } = await store.durability();
  const message = `journal_mode=${journalMode}, synchronous=${synchronous}`;
  return [durable ? good('database', `durable (${message})`) : bad('error', 'database', `not durable (${message})`)];
}

function hasDurability(store: Store): store is Store & WithDurability {
  return typeof (store as Partial<WithDurability>).durability === 'function';
}
