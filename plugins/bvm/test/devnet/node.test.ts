import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { decoded, doubleSpend, pay, reorg, split, startPair } from '../support/control.js';
import { lacks, type NodeKind } from '../support/have-node.js';
import { startNode, until } from '../support/node.js';

const PARENT = fileURLToPath(new URL('parent.mjs', import.meta.url));

function alive(pid: number): boolean {
  try {
    // Zombies answer signals too.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

function folderOf(pid: number): string {
  const flag = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    .split('\0')
    .find((each) => each.startsWith('-datadir='));
  return flag?.slice('-datadir='.length) ?? '';
}

describe.each(['bitcoin', 'litecoin'] as const)('a local %s node', (kind: NodeKind) => {
  describe.skipIf(lacks(kind))('where there is one', () => {
    it('is the chain that its network data says, mines past height 431 and leaves nothing behind', async () => {
      const node = await startNode(kind);
      try {
        expect(await node.rpc<string>('getblockhash', [0])).toBe(node.network.genesis);
        expect(node.zmq !== undefined).toBe(kind === 'bitcoin');
        await node.mine(440 - (await node.height()));
        expect(await node.height()).toBe(440);
        const folder = folderOf(node.nodePid);
        expect(existsSync(folder)).toBe(true);
        await node.stop();
        expect([alive(node.pid), alive(node.nodePid), existsSync(folder)]).toEqual([false, false, false]);
      } finally {
        await node.stop();
      }
    });

    it('ends with a parent that is killed', async () => {
      const parent = spawn(process.execPath, [PARENT, kind], { stdio: ['ignore', 'pipe', 'inherit'] });
      const [line] = await once(parent.stdout, 'data');
      const { pids } = JSON.parse(String(line)) as { pids: readonly number[] };
      expect(pids.map(alive)).toEqual([true, true]);
      parent.kill('SIGKILL');
      await until('the node to end', () => !pids.some(alive));
    });

    it('double-spends what waits, and reorgs blocks with or without what they held', async () => {
      const node = await startNode(kind);
      try {
        const [one, two, three] = await split(node, 3, 1_000_000n);
        if (!one || !two || !three) throw new Error('not split');
        const to = await node.address();
        const paid = async (input: typeof one) =>
          (await pay(node, { inputs: [input], outputs: [{ to, satoshis: 400_000n }] })).txid;
        const lost = await paid(one);
        const rival = await doubleSpend(node, lost);
        expect(await node.pool()).toEqual(node.network.rbf ? [rival.txid] : []);
        await node.mine();
        expect((await decoded(node, rival.txid)) as object).toHaveProperty('confirmations');
        await expect(decoded(node, lost)).rejects.toThrow('No such');

        const [kept, dropped] = [await paid(two), await paid(three)];
        const height = await node.height();
        const [before] = await node.mine();
        await reorg(node, 1, { drop: [dropped] });
        expect(await node.height()).toBe(height + 2);
        expect(await node.rpc('getblockhash', [height + 1])).not.toBe(before);
        expect(await decoded(node, kept)).toHaveProperty('confirmations', 1);
        // The index has it from the stale block.
        expect(await decoded(node, dropped)).toHaveProperty('confirmations', 0);
        expect(await node.pool()).toEqual([]);
      } finally {
        await node.stop();
      }
    });

    it('is parted from another one, which overtakes it', async () => {
      const pair = await startPair(kind);
      try {
        const [one, two] = pair.nodes;
        await pair.partition();
        const [stale] = await one.mine(1);
        const hashes = await two.mine(3);
        await pair.heal();
        expect(await one.rpc('getbestblockhash')).toBe(hashes.at(-1));
        expect(await one.rpc<{ confirmations: number }>('getblockheader', [stale])).toHaveProperty('confirmations', -1);
      } finally {
        await pair.stop();
      }
    });
  });
});
