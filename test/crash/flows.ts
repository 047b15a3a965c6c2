import { keccak256, parseEther, parseUnits, toHex } from 'viem';
import { block, deployRejecter } from '../support/contracts.js';
import { sleep, until } from '../support/until.js';
import { approve, depositApproved, fund, newAddress, type User } from '../support/wallet.js';
import type { Ask, Order, World } from '../support/world.js';
import type { Flow } from './flow.js';
import { PATIENCE_MS, type Scene } from './scene.js';

const usd = (amount: string) => parseUnits(amount, 6);
const SMALL = parseEther('1');
/** Waits for depth before anything is decided. */
const LARGE = parseEther('60');

/** Pays an order with one transaction; allowances were given before. */
function deposit(order: Order, amount = order.amountIn, symbol = order.input) {
  return depositApproved(order.from, order.user, { symbol, amount, id: order.orderId });
}

/** An order in a token, with the allowance for any deposit. */
async function tokenOrder(world: World, ask: Omit<Ask, 'amount'> & { readonly usd: string }): Promise<Order> {
  const order = await world.order({ ...ask, input: 'USDC', amount: usd(ask.usd) });
  await approve(order.from, order.user, 'USDC', usd('1000000'));
  return order;
}

const largeUser = (world: World): Promise<User> => world.user({ ETH: LARGE * 3n });

const ended =
  (order: Order, status: 'success' | 'refund' | 'failure') =>
  async (scene: Scene): Promise<boolean> =>
    (await scene.status(order)) === status;

/** Everything from the quote on: the client asks again until it has one, then pays it and says so. */
const bridge: Flow = {
  name: 'bridge',
  prepare: async () => {
    let order: Order;
    return {
      act: async (scene) => {
        const user = await scene.world.user();
        order = await scene.insist('a quote', () => scene.world.order({ amount: SMALL, user }));
        const txHash = await deposit(order);
        await scene.insist('a hint is taken', async () => {
          const body = { chainId: order.from.id, txHash, requestId: order.requestId };
          const { status } = await scene.world.rest.call('POST', '/transactions/index', { body });
          if (status !== 200) throw new Error(`the hint was answered ${status}`);
        });
      },
      done: async (scene) => (await scene.filled(order)) && ended(order, 'success')(scene),
    };
  },
};

const firstDay: Flow = { ...bridge, name: 'first day', firstDay: true };

const overpaid: Flow = {
  name: 'exact output, overpaid',
  prepare: async (world) => {
    const order = await tokenOrder(world, { usd: '1000', tradeType: 'EXACT_OUTPUT' });
    return {
      act: async () => void (await deposit(order, usd('1500'))),
      done: async (scene) =>
        (await scene.filled(order)) && (await scene.paidBack(order)) && ended(order, 'success')(scene),
    };
  },
};

const underpaid: Flow = {
  name: 'underpaid',
  prepare: async (world) => {
    const order = await tokenOrder(world, { usd: '1000' });
    return {
      act: async () => void (await deposit(order, usd('500'))),
      done: async (scene) => (await scene.paidBack(order)) && ended(order, 'refund')(scene),
    };
  },
};

const failingFill: Flow = {
  name: 'refund of a failing fill',
  prepare: async (world) => {
    const order = await world.order({ amount: SMALL, recipient: await deployRejecter(world.b) });
    return {
      act: async () => void (await deposit(order)),
      done: async (scene) => (await scene.paidBack(order)) && ended(order, 'refund')(scene),
    };
  },
};

const duplicate: Flow = {
  name: 'duplicate deposit',
  prepare: async (world) => {
    const order = await world.order({ amount: SMALL });
    return {
      act: async (scene) => {
        await scene.awake();
        await deposit(order);
        await deposit(order);
      },
      done: async (scene) =>
        (await scene.filled(order)) && (await scene.paidBack(order)) && ended(order, 'success')(scene),
    };
  },
};

const orphan: Flow = {
  name: 'orphan',
  prepare: async (world) => {
    const payer = await world.user();
    const depositor = newAddress();
    const id = keccak256(toHex('nobody was promised this'));
    return {
      act: async () => void (await depositApproved(world.a, payer, { symbol: 'ETH', amount: SMALL, id, depositor })),
      done: async () => (await world.a.balance(depositor, 'ETH')) > 0n,
    };
  },
};

