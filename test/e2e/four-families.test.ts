import { devnet as bitcoin } from '@causeway/plugin-bvm/devnet';
import { devnet as evm } from '@causeway/plugin-evm/devnet';
import { devnet as solana } from '@causeway/plugin-svm/devnet';
import { devnet as ton } from '@causeway/plugin-tonvm/devnet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lacks } from '../../plugins/bvm/test/support/have-node.js';
import { LocalBuild, type LocalSide, type Promised } from '../support/local-build.js';
import { endAll } from '../support/service.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { reportsWholeCourse } from '../support/whole-course.js';

/** One chain per family, its coin, and about ten dollars of it. */
const SIDES = [
  { id: 31337, wallet: evm, coin: 'ETH', amount: 4n * 10n ** 15n },
  { id: 792703809, wallet: solana, coin: 'SOL', amount: 7n * 10n ** 7n },
  { id: 8253038, wallet: bitcoin, coin: 'BTC', amount: 20_000n },
  { id: 224235520, wallet: ton, coin: 'TON', amount: 4n * 10n ** 9n },
] as const;
const NAMES = ['EVM', 'Solana', 'Bitcoin', 'TON'] as const;

interface Way {
  readonly from: number;
  readonly to: number;
  readonly name: string;
}

const WAYS: readonly Way[] = NAMES.flatMap((from, n) =>
  NAMES.flatMap((to, m) => (n === m ? [] : [{ from: n, to: m, name: `${from} to ${to}` }])),
);

let build: LocalBuild;
let sides: readonly LocalSide[];
let receiver: WebhookReceiver;
let secret: string;
/** By transfer: the promise, and the recipient's initial balance. */
const promised = new Map<string, Promised & { readonly recipient: string; readonly before: bigint }>();

/** A separate recipient for each pair of chains, who spends nothing. */
const recipientOf = ({ from, to }: Way): string => sides[to]?.accounts[1 + from]?.address ?? '';

const quicker = (config: string): string => config.replaceAll('blockTimeMs: 1000', 'blockTimeMs: 400');

describe.skipIf(lacks('bitcoin'))('from each family to each other one', () => {
  beforeAll(async () => {
    build = await LocalBuild.start('local.yaml', quicker);
    sides = SIDES.map(({ id, wallet }) => build.side(id, wallet));
    receiver = await WebhookReceiver.start();
    const made = await build.rest.call<{ secret: string }>('POST', '/webhooks/endpoints', {
      body: { url: `${receiver.url}/hook` },
      key: build.rest.apiKey,
    });
    expect(made.status).toBe(200);
    secret = made.body.secret;
    // One payer per chain, sequential; the chains run concurrently.
    await Promise.all(
      sides.map(async (from, n) => {
        const [payer] = from.accounts;
        const kind = SIDES[n];
        if (payer === undefined || kind === undefined) throw new Error(`no payer on ${from.chain.name}`);
        for (const way of WAYS.filter((one) => one.from === n)) {
          const to = sides[way.to];
          const output = SIDES[way.to]?.coin;
          if (to === undefined || output === undefined) throw new Error('a way to nowhere');
          const recipient = recipientOf(way);
          const before = await to.balance(recipient, output);
          const wish = { from, to, input: kind.coin, output, amount: kind.amount, payer, recipient };
          const order = await build.quote(wish);
          promised.set(way.name, { ...order, recipient, before });
          await from.pay(payer, order.quote);
        }
      }),
    );
  }, 240_000);
  afterAll(async () => {
    await build?.stop();
    receiver?.close();
    await endAll();
  }, 60_000);

  it.each(WAYS)('$name: what arrives is what was promised, to the unit', { timeout: 120_000 }, async ({ name, to }) => {
    const order = promised.get(name);
    const side = sides[to];
    const coin = SIDES[to]?.coin ?? '';
    if (order === undefined || side === undefined) throw new Error(`${name} was not paid for`);
    await build.ends(order.requestId, 'success', 100_000);
    expect((await side.balance(order.recipient, coin)) - order.before).toBe(order.amountOut);
  });

  it('anyone who asked is informed of each by signed posts, in the order of its course', {
    timeout: 60_000,
  }, async () => {
    for (const { requestId } of promised.values())
      await reportsWholeCourse({ receiver, path: '/hook', secret }, requestId, 'success');
  });

  it('the books balance to the unit', { timeout: 90_000 }, async () => {
    let last: unknown;
    const isBalanced = async () => {
      const { balanced, pots } = await build.rest.audit();
      last = pots;
      return balanced;
    };
    await until('nothing is under way', isBalanced, { ms: 80_000, seen: () => last });
  });
});
