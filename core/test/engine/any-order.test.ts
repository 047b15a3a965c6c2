import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CommitUnknownError, type DepositObservation } from '../../src/contract/index.js';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { trackLane } from '../../src/engine/keys/track.js';
import { Scene } from './support/scene.js';
import { type ScriptedChain, SIGNER } from './support/scripted-chain.js';

/** Numbers choose among what is possible at its turn. */
type Happening =
  | { readonly do: 'deposit' | 'finalise' | 'wait'; readonly pick: number }
  | { readonly do: 'reorg'; readonly pick: number; readonly keep: number }
  | { readonly do: 'break'; readonly committed: boolean }
  | {
      readonly do: 'land' | 'drop' | 'revert' | 'lose';
      readonly chain: 'origin' | 'destination';
      readonly pick: number;
    }
  | { readonly do: 'work'; readonly together: number };

interface Transfer {
  readonly name: string;
  readonly order: number;
  readonly amount: bigint;
  height: number | null;
  final: boolean;
}

/** Two exact and one small transfer for one order; a large one for another. */
function transfers(): Transfer[] {
  const all = [
    ['a', 1, 100_000n],
    ['b', 1, 100_000n],
    ['c', 1, 20_000n],
    ['d', 2, 140_000n],
  ] as const;
  return all.map(([name, order, amount]) => ({ name, order, amount, height: null, final: false }));
}

/** Plays random events on the engine's steps. */
class Play {
  readonly transfers = transfers();
  readonly scene: Scene;
  readonly #quotes: QuoteBody[];
  #height = 200;
  #finalized = 0;
  #block = 1_000;
  #breaking = false;

  private constructor(scene: Scene, quotes: QuoteBody[]) {
    this.scene = scene;
    this.#quotes = quotes;
  }

  static async open(depth: number): Promise<Play> {
    const scene = await Scene.open();
    scene.origin.depth = depth;
    return new Play(scene, [await scene.quote(1), await scene.quote(2)]);
  }

  quoteOf(transfer: Transfer): QuoteBody {
    return this.#quotes[transfer.order - 1] as QuoteBody;
  }