const wrongCurrency: Flow = {
  name: 'wrong currency',
  prepare: async (world) => {
    const order = await world.order({ amount: SMALL });
    await fund(world.a, order.user.address, { USDC: usd('700') });
    await approve(world.a, order.user, 'USDC', usd('700'));
    return {
      act: async () => void (await deposit(order, usd('700'), 'USDC')),
      done: async (scene) => (await scene.paidBack(order, 'USDC')) && ended(order, 'refund')(scene),
    };
  },
};

/** Past the quote, before the deadline: filled at the price of the day. */
const late: Flow = {
  name: 'late deposit',
  prepare: async (world) => {
    const order = await world.order({ amount: SMALL });
    return {
      act: async () => {
        await world.a.passTime(3_700);
        await deposit(order);
      },
      done: async (scene) =>
        (await world.b.balance(order.recipient, 'ETH')) >= order.minimumOut && ended(order, 'success')(scene),
    };
  },
};

const expired: Flow = {
  name: 'expired deposit',
  prepare: async (world) => {
    const order = await world.order({ amount: SMALL });
    return {
      act: async () => {
        await world.a.passTime(8_000);
        await deposit(order);
      },
      done: async (scene) => (await scene.paidBack(order)) && ended(order, 'refund')(scene),
    };
  },
};

/** Taken away before anything was decided; it comes back in another block. */
const reorgedDeposit: Flow = {
  name: 'reorged deposit',
  prepare: async (world) => {
    const order = await world.order({ amount: LARGE, user: await largeUser(world) });
    return {
      act: async (scene) => {
        const hash = await deposit(order);
        await scene.mayBecome(order, 'pending', 600);
        const bytes = await scene.bytesOf(world.a, hash);
        await world.a.reorgOut(hash);
        await world.a.mine();
        await scene.mayBecome(order, 'failure', 600);
        await world.a.client.sendRawTransaction({ serializedTransaction: bytes });
      },
      done: async (scene) => (await scene.filled(order)) && ended(order, 'success')(scene),
    };
  },
};

/** Taken away after the fill; the fill is not repeated when it comes back. */
const reorgedAfterFill: Flow = {
  name: 'reorged deposit after its fill',
  prepare: async (world) => {
    const order = await world.order({ amount: SMALL });
    return {
      act: async (scene) => {
        const hash = await deposit(order);
        await scene.fillOf(order);
        const bytes = await scene.bytesOf(world.a, hash);
        await world.a.reorgOut(hash);
        await world.a.mine();
        await scene.mayBecome(order, 'failure', 600);
        await world.a.client.sendRawTransaction({ serializedTransaction: bytes });
      },
      done: async (scene) => (await scene.filled(order)) && ended(order, 'success')(scene),
    };
  },
};

const reorgedFill: Flow = {
  name: 'reorged fill',
  prepare: async (world) => {
    const order = await world.order({ amount: SMALL });
    return {
      act: async (scene) => {
        await deposit(order);
        const fill = await scene.fillOf(order);
        await scene.mayBecome(order, 'success', 300);
        await world.b.reorgOut(fill);
        await world.b.mine();
      },
      done: async (scene) => (await scene.filled(order)) && ended(order, 'success')(scene),
    };
  },
};

/** Blocks pass the fill by until a higher fee takes its place. */
const stuckFee: Flow = {
  name: 'stuck fee',
  prepare: async (world) => {
    const order = await world.order({ amount: SMALL });
    return {
      act: async (scene) => {
        scene.mining = false;
        await world.b.manual();
        await deposit(order);
        let first: string | undefined;
        await scene.insist('a replacement is in the pool', async () => {
          const pooled = await scene.pool(world.b);
          first ??= pooled[0]?.hash;
          if (pooled.some(({ hash }) => hash !== first)) return;
          for (const { hash } of pooled) await world.b.client.dropTransaction({ hash });
          await world.b.mine();
          throw new Error(`the pool has ${pooled.length} of ours`);
        });
        await world.b.automatic();
      },
      done: async (scene) => (await scene.filled(order)) && ended(order, 'success')(scene),
    };
  },
};

