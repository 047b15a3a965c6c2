import type { DepositBatch, DepositObservation, FillLeg, KeyEvidence, KeyView } from '../../../src/contract/index.js';
import { fakeAddress } from '../../../src/testing/fake-chain/cheap-hash.js';
import { fakeChain } from '../../../src/testing/fake-chain/fake-chain.js';
import type {
  FakeAdapter,
  FakeChainOptions,
  FakeProfileName,
} from '../../../src/testing/fake-chain/fake-chain-types.js';
import { SeededRandom } from '../../../src/testing/seeded-random.js';
import { SimClock } from '../../../src/testing/sim-clock.js';
import { orderId } from '../../../src/testing/store-fixtures.js';

export const USER = fakeAddress('user');
export const RECIPIENT = fakeAddress('recipient');

/** One process; blocks on request. */
export async function scene(profile: FakeProfileName = 'nonce', options: Partial<FakeChainOptions> = {}) {
  const random = new SeededRandom('adapter');
  const clock = new SimClock(random);
  const chain = fakeChain({ id: 7, profile, clock, random, ...options });
  chain.mine(10);
  const end = new AbortController();
  const adapter = chain.adapter({ clock: clock.process(), random, signal: end.signal });
  await clock.advance(100);
  const deposit = (n: number, amount = 100n) =>
    chain.deposit({ from: USER, currency: 'USDF', amount, orderId: orderId(n) });
  const mine = async (blocks = 1) => {
    chain.mine(blocks);
    await clock.advance(200);
  };
  return { chain, clock, adapter, deposit, mine, end };
}

export type Scene = Awaited<ReturnType<typeof scene>>;

/** Observations as a service applies them. */
export function follow({ adapter }: Scene, from?: string, known?: ReadonlyMap<string, DepositObservation>) {
  const stop = new AbortController();
  const batches: DepositBatch[] = [];
  const after: ReadonlyMap<string, DepositObservation>[] = [];
  const seen = new Map<string, DepositObservation>(known);
  void (async () => {
    for await (const batch of adapter.watchDeposits(from, stop.signal)) {
      batches.push(batch);
      if (batch.rewoundTo !== undefined) {
        for (const [key, one] of seen) {
          if (one.state === 'included' && (one.block?.height ?? 0) > batch.rewoundTo)
            seen.set(key, { ...one, state: 'vanished', block: null });
        }
      }
      for (const one of batch.deposits) seen.set(one.fundingKey, one);
      after.push(new Map(seen));
    }
  })();
  const present = () =>
    [...seen.values()]
      .filter(({ state }) => state === 'included' || state === 'final')
      .map(({ fundingKey }) => fundingKey)
      .sort();
  return { batches, after, stop, present, state: (key: string | undefined) => seen.get(key ?? '')?.state };
}

export const fillLeg = ({ chain }: Scene, n: number, seconds = 3_600): FillLeg => ({
  kind: 'fill',
  legId: `fill:${n}`,
  currency: chain.currencyOf('USDF'),
  amount: 5n,
  recipient: RECIPIENT,
  orderId: orderId(n),
  deadline: Math.ceil(chain.now() / 1000) + seconds,
});

export async function sign(adapter: FakeAdapter, leg: FillLeg, position: string) {
  const signer = adapter.lanes[0]?.signer ?? '';
  const outcome = await adapter.prepare({ lane: { signer, position }, legs: [{ leg, plan: '{}' }] });
  if (!outcome.ok) throw new Error(outcome.message);
  const transaction = await adapter.sign(outcome.prepared, signer);
  const view: KeyView = { key: outcome.prepared.key, signer, attempts: [{ hash: transaction.hash, legs: [leg] }] };
  return { prepared: outcome.prepared, transaction, view };
}

export async function look(adapter: FakeAdapter, view: KeyView): Promise<KeyEvidence> {
  const [evidence] = await adapter.look([view]);
  if (evidence === undefined) throw new Error('no answer');
  return evidence;
}

export async function position(adapter: FakeAdapter): Promise<string> {
  return adapter.keys.lanePosition(adapter.lanes[0]?.signer ?? '');
}
