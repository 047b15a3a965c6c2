import type { Party } from '@causeway/core';
import { registerAlone, type ScreenerHarness } from '@causeway/core/testing';
import { plugin } from '../../src/index.js';
import { listServer, nameOf } from './list-server.js';

const party = (n: number, chainId = 1): Party => ({
  chainId,
  address: `0x${n.toString(16).padStart(40, '0')}`,
  role: 'user',
});

/** Registers the plugin as a service does, with a local screening service. */
export async function harness(): Promise<ScreenerHarness> {
  const server = await listServer();
  const registered = registerAlone(plugin, { url: server.url, token: 'env:TOKEN' }, { 'env:TOKEN': 'secret' });
  const [screener] = registered.screeners;
  if (screener === undefined) throw new Error('no screener was added');
  const blocked = [party(1), party(2), party(3, 7)];
  for (const one of blocked) server.blocked.add(nameOf(one));
  let asked = 100;
  return {
    lacks: {},
    screener,
    blocked,
    clear: [party(4), party(1, 7), party(3)],
    fresh: () => {
      asked += 1;
      return party(asked);
    },
    block: async (one) => void server.blocked.add(nameOf(one)),
    unblock: async (one) => void server.blocked.delete(nameOf(one)),
    away: async (on) => {
      server.away = on;
    },
    dispose: async () => {
      await registered.stop();
      await server.stop();
    },
  };
}