/** Nothing includes the fill: its key is closed by a transaction that moves nothing, then the deposit goes back. */
const closing: Flow = {
  name: 'closing no-op',
  tuning: { inclusionWindow: '700ms' },
  prepare: async (world) => {
    const order = await world.order({ amount: SMALL });
    return {
      act: async (scene) => {
        await world.b.manual();
        await deposit(order);
        await scene.insist('a transaction that moves nothing is in the pool', async () => {
          const pooled = await scene.pool(world.b);
          if (pooled.some(({ to }) => to !== world.b.router.toLowerCase())) return;
          throw new Error(`the pool has ${pooled.length} of ours`);
        });
        await world.b.automatic();
      },
      done: async (scene) => (await scene.paidBack(order)) && ended(order, 'refund')(scene),
    };
  },
};

/** The token refuses the recipient just while a higher fee would be due: nothing is bid until it does not. */
const stuckAndRefused: Flow = {
  name: 'stuck fee, refused meanwhile',
  prepare: async (world) => {
    const user = await world.user({ BLOCK: usd('1000') });
    const order = await world.order({ input: 'BLOCK', amount: usd('300'), user });
    await approve(order.from, user, 'BLOCK', usd('300'));
    return {
      act: async (scene) => {
        await world.b.manual();
        await deposit(order);
        await scene.insist('the fill is in the pool', async () => {
          const pooled = await scene.pool(world.b);
          if (pooled.length === 0) throw new Error('the pool has none of ours');
          for (const { hash } of pooled) await world.b.client.dropTransaction({ hash });
        });
        await refuse(world, order, true);
        for (let blocks = 0; blocks < 5; blocks += 1) {
          for (const { hash } of await scene.pool(world.b)) await world.b.client.dropTransaction({ hash });
          await world.b.mine();
          await sleep(110);
        }
        await refuse(world, order, false);
        await world.b.automatic();
      },
      // What was given back meanwhile is as good: a process that comes up while the token refuses owes a refund.
      done: async (scene) =>
        ((await scene.filled(order)) && ended(order, 'success')(scene)) ||
        ((await scene.paidBack(order)) && ended(order, 'refund')(scene)),
    };
  },
};

/** The chain's blocks are made by the test: until one has the transaction. */
async function refuse(world: World, order: Order, value: boolean): Promise<void> {
  let landed = false;
  const landing = block(world.b, order.recipient, value).finally(() => {
    landed = true;
  });
  while (!landed) {
    await sleep(30);
    await world.b.mine();
  }
  await landing;
}

/** Who used a key is searched for in old states, and the node forgets those from before the snapshot play by play. */
async function farFromTheSnapshot(world: World): Promise<void> {
  await world.b.client.mine({ blocks: 128 });
}

/** The signer's key is used elsewhere: what was signed can never land, and the deposit goes back once that is proven. */
const foreignSpend: Flow = {
  name: 'key used elsewhere',
  shortOf: 'gas of the transaction that somebody else signed',
  prepare: async (world) => {
    const order = await world.order({ amount: SMALL });
    const { address } = world.keys.fill;
    return {
      act: async (scene) => {
        await farFromTheSnapshot(world);
        await world.b.manual();
        await deposit(order);
        await scene.insist('the fill is in the pool', async () => {
          if ((await scene.pool(world.b)).length === 0) throw new Error('the pool has none of ours');
        });
        await world.b.client.impersonateAccount({ address });
        for (const { hash } of await scene.pool(world.b)) await world.b.client.dropTransaction({ hash });
        const wallet = world.b.client;
        await wallet.sendUnsignedTransaction({ from: address, to: address, value: 0n });
        await world.b.automatic();
        await world.b.finalise();
        await world.b.client.stopImpersonatingAccount({ address });
        // Nobody can fill after the deadline: only then is it proven.
        await world.b.passTime(8_000);
      },
      // The service may have sent its bytes again in the meantime: then the two have a key each.
      done: async (scene) =>
        ((await scene.paidBack(order)) && ended(order, 'refund')(scene)) ||
        ((await scene.filled(order)) && ended(order, 'success')(scene)),
    };
  },
};

const collect: Flow = {
  name: 'collect',
  tuning: { collectMinUsd: '1' },
  prepare: async (world) => {
    const order = await tokenOrder(world, { usd: '100' });
    return {
      act: async () => {
        await deposit(order);
        await world.finalise();
      },
      done: async (scene) =>
        (await scene.filled(order)) &&
        (await world.a.balance(world.a.depository, 'USDC')) === 0n &&
        ended(order, 'success')(scene),
    };
  },
};