  #observed(transfer: Transfer): DepositObservation {
    const height = transfer.height ?? 0;
    return this.scene.deposit(this.quoteOf(transfer), transfer.name, {
      amount: transfer.amount,
      state: height <= this.#finalized ? 'final' : 'included',
      block: { height, id: `${transfer.name}-${height}`, timestamp: this.scene.now },
    });
  }

  #include(transfer: Transfer): void {
    this.#height += 1;
    transfer.height = this.#height;
  }

  async happens(one: Happening): Promise<void> {
    switch (one.do) {
      case 'deposit': {
        const absent = this.transfers.filter(({ height }) => height === null);
        const transfer = absent[one.pick % absent.length];
        if (!transfer) return;
        this.#include(transfer);
        return this.#sees([this.#observed(transfer)], {});
      }
      case 'reorg':
        return this.#reorg(one.pick, one.keep);
      case 'finalise':
        return this.finalise(this.#finalized + (one.pick % 8));
      case 'wait':
        this.scene.now += one.pick % 25_000;
        return;
      case 'work':
        return this.work(one.together);
      case 'break':
        this.#breakNextCommit(one.committed);
        return;
      default:
        this.#chain(one);
    }
  }

  /** Replaces the blocks above a transfer; the same batch includes some again. */
  async #reorg(pick: number, keep: number): Promise<void> {
    const loose = this.transfers.filter((one) => one.height !== null && !one.final);
    const lowest = loose[pick % loose.length];
    if (!lowest) return;
    const rewoundTo = (lowest.height ?? 0) - 1;
    const again: DepositObservation[] = [];
    for (const [n, transfer] of loose.entries()) {
      if ((transfer.height ?? 0) <= rewoundTo) continue;
      transfer.height = null;
      if ((keep >> n) % 2 === 0) continue;
      this.#include(transfer);
      again.push(this.#observed(transfer));
    }
    await this.#sees(again, { rewoundTo });
  }

  async finalise(height: number): Promise<void> {
    this.#finalized = Math.max(this.#finalized, Math.min(height, this.#height));
    for (const one of this.transfers) if (one.height !== null && one.height <= this.#finalized) one.final = true;
    await this.scene.finalises(this.#finalized).catch(broken);
  }

  /** Repeats a batch until durable. */
  async #sees(batch: readonly DepositObservation[], options: { rewoundTo?: number }): Promise<void> {
    try {
      await this.scene.sees(batch, options);
    } catch (error) {
      broken(error);
      await this.scene.sees(batch, options);
    }
  }

  /** Runs `together` workers and watcher concurrently. */
  async work(together: number): Promise<void> {
    const { scene } = this;
    const all: (() => Promise<unknown>)[] = [
      () => scene.round(scene.destination),
      () => trackLane(scene.context, scene.destination, SIGNER),
      () => scene.round(scene.origin),
      () => trackLane(scene.context, scene.origin, SIGNER),
      () => scene.sees([]),
    ];
    const chosen = all.filter((_, n) => (together >> n) % 2 === 1);
    await Promise.all(chosen.map((task) => task().catch(broken)));
    await scene.books();
  }

  /** The next change set is lost, or committed without an answer. */
  #breakNextCommit(committed: boolean): void {
    const { store } = this.scene;
    if (this.#breaking) return;
    this.#breaking = true;
    const apply = store.apply.bind(store);
    store.apply = async (set) => {
      store.apply = apply;
      this.#breaking = false;
      if (committed) await apply(set);
      throw new CommitUnknownError(set.name);
    };
  }

  #chain(one: Extract<Happening, { readonly chain: string }>): void {
    const chain = this.scene[one.chain];
    const keys = chain.sentKeys;
    const key = keys[one.pick % keys.length];
    if (key === undefined) return;
    const before = chain.evidence.get(key);
    if (before?.state === 'spentByOther' || (before?.state === 'spent' && before.final)) return;
    if (one.do === 'lose') chain.evidence.set(key, { state: 'spentByOther', final: true });
    else if (one.do === 'drop') chain.evidence.set(key, { state: 'unspent', inPool: one.pick % 2 === 0 });
    else if (before?.state === 'spent') chain.evidence.set(key, { ...before, final: true });
    else this.#land(chain, key, one.do === 'land');
  }

  #land(chain: ScriptedChain, key: string, ok: boolean): void {
    this.#block += 1;
    chain.lands(key, this.#block, { ok });
  }

  /** All open work succeeds from here on. */
  async ends(): Promise<void> {
    for (let n = 0; n < 14; n += 1) {
      await this.finalise(this.#height);
      await this.work(0b11111);
      for (const chain of [this.scene.origin, this.scene.destination]) {
        for (const key of chain.sentKeys) {
          const before = chain.evidence.get(key);
          if (before?.state === 'spent') chain.evidence.set(key, { ...before, final: true });
          else if (before?.state !== 'spentByOther') chain.lands(key, 5_000, { final: true });
        }
      }
      this.scene.now += 6_000;
    }
  }
}

/** A step hit the broken commit; the next starts from durable state. */
function broken(error: unknown): void {
  if (!(error instanceof CommitUnknownError)) throw error;
}

async function verdict(play: Play): Promise<void> {
  const { scene } = play;
  await scene.idle();
  const paidOut = (key: string) =>
    [...scene.origin.evidence.values()].filter(
      (one) => one.state === 'spent' && one.effects.some((effect) => effect.legId === key && effect.done),
    ).length;
  for (const transfer of play.transfers) {
    const fundingKey = `901:${transfer.name}:0`;
    const refund = await scene.leg(legId.refund(fundingKey));
    const landed = paidOut(legId.refund(fundingKey));
    if (!transfer.final) {
      expect(landed, `refund of ${transfer.name}, which is not there`).toBe(0);
      continue;
    }
    const fill = await scene.leg(legId.fill(play.quoteOf(transfer).orderId));
    const filled = fill?.state === 'done' && fill.fundingKey === fundingKey;
    const held = refund?.state === 'held';
    expect([filled, landed === 1, held].filter(Boolean), `outcomes of ${transfer.name}`).toHaveLength(1);
    expect(landed, `refunds of ${transfer.name}`).toBeLessThanOrEqual(1);
    const row = await scene.depositRow({ fundingKey });
    expect(row.collectable, `collectable of ${transfer.name}`).not.toBeNull();
    const request = await scene.requestOf(row);
    if (request.fundingKey === fundingKey)
      expect(request.status, `status of ${transfer.name}`).toBe(filled ? 'success' : held ? 'failure' : 'refund');
  }
  const fills = [...scene.destination.evidence.values()].flatMap((one) =>
    one.state === 'spent' ? one.effects.filter(({ done, legId: id }) => done && id.startsWith('fill:')) : [],
  );
  expect(new Set(fills.map((one) => one.legId)).size, 'fills per order').toBe(fills.length);
}

const number = fc.nat({ max: 1 << 20 });
const where = fc.constantFrom('origin' as const, 'destination' as const);
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('deposit' as const), pick: number }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('reorg' as const), pick: number, keep: number }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('finalise' as const), pick: number }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), pick: number }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('break' as const), committed: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('work' as const), together: fc.integer({ min: 1, max: 31 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom(...(['land', 'land', 'land', 'drop', 'drop', 'revert', 'revert', 'lose'] as const)),
      chain: where,
      pick: number,
    }),
  },
);

const RUNS = Number(process.env['CAUSEWAY_RUNS'] ?? 12);

describe('deposits, reorgs, landings, reverts and workers in any order', () => {
  it('leave every final transfer with exactly one outcome, and the counters at zero', {
    timeout: 600_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(happening, { minLength: 10, maxLength: 45, size: 'max' }),
        fc.integer({ min: 0, max: 2 }),
        async (happenings, depth) => {
          const play = await Play.open(depth);
          try {
            for (const one of happenings) await play.happens(one);
            await play.ends();
            await verdict(play);
          } finally {
            await play.scene.close();
          }
        },
      ),
      { numRuns: RUNS },
    );
  });
});
