import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/repository.js';
import { newAddress } from '../../support/wallet.js';
import type { World } from '../../support/world.js';
import type { Flow } from '../flow.js';
import { deposit, ended, SMALL } from './orders.js';

const LIST = 'blocked.txt';

function write(world: World, text: string): void {
  const file = join(world.home.dir, LIST);
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

/**
 * A recipient is blocked after the quote while the list is briefly unreadable: the deposit is held, and an operator
 * decides. Other orders are filled.
 */
export const screened: Flow = {
  name: 'held for a screener',
  mayRefuseToStart: true,
  tuning: { withPlugins: [{ use: join(ROOT, 'plugins/screening-list'), options: { file: `./${LIST}` } }] },
  prepare: async (world) => {
    const to = newAddress();
    const [blocked, other] = [await world.order({ amount: SMALL }), await world.order({ amount: SMALL })];
    write(world, '');
    return {
      before: async () => write(world, `${world.b.id} ${blocked.recipient} for a reason\n`),
      act: async (scene) => {
        world.excuse(blocked, { refundTo: to });
        await scene.awake();
        write(world, 'this says nothing\n');
        await deposit(blocked);
        await deposit(other);
        await scene.mayBecome(blocked, 'pending');
        write(world, `${world.b.id} ${blocked.recipient} for a reason\n`);
        const holdId = await scene.insist('a hold', async () => {
          await Promise.all(world.chains.map((chain) => chain.mine()));
          const [hold] = (await scene.audit()).holds;
          if (hold === undefined) throw new Error('nothing is held');
          return hold.id;
        });
        await scene.admin('holds/release', { holdId, to });
      },
      done: async (scene) =>
        (await world.a.balance(to, 'ETH')) > 0n &&
        (await world.b.balance(blocked.recipient, 'ETH')) === 0n &&
        (await scene.filled(other)) &&
        (await ended(blocked, 'refund')(scene)) &&
        ended(other, 'success')(scene),
    };
  },
};
