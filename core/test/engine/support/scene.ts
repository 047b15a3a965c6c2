import { expect } from 'vitest';
import type {
  Alerts,
  Clock,
  DepositObservation,
  ExecutionObservation,
  Hex,
  Lease,
  LegRow,
  Logger,
  Metrics,
  Screener,
  UnreadTransaction,
} from '../../../src/contract/index.js';
import type { ServicePolicy } from '../../../src/domain/policy.js';
import type { QuoteBody } from '../../../src/domain/quote.js';
import { ClearedDepositors } from '../../../src/engine/base/cleared-depositors.js';
import { LatelyFinal } from '../../../src/engine/base/lately-final.js';
import { openDepository } from '../../../src/engine/books/open-pots.js';
import { ingest } from '../../../src/engine/deposits/ingest.js';
import { WatchSession } from '../../../src/engine/deposits/watch-session.js';
import { trackLane } from '../../../src/engine/keys/track.js';
import { LEG_KINDS } from '../../../src/engine/kinds/table.js';
import { LaneRounds, settleLane } from '../../../src/engine/payouts/settle.js';
import { type LaneContext, LaneStarts } from '../../../src/engine/recovery/lane-starts.js';
import { openLane } from '../../../src/engine/recovery/open-lanes.js';
import { LeaseLost, type Tenure } from '../../../src/leases/tenure.js';
import { Screening } from '../../../src/screening/screening.js';
import { quoteRow } from '../../../src/testing/store-fixtures.js';
import { type SqliteHarness, sqliteHarness } from '../../store/sqlite-harness.js';
import { DESTINATION, NOW, ORIGIN, quoteBody } from './quotes.js';
import { ScriptedChain, SIGNER } from './scripted-chain.js';

export const POLICY: ServicePolicy = {
  network: 'local',
  solverChain: 'chain-901',
  orderTtlMs: 600_000,
  confirmationTimeoutMs: 3_600_000,
  defaultSlippageBps: 100,
  routeFees: [{ bps: 100, floorMicroUsd: 0n }],
  limits: { maxRequestMicroUsd: null, maxUnfinalMicroUsd: null, maxDailyMicroUsd: null, dustMicroUsd: 0n },
  spread: { classes: [{ bps: 0, perRootMinuteBps: 0 }] },
  swaps: { mostImpactBps: 1_000 },
  mostPartedBps: 100,
  mostTopUpMicroUsd: 20_000_000n,
  mostUnpaidQuotes: null,
  mostAddressesPerDay: null,
  anonymousQuotes: { lifeMs: 6 * 3_600_000, most: null },
  deliveryLifeMs: 30 * 86_400_000,
  leastFreeBytes: 0n,
  custodians: new Map(),
  bumpAfterBlocks: 3,
  inclusionWindowMs: 20_000,
  fillConfirmations: 1,
  deadlineMarginMs: 1_000,
  withdrawalTtlMs: 600_000,
  collect: { everyMs: 1_000, minMicroUsd: 1n },
  gasReserveFills: 0,
  giveUpShortMs: 600_000,
  leaseTtlMs: 3_000,
  reconcileEveryMs: 60_000,
};

type Seen = Pick<DepositObservation, 'fundingKey'> & Partial<DepositObservation>;

const untilAborted: Clock['sleep'] = (_ms, signal) =>
  new Promise((resolve) => signal?.addEventListener('abort', () => resolve()));

