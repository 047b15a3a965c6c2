import type { Clock, IsPromised } from '@causeway/core';
import { RpcError, TransportError } from '@causeway/core/rpc';
import { SeededRandom } from '@causeway/core/testing';
import { expect, it } from 'vitest';
import { answer, asked, type FakeNode, type FakeTransaction } from './support/fake-ledger.js';
import { addressOf, fakeTransaction, idOf } from './support/fake-transactions.js';
import { type Applied, type FakeWatch, fakeWatch, VAULT } from './support/fake-watch.js';
import { services } from './support/services.js';

// Random forks, late indexes, failing and lagging nodes, and restarts: the final reports must equal the chain.

const START = 100_000;
const SEEDS = process.env['CAUSEWAY_NIGHTLY'] === '1' ? 30 : 8;
const STEPS = 40;
const LATE: ReadonlySet<string> = new Set(['getSignaturesForAddress', 'getSignatureStatuses']);

interface Drawn {
  readonly slot: number;
  readonly lamports: bigint;
  readonly from: number;
}

class World {
  readonly node: FakeNode = { head: START, oldest: START - 50_000, landed: new Map() };
  readonly #dice: SeededRandom;
  readonly #all = new Map<string, Drawn>();
  readonly #made = new Map<string, readonly [string, FakeTransaction]>();
  #count = 0;

  constructor(dice: SeededRandom) {
    this.#dice = dice;
  }

  get deposits(): ReadonlyMap<string, Drawn> {
    return new Map([...this.#all].filter(([, { lamports }]) => lamports > 0n));
  }

  step(): void {
    const dice = this.#dice;
    const before = this.node.head;
    this.node.head += dice.between(1, 20);
    const many = dice.chance(0.03) ? dice.between(900, 1_300) : dice.between(0, 12);
    for (let n = 0; n < many; n += 1) {
      this.#count += 1;
      const slot = dice.between(before + 1, this.node.head);
      const late = dice.chance(0.05) ? dice.between(0, 40) : 0;
      const lamports = dice.chance(many > 100 ? 0.05 : 0.5) ? BigInt(dice.between(1, 9)) : 0n;
      this.#all.set(`tx ${this.#count}`, { slot, lamports, from: slot + late });
    }
    if (dice.chance(0.1)) this.#fork();
    this.#land();
  }

  /** Drops or moves transactions that are not final. */
  #fork(): void {
    const dice = this.#dice;
    const final = this.node.head - 32;
    for (const [name, one] of this.#all) {
      if (one.slot <= final || !dice.chance(0.3)) continue;
      if (dice.chance(0.5)) this.#all.delete(name);
      else this.#all.set(name, { ...one, slot: dice.between(Math.max(final, START) + 1, this.node.head) });
    }
  }

  settle(): void {
    this.node.head += 150;
    this.#land();
  }

  #land(): void {
    const landed = new Map<string, FakeTransaction>();
    for (const [name, { slot, lamports, from }] of [...this.#all].sort(([, a], [, b]) => a.slot - b.slot)) {
      if (from > this.node.head) continue;
      landed.set(...this.#transaction(name, slot, lamports));
    }
    this.node.landed = landed;
  }

  #transaction(name: string, slot: number, lamports: bigint): readonly [string, FakeTransaction] {
    const made = this.#made.get(name);
    if (made?.[1].slot === slot) return made;
    const says = lamports % 2n === 0n ? { memo: idOf(name) } : {};
    const wish = { name, slot, lamports, touches: [VAULT], payer: addressOf(name), ...says };
    const transaction = fakeTransaction(wish);
    this.#made.set(name, transaction);
    return transaction;
  }
}

async function play(seed: number): Promise<void> {
  const dice = new SeededRandom(`watch ${seed}`);
  const world = new World(dice);
  let isFailing = false;
  const { rpc, most } = asked((method, params) => {
    if (isFailing && dice.chance(0.05)) throw new RpcError('not now', -32_000, null);
    if (isFailing && dice.chance(0.01)) throw new TransportError('nothing came', 'network');
    const isLate = LATE.has(method) && isFailing && dice.chance(0.2);
    return answer(
      isLate ? { ...world.node, head: world.node.head - dice.between(1, 120) } : world.node,
      method,
      params,
    );
  });
  let now = 0;
  const { clock: real } = services();
  const clock: Clock = {
    ...real,
    monotonic: () => now,
    sleep: () =>
      new Promise((resolve) => {
        now += 500;
        setImmediate(resolve);
      }),
  };
  const isPromised: IsPromised = async (ids) => new Set(ids.filter((id) => id.endsWith('0') || id.endsWith('8')));
  const saved: Applied[] = [];
  let from: Applied = { cursor: undefined, seen: new Map() };
  let watch: FakeWatch = fakeWatch(world.node, rpc, from, { clock, isPromised });
  await watch.poll();
  for (let step = 0; step < STEPS; step += 1) {
    world.step();
    isFailing = dice.chance(0.3);
    now += dice.between(0, 5_000);
    await watch.poll();
    saved.push(watch.state);
    if (!dice.chance(0.1)) continue;
    await watch.end();
    from = dice.pick([watch.state, ...saved.slice(-2)]);
    if (dice.chance(0.3)) for (let n = dice.between(1, 20); n > 0; n -= 1) world.step();
    watch = fakeWatch(world.node, rpc, from, { clock, isPromised });
  }
  isFailing = false;
  for (let n = 0; n < 3; n += 1) {
    world.settle();
    now += 120_000;
    await watch.poll();
  }
  await watch.end();
  const reported = [...watch.state.seen.values()];
  const there = reported
    .filter(({ state }) => state !== 'vanished')
    .map((one) => `${one.transactionHash} ${one.block?.height}`);
  const truth = [...world.deposits].flatMap(([name, { slot }]) => {
    const [signature] = fakeTransaction({ name, slot, touches: [VAULT] });
    return slot > START ? [`${signature} ${slot}`] : [];
  });
  expect(there.sort(), `seed ${seed}`).toEqual(truth.sort());
  expect(reported.filter(({ state }) => state === 'included')).toEqual([]);
  expect(most()).toBeLessThanOrEqual(16);
}

it(`reports what the chain has, ${SEEDS} times`, async () => {
  for (let seed = 0; seed < SEEDS; seed += 1) await play(seed);
}, 300_000);
