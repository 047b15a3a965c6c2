import { createHash } from 'node:crypto';
import type { Change } from '../../../core/src/contract/store.js';
import { forwardersOf } from '../../../plugins/evm/src/deposit-addresses/forwarder.js';
import type { TestChain } from '../../support/chain.js';
import { core } from '../ledger/core.js';
import { CLOCK, LOG, METRICS } from '../ledger/quiet.js';

const WEEK_MS = 7 * 86_400_000;
const BATCH = 2_000;

/** Deposit addresses of one chain, in use, written by the service's own store. The service must not run. */
export async function seedAddresses(file: string, { id, depositAddresses }: TestChain, count: number): Promise<void> {
  if (depositAddresses === undefined) throw new Error('no factory');
  const derive = forwardersOf(depositAddresses.toLowerCase() as `0x${string}`);
  const { sqliteStore } = await core('store/index');
  const store = sqliteStore({ file, clock: CLOCK, log: LOG, metrics: METRICS });
  await store.open();
  const now = Date.now();
  for (let from = 0; from < count; from += BATCH) {
    const changes = Array.from({ length: Math.min(BATCH, count - from) }, (_, n): Change => {
      const salt = `0x${createHash('sha256')
        .update(`address ${from + n}`)
        .digest('hex')}` as const;
      const address = derive(salt);
      const place = { id: `${id}:${address}`, version: 1, chainId: id, address, salt, orderId: salt };
      const row = { ...place, type: 'open' as const, keyId: null, createdAt: now, hotUntil: now + WEEK_MS };
      return { op: 'insert', table: 'addresses', row };
    });
    const outcome = await store.apply({ name: 'bench.addresses', changes });
    if (!outcome.ok) throw new Error(JSON.stringify(outcome));
  }
  await store.close();
}
