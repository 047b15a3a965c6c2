import type { FillLeg } from '@causeway/core';
import { RpcError } from '@causeway/core/rpc';
import { describe, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import { paidBy, type SentDeps, sentSince, unfilledForGood } from '../src/sent.js';
import { SentBook, UnfinishedError } from '../src/sent-book.js';
import { answer, asked, type FakeNode, type FakeTransaction, heightAt, only, timeAt } from './support/fake-ledger.js';
import { addressOf, fakeTransaction, idOf, signatureOf, type Wish } from './support/fake-transactions.js';
import { lookedAt } from './support/services.js';

// Anyone may touch the fill signer's address and copy its memos.

const START = 200_000;
const FILL = addressOf('fill');
const MAX_CONCURRENCY = 16;
const LEDGER = `${START - 3_000}/${heightAt(START - 3_000)}`;

type Drawn = Omit<Wish, 'touches'>;

function chain(wishes: readonly Drawn[]) {
  const landed = new Map<string, FakeTransaction>();
  for (const wish of [...wishes].sort((a, b) => a.slot - b.slot)) {
    landed.set(...fakeTransaction({ touches: [addressOf('somebody'), FILL], ...wish }));
  }
  const node: FakeNode = { head: START, oldest: START - 100_000, landed };
  return { node, ...asked((method, params) => answer(node, method, params)) };
}

const spam = (count: number, from: number, to: number, more: Partial<Wish> = {}): readonly Drawn[] =>
  Array.from({ length: count }, (_, n) => ({
    ...{ name: `spam ${from} ${n}`, slot: from + Math.floor((n * (to - from)) / count) },
    ...more,
  }));
const fill = (name: string, slot: number): Drawn => ({ name, slot, payer: FILL, lamports: 77n, memo: idOf(name) });

function deps(rpc: ReturnType<typeof asked>['rpc']): SentDeps {
  const solver = { fill: FILL, vault: addressOf('vault') };
  return { solver, providers: only(rpc), book: new SentBook(FILL, lookedAt(10_000)), floor: () => 0 };
}

async function inTheEnd<T>(ask: () => Promise<T>, within = 50) {
  const said: string[] = [];
  while (said.length < within) {
    try {
      return { answer: await ask(), said };
    } catch (error) {
      if (!(error instanceof UnfinishedError) && !(error instanceof RpcError)) throw error;
      said.push(error.message);
    }
  }
  throw new Error(`no answer: ${said.at(-1)}`);
}

const reads = ({ calls }: Pick<ReturnType<typeof asked>, 'calls'>): readonly string[] =>
  calls.filter(({ method }) => method === 'getTransaction').map(({ params: [signature] }) => String(signature));

describe('what a signer sent since', () => {
  const own = [0, 1, 2, 3, 4].map((n) => fill(`own ${n}`, START - 2_900 + 700 * n));
  const expected = own.map(({ name, slot }) => ({
    ...{ hash: signatureOf(name), final: slot <= START - 32, filled: [idOf(name)] },
  }));

  it('is reported once all that touched its address was examined, by and by, and each of them once', async () => {
    const ledger = chain([...spam(9_000, START - 2_950, START - 2), ...own]);
    const asking = deps(ledger.rpc);
    const { answer: reported, said } = await inTheEnd(() => sentSince(asking, LEDGER, LEDGER));
    expect(reported.sent).toEqual(expected);
    expect(said.length).toBeGreaterThan(0);
    const left = said.map((one) => Number(/^(\d+) transactions .* are not examined yet/.exec(one)?.[1]));
    expect(left).toEqual([...left].sort((a, b) => b - a));
    expect(reads(ledger).length).toBe(9_005);
    expect(new Set(reads(ledger)).size).toBe(9_005);
    expect(ledger.most()).toBeLessThanOrEqual(MAX_CONCURRENCY);
    const before = ledger.calls.length;
    expect((await sentSince(asking, LEDGER, LEDGER)).sent).toEqual(expected);
    expect(ledger.calls.length - before).toBeLessThan(30);
    expect((await sentSince(asking, `${START - 1_000}/1`, LEDGER)).sent).toEqual(expected.slice(3));
    expect((await inTheEnd(() => sentSince(asking, LEDGER, LEDGER))).answer.sent).toEqual(expected);
  }, 60_000);

  it('ends even where now and then a call fails', async () => {
    const ledger = chain([...spam(5_000, START - 2_950, START - 2), ...own]);
    let calls = 0;
    const failing = asked((method, params) => {
      calls += 1;
      if (calls % 23 === 0) throw new RpcError('not now', -32_000, null);
      return answer(ledger.node, method, params);
    });
    const asking = deps(failing.rpc);
    const { answer: reported } = await inTheEnd(() => sentSince(asking, LEDGER, LEDGER), 200);
    expect(reported.sent).toEqual(expected);
    expect(reads(failing).length).toBeLessThan(5_005 * 1.1);
  }, 60_000);

  it('is not held up by a third party’s that cannot be read: its block reports who paid for it', async () => {
    const odd = (['refused', 'lost', 'broken'] as const).map((shown, n) => ({
      ...{ name: `odd ${n}`, slot: START - 500 + n, shown },
    }));
    const asking = deps(chain([...odd, ...own]).rpc);
    const { answer: reported } = await inTheEnd(() => sentSince(asking, LEDGER, LEDGER));
    expect(reported.sent).toEqual(expected);
  });

  it('has its own in it that cannot be read, as one that may have filled anything', async () => {
    const odd = { ...fill('odd', START - 1_000), shown: 'refused' as const };
    const asking = deps(chain([...own, odd]).rpc);
    const { answer: reported } = await inTheEnd(() => sentSince(asking, LEDGER, LEDGER));
    const unreported = { hash: signatureOf('odd'), final: true, filled: [], unreported: true };
    expect(reported.sent).toEqual([...expected.slice(0, 3), unreported, ...expected.slice(3)]);
  });

  it('is never reported while there is one of which no one says who paid for it', async () => {
    const ledger = chain([...own, { name: 'odd', slot: START - 500, shown: 'lost' }]);
    const { rpc } = asked((method, params) => {
      const { transactionDetails } = (params.at(-1) ?? {}) as { readonly transactionDetails?: string };
      if (transactionDetails === 'accounts') throw new RpcError('not this block', -32_009, null);
      return answer(ledger.node, method, params);
    });
    const asking = deps(rpc);
    await expect(inTheEnd(() => sentSince(asking, LEDGER, LEDGER), 40)).rejects.toThrow(
      new RegExp(`^no answer: 1 transactions .* ${signatureOf('odd')} cannot be read: .*not shown`),
    );
  });

  it('does not have what left the chain before it was final', async () => {
    const ledger = chain([...own, fill('gone', START - 4)]);
    const asking = deps(ledger.rpc);
    const sent = async () => (await sentSince(asking, LEDGER, LEDGER)).sent.map(({ hash }) => hash);
    expect(await sent()).toContain(signatureOf('gone'));
    const landed = new Map(ledger.node.landed);
    landed.delete(signatureOf('gone'));
    ledger.node.landed = landed;
    expect(await sent()).not.toContain(signatureOf('gone'));
    for (const slots of [20, 50, 100]) {
      ledger.node.head += slots;
      expect(await sent()).toEqual(expected.map(({ hash }) => hash));
    }
  });
});

describe('who paid for an order', () => {
  const leg: FillLeg = {
    ...{ kind: 'fill', legId: 'fill', orderId: idOf('order'), deadline: 0, currency: NATIVE },
    ...{ amount: 77n, recipient: addressOf('somebody') },
  };
  const since = timeAt(START - 2_900) * 1_000;
  const deadline = timeAt(START - 1_500);
  const fakes = spam(5_000, START - 2_800, START - 2, { memo: idOf('order') });
  const others = spam(3_000, START - 2_801, START - 3);

  it('is found among thousands who say the same, at so many calls at a time', async () => {
    const ledger = chain([...fakes, ...others, { ...fill('order', START - 1_700) }]);
    const asking = deps(ledger.rpc);
    const { answer: paid } = await inTheEnd(() => paidBy(asking, leg, since));
    expect(paid).toMatchObject({ hash: signatureOf('order'), sender: FILL, moved: 77n, final: true });
    expect((await inTheEnd(() => unfilledForGood(asking, leg.orderId, deadline, since))).answer).toBe(false);
    expect(ledger.most()).toBeLessThanOrEqual(MAX_CONCURRENCY);
    expect(new Set(reads(ledger)).size).toBe(reads(ledger).length - reads(ledger).filter(isOwn).length + 1);
  }, 60_000);

  const isOwn = (signature: string): boolean => signature === signatureOf('order');

  it('is no one once all of them were examined, and not before', async () => {
    const ledger = chain([...fakes, ...others]);
    const asking = deps(ledger.rpc);
    const { answer: unfilled, said } = await inTheEnd(() => unfilledForGood(asking, leg.orderId, deadline, since));
    expect(unfilled).toBe(true);
    expect(said.length).toBeGreaterThan(0);
    expect((await inTheEnd(() => paidBy(asking, leg, since))).answer).toBeUndefined();
    // Only those with the memo, once each.
    expect(reads(ledger).length).toBe(5_000);
    expect(ledger.most()).toBeLessThanOrEqual(MAX_CONCURRENCY);
  }, 60_000);

  it('is not held up by one that cannot be read, and never passes over one of our own', async () => {
    const memo = idOf('order');
    const odd = { name: 'odd', slot: START - 1_000, memo, shown: 'refused' as const };
    const asking = deps(chain([...others, odd]).rpc);
    expect((await inTheEnd(() => unfilledForGood(asking, leg.orderId, deadline, since))).answer).toBe(true);
    const ours = deps(chain([...others, { ...fill('order', START - 1_000), shown: 'refused' as const }]).rpc);
    expect((await inTheEnd(() => unfilledForGood(ours, leg.orderId, deadline, since))).answer).toBe(false);
    await expect(inTheEnd(() => paidBy(ours, leg, since))).rejects.toThrow(
      /was sent by the service, and no provider shows it/,
    );
  }, 60_000);
});