/** Single engine steps on a real store against two scripted chains. */
export class Scene {
  readonly origin = new ScriptedChain(ORIGIN);
  readonly destination = new ScriptedChain(DESTINATION);
  readonly errors: string[] = [];
  /** Woken lanes' chains, in order. */
  readonly woken: number[] = [];
  readonly alerts = new Set<string>();
  /** True time of heads and the monotonic clock. */
  now = NOW;
  /** Wall-clock offset. */
  wallAheadMs = 0;
  /** Stops the engine or takes its lease. */
  readonly over = new AbortController();
  held = true;
  /** Chains with an uncompared lane. */
  readonly uncompared = new Set<number>();
  /** Chains whose deposits are not read, and why. */
  readonly unread = new Map<number, string>();
  /** Watcher memory; a new one is a restarted watcher. */
  session: WatchSession;
  readonly context: LaneContext;
  readonly #harness: SqliteHarness;
  readonly #screeners: readonly Screener[];
  readonly #heads = new Map([
    [ORIGIN, 100],
    [DESTINATION, 500],
  ]);
  #finalized = 0;
  readonly #quotes = new Map<number, QuoteBody>();

  private constructor(
    harness: SqliteHarness,
    policy: Partial<ServicePolicy>,
    lease: Lease,
    screeners: readonly Screener[],
  ) {
    this.#harness = harness;
    this.#screeners = screeners;
    this.context = this.#context(policy, this.#tenure(lease));
    this.session = new WatchSession(this.context.clock);
  }

  static async open(policy: Partial<ServicePolicy> = {}, screeners: readonly Screener[] = []): Promise<Scene> {
    const harness = await sqliteHarness();
    const [lease] = await harness.store.claimLeases(['scene'], 'scene', 600_000);
    if (!lease) throw new Error('the lease of a new database is free');
    const scene = new Scene(harness, policy, lease, screeners);
    for (const chain of [scene.origin, scene.destination]) {
      await openLane(scene.context, chain, SIGNER);
      await openDepository(scene.context, chain);
    }
    return scene;
  }

  get store() {
    return this.#harness.store;
  }

  /** One lease for everything. */
  #tenure({ scope, token }: Lease): Tenure {
    return {
      scope,
      ended: this.over.signal,
      held: () => this.held,
      apply: async (set) => {
        const fence = { op: 'fence', scope, token } as const;
        const outcome = await this.store.apply({ ...set, changes: [fence, ...set.changes] });
        if (!outcome.ok && outcome.conflict.kind === 'fenced') throw new LeaseLost(scope, 'fenced off');
        return outcome;
      },
    };
  }

  /** Another process takes the lease unnoticed. */
  async overtaken(): Promise<void> {
    const leases = await this.store.claimLeases(['scene'], 'scene', 600_000);
    await this.store.releaseLeases(leases, 'scene');
    await this.store.claimLeases(['scene'], 'another', 600_000);
  }

  #context(policy: Partial<ServicePolicy>, tenure: Tenure): LaneContext {
    const quiet = () => undefined;
    const log: Logger = {
      debug: quiet,
      info: quiet,
      warn: quiet,
      error: (fields, message) => this.errors.push(`${message} ${JSON.stringify(fields)}`),
      child: () => log,
    };
    const metrics: Metrics = { count: quiet, gauge: quiet, observe: quiet };
    const clock: Clock = {
      now: () => this.now + this.wallAheadMs,
      monotonic: () => this.now,
      sleep: async () => undefined,
      every: () => quiet,
    };
    const alerts: Alerts = {
      raise: (id) => this.alerts.add(id),
      clear: (id) => this.alerts.delete(id),
      list: () => [],
    };
    let serial = 0;
    const random = {
      bytes: (length: number) => new Uint8Array(length),
      hex: (length: number): Hex => {
        serial += 1;
        return `0x${serial.toString(16).padStart(length * 2, '0')}`;
      },
      fraction: () => 0.5,
    };
    return {
      store: this.store,
      kinds: LEG_KINDS,
      chains: new Map([
        [ORIGIN, this.origin],
        [DESTINATION, this.destination],
      ]),
      liquidity: () => [],
      screening: new Screening(this.#screeners, { clock: { ...clock, sleep: untilAborted }, log, metrics, alerts }),
      prices: { price: () => ({ ok: true, usd: '1', at: this.now }) },
      policy: { ...POLICY, ...policy },
      service: 'solver',
      clock,
      random,
      log,
      metrics,
      alerts,
      times: new Map(),
      read: new Map(),
      followed: new Map(),
      stopping: this.over.signal,
      tenure,
      wake: (chainId) => void this.woken.push(chainId),
      wakeLane: (chainId) => void this.woken.push(chainId),
      pauses: new Map(),
      compared: (chainId) => !this.uncompared.has(chainId),
      unserved: (chainId) => this.unread.get(chainId) ?? null,
      latelyFinal: new LatelyFinal(),
      cleared: new ClearedDepositors(),
      starts: new LaneStarts(),
    };
  }

  /** A stored promise, as quoting writes it. */
  async quote(n: number, overrides: Partial<QuoteBody> = {}): Promise<QuoteBody> {
    const body = quoteBody(n, overrides);
    const { expiresAt, deadlineAt, ttlAt } = body;
    const row = quoteRow(n, { expiresAt, deadlineAt, ttlAt, body: JSON.stringify(body), amountUsd: 100_000 });
    await this.store.apply({ name: 'quote', changes: [{ op: 'insert', table: 'quotes', row }] });
    this.#quotes.set(n, body);
    return body;
  }

  async quoteOf(n: number): Promise<QuoteBody> {
    return this.#quotes.get(n) ?? this.quote(n);
  }

  /** A transfer of the quoted amount in block `height`. */
  deposit(body: QuoteBody | null, name: string, overrides: Partial<DepositObservation> = {}): DepositObservation {
    const height = overrides.block?.height ?? 101;
    return {
      fundingKey: `901:${name}:0`,
      chainId: ORIGIN,
      transactionHash: name,
      currency: this.origin.coin,
      amount: BigInt(body?.amountIn ?? '100000'),
      depositor: 'depositor',
      orderId: body?.orderId ?? null,
      depositAddress: null,
      state: 'included',
      block: { height, id: `a-${height}`, timestamp: NOW },
      ...overrides,
    };
  }

  async sees(
    deposits: readonly DepositObservation[],
    options: {
      rewoundTo?: number;
      readFrom?: number;
      readTo?: number;
      executions?: readonly ExecutionObservation[];
    } = {},
  ): Promise<void> {
    const seen = [...deposits, ...(options.executions ?? [])];
    const head = Math.max((this.#heads.get(ORIGIN) ?? 0) + 1, ...seen.map(({ block }) => block?.height ?? 0));
    this.#heads.set(ORIGIN, head);
    await this.#batch(ORIGIN, head, deposits, options);
  }

  async seesUnread(unread: readonly UnreadTransaction[]): Promise<void> {
    const head = (this.#heads.get(ORIGIN) ?? 0) + 1;
    this.#heads.set(ORIGIN, head);
    await this.#batch(ORIGIN, head, [], { unread });
  }

  async finalises(height: number, deposits: readonly DepositObservation[] = []): Promise<void> {
    this.#finalized = height;
    await this.sees(deposits);
  }

  async head(height: number): Promise<void> {
    this.#heads.set(DESTINATION, height);
    await this.#batch(DESTINATION, height, [], {});
  }

  async headWith(height: number, deposits: readonly DepositObservation[]): Promise<void> {
    this.#heads.set(DESTINATION, height);
    await this.#batch(DESTINATION, height, deposits, {});
  }

  async #batch(chainId: number, height: number, deposits: readonly DepositObservation[], options: object) {
    const head = { height, id: `head-${height}`, timestamp: this.now };
    const finalized = { height: chainId === ORIGIN ? this.#finalized : 0, id: 'final', timestamp: NOW };
    this.context.times.set(chainId, {
      height,
      headTime: head.timestamp,
      finalHeight: finalized.height,
      finalTime: finalized.timestamp,
      seenAt: this.now,
    });
    const batch = { cursor: `c-${height}`, head, finalized, deposits, ...options };
    await ingest(this.context, chainId, batch, this.session);
    this.context.read.set(chainId, height);
    await this.books();
  }

  async settles(chain: ScriptedChain, signer = SIGNER): Promise<void> {
    await this.round(chain, this.context, signer);
    await this.books();
  }

  /** One round of a lane with its sends. True when more may be pending. */
  async round(chain: ScriptedChain, context = this.context, signer = SIGNER): Promise<boolean> {
    const rounds = new LaneRounds();
    try {
      return await settleLane(context, chain, signer, rounds);
    } finally {
      await rounds.sends.end();
    }
  }

  async tracks(chain: ScriptedChain, signer = SIGNER): Promise<void> {
    await trackLane(this.context, chain, signer);
    await this.books();
  }

  /** One round decides, the next executes. */
  async pays(chain: ScriptedChain): Promise<void> {
    await this.settles(chain);
    await this.settles(chain);
  }

  /** Invariant after every step: books balance per chain and currency, no counter is negative. */
  async books(): Promise<void> {
    const sums = new Map<string, bigint>();
    for (const { account, amount } of await this.store.pots('')) {
      if (account.startsWith('#')) {
        expect(amount, account).toBeGreaterThanOrEqual(0n);
        continue;
      }
      const parts = account.split(':');
      const currency = `${parts[1]}:${parts.at(-1)}`;
      sums.set(currency, (sums.get(currency) ?? 0n) + amount);
    }
    for (const [currency, sum] of sums) expect(sum, currency).toBe(0n);
  }

  /** No promise or risk remains. */
  async idle(): Promise<void> {
    for (const prefix of ['#reserved:', '#unfinal:'])
      for (const pot of await this.store.pots(prefix)) expect(pot.amount, pot.account).toBe(0n);
  }

  async pot(account: string): Promise<bigint> {
    return this.store.pot(account);
  }

  async leg(id: string): Promise<LegRow | undefined> {
    return (await this.store.legs([id]))[0];
  }

  async request(body: Pick<QuoteBody, 'requestId'>) {
    const row = await this.store.request(body.requestId);
    if (!row) throw new Error('no such request');
    return row;
  }

  async depositRow(seen: Seen) {
    const row = (await this.store.deposits([seen.fundingKey]))[0];
    if (!row) throw new Error('no such deposit');
    return row;
  }

  async requestOf(seen: Seen) {
    return this.request({ requestId: (await this.depositRow(seen)).requestId });
  }

  /** Closes the store; fails on logged bugs. */
  async close(): Promise<void> {
    await this.#harness.dispose();
    expect(this.errors).toEqual([]);
  }
}
