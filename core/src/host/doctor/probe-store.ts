import type { Store } from '../../contract/store.js';
import { bad, type Finding, good } from './findings.js';

const MEGABYTE = 1_048_576n;

interface WithDurability {
  durability(): Promise<{ readonly durable: boolean; readonly journalMode: string; readonly synchronous: string }>;
}

export async function probeStore(store: Store): Promise<readonly Finding[]> {
  await store.ping();
  if (store.probe) return (await store.probe()).map(({ ok, level, name, message }) => ({ ok, level, name, message }));
  if (!hasDurability(store)) return [good('database', 'answers')];
  const { durable, journalMode, synchronous } = await store.durability();
  const message = `journal_mode=${journalMode}, synchronous=${synchronous}`;
  return [durable ? good('database', `durable (${message})`) : bad('error', 'database', `not durable (${message})`)];
}

export async function probeSpace(store: Pick<Store, 'freeBytes'>, leastFreeMb: number): Promise<readonly Finding[]> {
  if (!store.freeBytes) return [];
  const free = (await store.freeBytes()) / MEGABYTE;
  const room = `${free} MB free on the disk of the database`;
  if (free >= BigInt(leastFreeMb)) return [good('disk', room)];
  return [
    bad('error', 'disk', `${room}, less than ${leastFreeMb} (service.database.leastFreeMb): no quotes are served`),
  ];
}

function hasDurability(store: Store): store is Store & WithDurability {
  return typeof (store as Partial<WithDurability>).durability === 'function';
}
