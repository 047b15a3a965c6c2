import { NotYetError } from '@causeway/core';
import { expect, it } from 'vitest';
import { lanePosition, type SentDeps } from '../src/sent.js';

const HEAD = 'aa'.repeat(32);
const ANCHOR = { serial: 3, behind: undefined, coin: { txid: 'bb'.repeat(32), vout: 2, spentInPool: null } };

/** The node's mempool may spend the anchor, which the lane has not seen. */
function lane(isSpent: boolean): SentDeps {
  const answers: Readonly<Record<string, unknown>> = {
    getbestblockhash: HEAD,
    getblockheader: { hash: HEAD, height: 7, confirmations: 1, time: 1, mediantime: 1 },
    gettxout: isSpent ? null : { value: 1 },
  };
  const provider = { name: 'node', rpc: { request: async (method: string) => answers[method] } };
  return {
    providers: { runSurely: async (_: string, ask: (one: typeof provider) => Promise<unknown>) => ask(provider) },
    coins: { upTo: async () => undefined },
    onBehind: () => undefined,
    watch: { refresh: async () => undefined, current: { at: { id: HEAD }, anchor: ANCHOR, newest: ANCHOR, free: [] } },
    floor: () => 0,
    finalityDepth: 2,
  } as unknown as SentDeps;
}

it('a lane whose send its node shows before it is informed of it briefly cannot state its position', async () => {
  expect(await lanePosition(lane(false), 'pool')).toMatch(/^3/);
  const asked = lanePosition(lane(true), 'pool');
  await expect(asked).rejects.toThrow(NotYetError);
  await expect(asked).rejects.toThrow('what spends the anchor in the pool is not known yet');
});
