import type { Provider } from '@causeway/core/rpc';
import { RpcError } from '@causeway/core/rpc';
import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import { Backlog } from '../src/listing/backlog.js';
import type { Listed } from '../src/listing/page.js';
import { Roll } from '../src/listing/roll.js';
import { answer, asked, type FakeNode, type FakeTransaction, only } from './support/fake-ledger.js';
import { services } from './support/services.js';

const START = 200_000;
const FLOOR = START - 5_000;

const signatureOf = (n: number): string => {
  const bytes = Buffer.alloc(64, 1);
  bytes.writeUInt32BE(n, 60);
  return bs58.encode(bytes);
};

function chain(count: number, slotOf: (n: number) => number) {
  const landed = new Map<string, FakeTransaction>();
  for (let n = 0; n < count; n += 1) landed.set(signatureOf(n), { slot: slotOf(n), memo: null });
  const node: FakeNode = { head: START, oldest: 0, landed };
  return { node, ...asked((method, params) => answer(node, method, params)) };
}

type Read = readonly string[];

function backlogOf(rpc: Provider['rpc'], read: (entry: Listed) => Read = ({ signature }) => [signature]) {
  const [provider] = only(rpc).usable() as [Provider];
  const options = {
    keeps: () => true,
    read: async (_: Provider, entry: Listed) => read(entry),
    apart: async () => undefined,
  };
  const backlog = new Backlog<Read>(['a'], FLOOR, options, services().clock);
  const look = { height: START, final: START - 32 };
  return { backlog, list: () => backlog.list(provider, look, undefined), provider };
}

const spread =
  (count: number) =>
  (n: number): number =>
    FLOOR + 1 + Math.floor((n * 4_990) / count);

describe('more than can be kept', () => {
  it('is listed and read from the oldest on, each of it once, and never more of it is kept than so much', async () => {
    const COUNT = 80_000;
    const { rpc, calls } = chain(COUNT, spread(COUNT));
    const order: string[] = [];
    const { backlog, list, provider } = backlogOf(rpc, ({ signature }) => {
      order.push(signature);
      return [];
    });
    let most = 0;
    let rounds = 0;
    for (let isOver = false; !isOver; rounds += 1) {
      expect(rounds).toBeLessThan(400);
      await list();
      backlog.forget();
      const unread = backlog.unread();
      most = Math.max(most, unread.length);
      expect(await backlog.read(provider, backlog.readable(unread).slice(0, 5_000))).toBeUndefined();
      backlog.prune(() => false);
      backlog.settle(backlog.readTo());
      isOver = backlog.isThrough;
    }
    expect(most).toBeLessThanOrEqual(52_000);
    expect(order.length).toBe(COUNT);
    expect(new Set(order).size).toBe(COUNT);
    // Oldest first: the newest were dropped.
    const slots = order.map((signature) => bs58.decode(signature)).map((bytes) => Buffer.from(bytes).readUInt32BE(60));
    const early = slots.slice(0, 10_000);
    expect(Math.max(...early)).toBeLessThan(40_000);
    // Two lists per page, and no full listing for each part.
    const lists = calls.filter(({ method }) => method === 'getSignaturesForAddress').length;
    expect(lists).toBeLessThan(4 * (COUNT / 1_000) + 6 * rounds);
    expect(backlog.done.size).toBeLessThan(2_000);
  }, 60_000);

  it('is gone through also where thousands are in one slot', async () => {
    const COUNT = 6_500;
    const { rpc } = chain(COUNT, (n) => (n < 500 ? FLOOR + 10 : n < 6_000 ? FLOOR + 1_000 : FLOOR + 2_000));
    const { backlog, list, provider } = backlogOf(rpc);
    const seen = new Set<string>();
    for (let rounds = 0; !backlog.isThrough || rounds === 0; rounds += 1) {
      expect(rounds).toBeLessThan(20);
      await list();
      const some = backlog.readable(backlog.unread());
      for (const { signature } of some) seen.add(signature);
      await backlog.read(provider, some);
    }
    expect(seen.size).toBe(COUNT);
    expect(backlog.readTo()).toBe(START - 64);
  });
});

describe('a list that was made by a node that lacked something', () => {
  it('counts for nothing', async () => {
    const { rpc } = chain(3_000, spread(3_000));
    const { backlog, provider } = backlogOf(rpc);
    const look = { height: START, final: START - 32 };
    let proofs = 0;
    const prove = async (): Promise<void> => {
      proofs += 1;
      if (proofs === 2) throw new RpcError('it threw it away meanwhile', 0, null);
    };
    await expect(backlog.list(provider, look, prove)).rejects.toThrow(/threw it away/);
    expect(backlog.readTo()).toBe(FLOOR);
    expect(backlog.isListed).toBe(true);
    expect(backlog.covers(FLOOR, START - 100)).toBe(false);
    await backlog.list(provider, look, prove);
    expect(proofs).toBe(4);
    await backlog.read(provider, backlog.unread());
    expect(backlog.done.size).toBe(3_000);
    expect(backlog.covers(FLOOR, START - 100)).toBe(true);
  });
});

describe('a place that a list was to go on from', () => {
  it('is found again where it left the chain, and nothing counts as listed meanwhile', async () => {
    const COUNT = 2_500;
    const ledger = chain(COUNT, (n) => START - 30 + Math.floor((n * 28) / COUNT));
    let isFailing = false;
    const { rpc } = asked((method, params) => {
      const { before } = (params[1] ?? {}) as { readonly before?: string };
      if (isFailing && before !== undefined) throw new RpcError('not now', -32_000, null);
      return answer(ledger.node, method, params);
    });
    const roll = new Roll('a', FLOOR, { keeps: () => true });
    const look = { height: START, final: START - 32 };
    isFailing = true;
    await expect(roll.front(rpc, look)).rejects.toThrow('not now');
    isFailing = false;
    const landed = new Map(ledger.node.landed);
    landed.delete(signatureOf(COUNT - 1_000));
    ledger.node.landed = landed;
    await expect(roll.front(rpc, look)).rejects.toThrow(/not there any more/);
    expect(roll.covers(FLOOR, START)).toBe(false);
    await roll.front(rpc, look);
    expect(roll.covers(FLOOR, START)).toBe(true);
    expect(new Set([...roll.entries()].map(({ signature }) => signature)).size).toBeGreaterThanOrEqual(COUNT - 1);
  });
});
