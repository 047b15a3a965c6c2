import { setTimeout as delay } from 'node:timers/promises';
import { type LocalNode, startNode, until } from '../support/node.js';

/** Blocks that it lacks. */
const LAG_BLOCKS = 2;
const PACE_MS = 20;

/** A second real node of the same chain, which is given each block when two others are on top of it. What it is sent it passes on. */
export async function lateNode(first: LocalNode): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const late = await startNode(first.kind, { blocks: 0 });
  await late.rpc('addnode', [`127.0.0.1:${first.peerPort}`, 'onetry']);
  await until('the second node to have the chain', async () => (await late.height()) === (await first.height()));
  await late.rpc('setnetworkactive', [false]);
  let isOver = false;
  const follow = async (): Promise<void> => {
    for (let next = (await late.height()) + 1; next <= (await first.height()) - LAG_BLOCKS; next += 1) {
      const id = await first.rpc<string>('getblockhash', [next]);
      await late.rpc('submitblock', [await first.rpc<string>('getblock', [id, 0])]);
    }
  };
  const passOn = async (): Promise<void> => {
    for (const id of await late.pool()) {
      const raw = await late.rpc<string>('getrawtransaction', [id]);
      await first.rpc('sendrawtransaction', [raw]).catch(() => undefined);
    }
  };
  const loop = (async () => {
    while (!isOver) {
      await follow().catch(() => undefined);
      await passOn().catch(() => undefined);
      await delay(PACE_MS);
    }
  })();
  return {
    url: late.url,
    stop: async () => {
      isOver = true;
      await loop;
      await late.stop();
    },
  };
}
