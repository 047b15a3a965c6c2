import { setTimeout as delay } from 'node:timers/promises';
import { type LocalNode, startNode, until } from '../support/node.js';

const LAG_BLOCKS = 2;
const PACE_MS = 20;

export interface OtherNode {
  readonly url: string;
  stop(): Promise<void>;
}

/** Fully synced, then isolated. */
async function aloneFrom(first: LocalNode): Promise<LocalNode> {
  const other = await startNode(first.kind, { blocks: 0 });
  await other.rpc('addnode', [`127.0.0.1:${first.peerPort}`, 'onetry']);
  await until('the second node to have the chain', async () => (await other.height()) === (await first.height()));
  await other.rpc('setnetworkactive', [false]);
  return other;
}

/** On a fork with empty blocks from this height on. */
export async function nodeApart(first: LocalNode, from: number): Promise<OtherNode> {
  const other = await aloneFrom(first);
  const height = await other.height();
  await other.rpc('invalidateblock', [await other.rpc<string>('getblockhash', [from])]);
  for (let at = from; at <= height; at += 1) await other.mineOnly([]);
  return other;
}

/** Receives each block two blocks late and forwards what it is sent. */
export async function lateNode(first: LocalNode): Promise<OtherNode> {
  const late = await aloneFrom(first);
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
