import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lacks } from '../../plugins/bvm/test/support/have-node.js';
import { accountOf } from '../support/local-build.js';
import { until } from '../support/until.js';
import { deliveredIn, endsAs, expectAbout, judge, paidInto, requestsOf } from './support/address-judge.js';
import { ROWS, type Row } from './support/address-rows.js';
import {
  AddressWorld,
  type Asked,
  applies,
  type Family,
  KINDS,
  type Played,
  paymentTo,
} from './support/address-world.js';

/** Its addresses are paid with one transaction, each open one twice. */
interface Exchange {
  readonly strict: readonly Asked[];
  readonly open: readonly Asked[];
  readonly hash: string;
}

const TIMEOUT_MS = 100_000;
/**
 * A jetton sweep brings the depository one nanoton, booked as unclaimed after more than a minute, without those that
 * came in that minute: they take another.
 */
const BOOKS_MS = 200_000;
const TIMEOUT = { timeout: TIMEOUT_MS + 20_000 };
/** Payers at once, each with an account for another party; then the exchange, and one for each late row. */
const PAYER_COUNT = 2;
const EXCHANGE = 2 * PAYER_COUNT;

let world: AddressWorld;
const played = new Map<string, Promise<Played>>();
const exchanges = new Map<string, Promise<Exchange>>();
const delivered: { readonly to: Asked; readonly amount: bigint }[] = [];

const keyOf = (name: string, { type, name: paid }: Row): string => `${name} ${type} ${paid}`;

function begin<T>(map: Map<string, Promise<T>>, key: string, work: Promise<T>): Promise<unknown> {
  map.set(key, work);
  return work.catch(() => undefined);
}

function playAll(family: Family): void {
  const { name, side } = family;
  const rows = ROWS.filter((row) => applies(row, family));
  for (const [n, row] of rows.filter(({ isLate }) => isLate).entries()) {
    const payer = accountOf(side, EXCHANGE + 1 + n);
    void begin(played, keyOf(name, row), world.play(family, row, [payer, payer]));
  }
  void begin(exchanges, name, payAtOnce(family));
  for (let lane = 0; lane < PAYER_COUNT; lane += 1) {
    const payers = [accountOf(side, 2 * lane), accountOf(side, 2 * lane + 1)] as const;
    let before: Promise<unknown> = Promise.resolve();
    for (const row of rows.filter(({ isLate }, n) => !isLate && n % PAYER_COUNT === lane))
      before = begin(
        played,
        keyOf(name, row),
        before.then(() => world.play(family, row, payers)),
      );
  }
}

async function payAtOnce(family: Family): Promise<Exchange> {
  const { side, sender, coin, token } = family;
  const inputs = token === undefined ? [coin] : [coin, token];
  const ask = (of: readonly string[], body: object) =>
    Promise.all(of.map((input) => world.ask(family, { body, input })));
  const strict = await ask([...inputs, ...inputs], { strict: true });
  const open = await ask(inputs, {});
  const payments = [
    ...strict.map((one) => paymentTo(one, { percent: 100 })),
    ...[60, 40].flatMap((percent) => open.map((one) => paymentTo(one, { percent }))),
  ];
  return { strict, open, hash: await sender.send(side, accountOf(side, EXCHANGE), payments) };
}

async function begun<T>(map: ReadonlyMap<string, Promise<T>>, key: string): Promise<T> {
  const work = map.get(key);
  if (work === undefined) throw new Error(`${key} was not begun`);
  return work;
}

/** Outputs of Bitcoin stay until something is paid with them, and accounts of TON keep what their storage costs. */
function isEmptied({ name }: Family): boolean {
  return name === 'EVM' || name === 'Solana';
}

async function holds(to: Asked): Promise<bigint> {
  return to.family.to.balance(to.recipient, to.family.output);
}

describe.skipIf(lacks('bitcoin'))('deposit addresses of each family, paid by plain transfers', () => {
  beforeAll(async () => {
    world = await AddressWorld.start();
    for (const family of world.families) playAll(family);
  }, 120_000);
  afterAll(async () => {
    await world?.stop();
  }, 60_000);

  describe.each(KINDS)('$name', (kind) => {
    describe.each(['strict', 'open'] as const)('a %s one is paid', (type) => {
      const rows = ROWS.filter((row) => row.type === type && applies(row, kind));
      it.each(rows.map((row) => [`${row.name}: ${row.ends.join(', ')}`, row] as const))(
        '%s',
        TIMEOUT,
        async (_, row) => {
          const asked = await begun(played, keyOf(kind.name, row));
          const { rest } = world.build;
          const records = await endsAs(rest, asked, row, TIMEOUT_MS);
          await judge(asked, records);
          delivered.push({ to: asked, amount: await holds(asked) });
          if (type === 'open') expect(await rest.status(asked.requestId)).toMatchObject({ status: 'waiting' });
        },
      );
    });

    it('several are paid by an exchange with one transaction', TIMEOUT, async () => {
      const { strict, open, hash } = await begun(exchanges, kind.name);
      const { rest } = world.build;
      for (const one of strict) {
        const [record] = await endsAs(rest, one, { type: 'strict', ends: ['success'] }, TIMEOUT_MS);
        expect(await holds(one)).toBe(one.amountOut);
        const isInternal = kind.name === 'EVM' && one.input === kind.coin;
        // A trace shows it, unless it was paid before the address was first read.
        if (isInternal) expect([hash, null]).toContain(record?.depositAddress?.depositTxHash);
        else if (kind.name !== 'TON') expect(record?.depositAddress?.depositTxHash).toBe(hash);
        delivered.push({ to: one, amount: one.amountOut });
      }
      for (const one of open) {
        const records = await until(
          'all that was paid is filled',
          async () => {
            const found = await requestsOf(rest, one.requestId, 'open');
            const isDone = found.every(({ status }) => status === 'success');
            return isDone && paidInto(found) === one.amountIn ? found : undefined;
          },
          { ms: TIMEOUT_MS, every: 200 },
        );
        const amount = await holds(one);
        expect(amount).toBe(deliveredIn(records));
        expectAbout(amount, one.amountOut);
        delivered.push({ to: one, amount });
      }
    });
  });

  it(
    'leaves the books balanced to the unit, all addresses swept and nothing paid twice',
    async () => {
      let seen: unknown;
      await until(
        'nothing is under way',
        async () => {
          const { balanced, pots, addresses } = await world.build.rest.audit();
          seen = { pots: pots.filter(({ difference }) => difference !== '0'), addresses };
          return balanced && addresses.length === 0;
        },
        { ms: BOOKS_MS, every: 500, seen: () => seen },
      );
      expect(delivered.length).toBeGreaterThan(60);
      for (const { to, amount } of delivered) {
        expect(await holds(to), to.requestId).toBe(amount);
        if (isEmptied(to.family)) expect(await to.family.side.balance(to.address, to.input), to.requestId).toBe(0n);
      }
    },
    BOOKS_MS + 20_000,
  );
});
