import { devnet as bitcoin } from '@causeway/plugin-bvm/devnet';
import { devnet as evm } from '@causeway/plugin-evm/devnet';
import { devnet as solana } from '@causeway/plugin-svm/devnet';
import { devnet as ton } from '@causeway/plugin-tonvm/devnet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lacks } from '../../plugins/bvm/test/support/have-node.js';
import { accountOf, LocalBuild, type LocalSide, type Promised } from '../support/local-build.js';
import { endAll } from '../support/service.js';
import { until } from '../support/until.js';

/** One chain per family, its coin, and about ten dollars of it. */
const SIDES = [
  { id: 31337, wallet: evm, coin: 'ETH', amount: 4n * 10n ** 15n },
  { id: 792703809, wallet: solana, coin: 'SOL', amount: 7n * 10n ** 7n },
  { id: 8253038, wallet: bitcoin, coin: 'BTC', amount: 20_000n },
  { id: 224235520, wallet: ton, coin: 'TON', amount: 4n * 10n ** 9n },
] as const;
const NAMES = ['EVM', 'Solana', 'Bitcoin', 'TON'] as const;

interface Paid {
  readonly strict: Promised;
  readonly refused: Promised;
  readonly open: Promised;
}

let build: LocalBuild;
let sides: readonly LocalSide[];
const paid = new Map<number, Paid>();

const quicker = (config: string): string => config.replaceAll('blockTimeMs: 1000', 'blockTimeMs: 400');

/** Every other chain pays out on Solana, which pays out on an EVM chain. */
const outputOf = (n: number): number => (n === 1 ? 0 : 1);

async function payAll(n: number): Promise<Paid> {
  const [from, to] = [sides[n], sides[outputOf(n)]];
  const [kind, output] = [SIDES[n], SIDES[outputOf(n)]];
  if (!from || !to || !kind || !output) throw new Error('no such side');
  const payer = accountOf(from, 0);
  const ask = (body: object, recipient: number) =>
    build.quote({
      ...{ from, to, input: kind.coin, output: output.coin, amount: kind.amount, payer },
      recipient: accountOf(to, recipient).address,
      body: { useDepositAddress: true, ...body },
    });
  const strict = await ask({ strict: true }, 1);
  await from.pay(payer, strict.quote);
  const refused = await ask({ strict: true, referrer: 'debug-force-refund' }, 2);
  await from.pay(payer, refused.quote);
  const open = await ask({}, 2);
  await from.pay(payer, open.quote);
  await from.pay(payer, open.quote);
  return { strict, refused, open };
}

const promiseOf = (n: number): Paid => {
  const found = paid.get(n);
  if (found === undefined) throw new Error(`${NAMES[n]} was not paid`);
  return found;
};

describe.skipIf(lacks('bitcoin'))('deposit addresses of each family, paid by a plain transfer', () => {
  beforeAll(async () => {
    build = await LocalBuild.start('local.yaml', quicker);
    sides = SIDES.map(({ id, wallet }) => build.side(id, wallet));
    await Promise.all(SIDES.map(async (_, n) => paid.set(n, await payAll(n))));
  }, 240_000);
  afterAll(async () => {
    await build?.stop();
    await endAll();
  }, 60_000);

  describe.each(NAMES.map((name, n) => ({ name, n })))('$name', ({ n }) => {
    it('fills a strict one as quoted', { timeout: 120_000 }, async () => {
      const { quote, requestId, amountOut } = promiseOf(n).strict;
      const [step] = quote.steps;
      expect(quote.steps).toHaveLength(1);
      expect(step?.depositAddress).toBeTruthy();
      await build.ends(requestId, 'success', 100_000);
      const record = await build.rest.request(requestId);
      expect(record.depositAddress).toMatchObject({ address: step?.depositAddress, type: 'strict' });
      const { outputCurrency } = record.data.route.actual?.destination ?? {};
      expect(outputCurrency?.amount).toBe(amountOut.toString());
    });

    it('pays back what cannot be filled, out of the address', { timeout: 120_000 }, async () => {
      await build.ends(promiseOf(n).refused.requestId, 'refund', 100_000);
    });

    it('fills each of two transfers to an open one', { timeout: 120_000 }, async () => {
      const { requestId } = promiseOf(n).open;
      const children = await until(
        'two children are filled',
        async () => {
          const found = await build.rest.children(requestId);
          return found.length === 2 && found.every(({ status }) => status === 'success') ? found : undefined;
        },
        { ms: 100_000 },
      );
      for (const child of children) expect(child.depositAddress).toMatchObject({ type: 'open' });
    });
  });

  it('leaves the books balanced to the unit', { timeout: 120_000 }, async () => {
    let last: unknown;
    const isBalanced = async () => {
      const { balanced, pots } = await build.rest.audit();
      last = pots.filter(({ difference }) => difference !== '0');
      return balanced;
    };
    await until('nothing is under way', isBalanced, { ms: 100_000, seen: () => last });
  });
});