/** Deposits of one block, paid out by one lane at once; one of them goes back. */
const batch: Flow = {
  name: 'batch',
  prepare: async (world) => {
    const orders: Order[] = [];
    for (let n = 0; n < 4; n += 1) orders.push(await world.order({ amount: SMALL }));
    const refused = await world.order({ amount: SMALL, recipient: await deployRejecter(world.b) });
    return {
      act: async () => {
        await world.a.manual();
        for (const order of [...orders, refused]) await deposit(order);
        await world.a.automatic();
      },
      done: async (scene) => {
        const all = await Promise.all(orders.map((order) => scene.filled(order)));
        if (!all.every(Boolean) || !(await scene.paidBack(refused))) return false;
        const settled = await Promise.all(orders.map((order) => ended(order, 'success')(scene)));
        return settled.every(Boolean) && ended(refused, 'refund')(scene);
      },
    };
  },
};

/** One deposit after the other; the first waits until it is deep enough, in a block that brings another one. */
const steady: Flow = {
  name: 'steady deposits',
  prepare: async (world) => {
    const orders = [await world.order({ amount: LARGE, user: await largeUser(world) })];
    for (let n = 0; n < 3; n += 1) orders.push(await world.order({ amount: SMALL }));
    return {
      act: async (scene) => {
        await scene.awake();
        for (const order of orders) {
          await deposit(order);
          await sleep(130);
        }
      },
      done: async (scene) => {
        const settled = await Promise.all(orders.map(ofSuccess(scene)));
        return settled.every(Boolean);
      },
    };
  },
};

const ofSuccess = (scene: Scene) => async (order: Order) =>
  (await scene.filled(order)) && ended(order, 'success')(scene);

/** More than one change set takes: too little to be worth a refund, so that each is held under a name. */
const dust: Flow = {
  name: 'dust',
  prepare: async (world) => {
    const order = await world.order({ amount: SMALL });
    const payer = await world.user();
    return {
      act: async () => {
        world.excuse(order, { held: true });
        await world.a.manual();
        const nonce = await world.a.client.getTransactionCount({ address: payer.address });
        const wanted = Array.from({ length: 103 }, (_, n) => ({ symbol: 'ETH', amount: 1_000n, nonce: nonce + n }));
        await Promise.all(wanted.map((one) => depositApproved(world.a, payer, { ...one, id: order.orderId })));
        await world.a.automatic();
      },
      done: ended(order, 'failure'),
    };
  },
};

/** Asked to stop in the middle of it, and started again. */
const stopped: Flow = {
  name: 'polite stop',
  prepare: async (world) => {
    const orders = [await world.order({ amount: SMALL }), await world.order({ amount: SMALL })];
    return {
      act: async (scene) => {
        for (const order of orders) await deposit(order);
        await scene.mayBecome(orders[0] as Order, 'pending', 400);
        await scene.awake();
        await scene.stopService();
      },
      done: async (scene) => (await Promise.all(orders.map(ofSuccess(scene)))).every(Boolean),
    };
  },
};

const paused: Flow = {
  name: 'paused',
  prepare: async (world) => {
    const order = await world.order({ amount: SMALL });
    return {
      act: async (scene) => {
        await scene.admin('pause', { scope: 'all' });
        await deposit(order);
        await scene.mayBecome(order, 'pending', 400);
        await scene.admin('resume', { scope: 'all' });
      },
      done: async (scene) => (await scene.filled(order)) && ended(order, 'success')(scene),
    };
  },
};

/** Given up by an operator before anything was signed for it. */
const operatorRefund: Flow = {
  name: 'refund by an operator',
  prepare: async (world) => {
    const order = await world.order({ amount: SMALL });
    return {
      act: async (scene) => {
        await scene.admin('pause', { scope: 'all' });
        await deposit(order);
        await world.finalise();
        await scene.admin('refund', { requestId: order.requestId });
        await scene.admin('resume', { scope: 'all' });
      },
      done: async (scene) => (await scene.paidBack(order)) && ended(order, 'refund')(scene),
    };
  },
};

/** Nobody can be paid back by itself: an operator says who instead. */
const heldAndReleased: Flow = {
  name: 'hold released by an operator',
  prepare: async (world) => {
    const to = newAddress();
    const order = await world.order({ amount: SMALL, refundTo: await deployRejecter(world.a) });
    return {
      act: async (scene) => {
        world.excuse(order, { refundTo: to });
        await deposit(order, SMALL / 2n);
        const holdId = await scene.insist('a hold', async () => {
          await world.a.mine();
          const [hold] = (await scene.audit()).holds;
          if (hold === undefined) throw new Error('nothing is held');
          return hold.id;
        });
        await scene.admin('holds/release', { holdId, to });
      },
      done: async () => (await world.a.balance(to, 'ETH')) > 0n,
    };
  },
};

/**
 * An old database was put back: it knows nothing of a deposit, of its fill, of a refund. Lanes wait until what they sent
 * is matched, and what was paid is not paid again.
 */
const oldDatabase: Flow = {
  name: 'old database',
  prepare: async (world) => {
    const order = await world.order({ amount: SMALL });
    const refunded = await world.order({ amount: SMALL });
    const next = await world.order({ amount: SMALL });
    const paid = async () =>
      (await order.to.balance(order.recipient, order.output)) > 0n &&
      (await refunded.from.balance(refunded.refundTo, refunded.input)) > 0n;
    return {
      before: async (forgotten) => {
        await world.b.client.mine({ blocks: 128 });
        await world.a.client.mine({ blocks: 128 });
        await forgotten(async () => {
          await deposit(order);
          await deposit(refunded, SMALL / 2n);
          await until(
            'both are paid',
            async () => {
              await world.a.mine();
              return paid();
            },
            { ms: PATIENCE_MS },
          );
        });
      },
      act: async () => void (await deposit(next)),
      done: async (scene) =>
        (await Promise.all([order, next].map(ofSuccess(scene)))).every(Boolean) && ended(refunded, 'refund')(scene),
    };
  },
};

/** One provider alone is not believed about a deposit. */
const quorum: Flow = {
  name: 'quorum',
  tuning: {
    edit: (document) => ({
      ...document,
      plugins: (document['plugins'] as { readonly options: { readonly chains?: readonly object[] } }[]).map((plugin) =>
        plugin.options.chains === undefined
          ? plugin
          : { ...plugin, options: { ...plugin.options, chains: plugin.options.chains.map(asksTwo) } },
      ),
    }),
  },
  prepare: async (world) => {
    const order = await world.order({ amount: SMALL });
    return {
      act: async () => void (await deposit(order)),
      done: async (scene) => (await scene.filled(order)) && ended(order, 'success')(scene),
    };
  },
};

/** The same node under two names: what it says is the same, as that of honest providers is. */
function asksTwo(chain: object): object {
  const [rpc] = (chain as { readonly rpc: readonly { readonly http: string }[] }).rpc;
  const other = { http: rpc?.http.replace('127.0.0.1', 'localhost') };
  return { ...chain, rpc: [rpc, other], quorum: { aboveUsd: 100 } };
}

/** An operator adds funds: they become inventory once, whatever happens. The books say so, see the audit of each play. */
const topUp: Flow = {
  name: 'top-up',
  tuning: {
    edit: (document) => ({
      ...document,
      service: { ...(document['service'] as Record<string, unknown>), reconcileEvery: '250ms' },
    }),
  },
  prepare: async (world) => {
    const amount = usd('5000');
    return {
      act: async () => {
        await give(world, amount);
        world.toppedUp(world.b, 'USDC', amount);
      },
      done: async () => true,
    };
  },
};

async function give(world: World, amount: bigint): Promise<void> {
  const before = await world.b.client.getBalance({ address: world.keys.fill.address });
  await fund(world.b, world.keys.fill.address, { ETH: before, USDC: amount });
}

export const FLOWS: readonly Flow[] = [
  bridge,
  firstDay,
  overpaid,
  underpaid,
  failingFill,
  duplicate,
  orphan,
  wrongCurrency,
  late,
  expired,
  reorgedDeposit,
  reorgedAfterFill,
  reorgedFill,
  stuckFee,
  stuckAndRefused,
  closing,
  foreignSpend,
  collect,
  batch,
  steady,
  dust,
  stopped,
  paused,
  operatorRefund,
  heldAndReleased,
  oldDatabase,
  quorum,
  topUp,
];
