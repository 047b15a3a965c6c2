import type { ProviderReport } from '../contract/chain-state.js';
import type { Clock } from '../contract/clock.js';
import { NotYetError } from '../contract/not-yet.js';
import type { Alerts, Logger, Metrics } from '../contract/observability.js';
import { OptionError } from '../contract/probes.js';
import { TooMuchToDescribeError } from '../contract/too-much.js';
import { cutText } from '../domain/cut-text.js';
import { isTransportError, RpcError, TransportError, type TransportFailure } from './errors.js';
import type { ExchangeObserver, HttpClient } from './http-client.js';
import { ProviderNotes } from './provider-notes.js';
import { Readings } from './readings.js';
import { Refusing } from './refusing.js';
import type { Side } from './sides.js';
import type { Testimony } from './witness.js';

export interface ProviderEndpoint {
  readonly http: string;
  readonly ws?: string;
}

export interface ProviderClient {
  readonly calls: number;
  /** Limits requests so tightly that clients' hints must cause none. */
  readonly isScarce?: boolean;
  until?(signal: AbortSignal): ProviderClient;
  /** The same client, which reports each call to `onCall`. */
  counting?(onCall: () => void): ProviderClient;
}

export interface PoolSettings<C extends ProviderClient> {
  readonly chainId: number;
  /** The chain's path within the plugin's options, for errors. */
  readonly path: string;
  readonly endpoints: readonly ProviderEndpoint[];
  /** `trouble` reports what stays unreadable for a few blocks. Default: a fast chain's. */
  readonly blockTimeMs?: number;
  /** Asks a provider for its identity, by the family's means. */
  readonly identify: (rpc: C) => Promise<Identity>;
}

/** Creates a provider's client. `label` names it in errors and logs; the URL may carry credentials. */
export type Connect<C extends ProviderClient> = (to: {
  readonly url: string;
  readonly label: string;
  readonly onExchange: ExchangeObserver;
  /** Absent: the client of the money path. */
  readonly side?: Side;
}) => C;

export interface PoolServices {
  readonly clock: Clock;
  readonly log: Logger;
  readonly alerts: Alerts;
  readonly metrics: Metrics;
}

/**
 * `foreign`: it serves another chain, which `reason` states after the provider's name. `unknown`: it cannot answer yet,
 * for example while syncing.
 */
export type Identity = { readonly is: 'right' } | { readonly is: 'foreign' | 'unknown'; readonly reason: string };

/** All but `ok` are probed repeatedly. `refused`: answered for another chain, which at start aborts the start. */
type ProviderState = 'unchecked' | 'ok' | 'down' | 'refused';

/** One RPC provider. Used only after it proved to serve the chain. */
export interface Provider<C extends ProviderClient = HttpClient> {
  readonly index: number;
  /** Number and host: safe to log. */
  readonly name: string;
  readonly ws: string | undefined;
  readonly rpc: C;
  /** The provider without the signal of `rpc`; a stable key for caches. */
  readonly home?: Provider<C>;
  /** The same provider with a client for that side; see `sideOf`. */
  side?(side: Side, signal?: AbortSignal): Provider<C>;
}

interface Member<C extends ProviderClient> extends Provider<C> {
  readonly counts: ExchangeCounts;
  state: ProviderState;
  reason: string;
}

interface ExchangeCounts {
  exchanges: number;
  failures: number;
}

const FIRST_PROBE_MS = 100;
const LAST_PROBE_MS = 10_000;
const START_TIMEOUT_MS = 3_000;
const MAX_REASON_CHARACTERS = 500;

/** Temporary, or specific to the question. */
const PASSING: ReadonlySet<TransportFailure> = new Set(['rate', 'malformed', 'tooLarge']);

/**
 * Invariant: a provider is asked only for its identity until it proved to serve this chain, again after each outage.
 */
export class ProviderPool<C extends ProviderClient> {
  readonly #settings: PoolSettings<C>;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #alerts: Alerts;
  readonly #members: readonly Member<C>[];
  readonly #listeners = new Set<() => void>();
  readonly #stop = new AbortController();
  readonly #readings: Readings;
  readonly #refusing: Refusing;
  readonly #notes: ProviderNotes;
  #started = false;

  constructor(settings: PoolSettings<C>, services: PoolServices, connect: Connect<C>) {
    this.#settings = settings;
    this.#clock = services.clock;
    this.#log = services.log;
    this.#alerts = services.alerts;
    this.#readings = new Readings(services.clock, settings.blockTimeMs ?? 0);
    this.#notes = new ProviderNotes(services.clock);
    this.#refusing = new Refusing(services.clock, this.#stop.signal, () => this.#changed());
    this.#members = settings.endpoints.map(({ http, ws }, index) => {
      const name = `provider ${index + 1} (${new URL(http).host})`;
      const counts = { exchanges: 0, failures: 0 };
      const onExchange = observer(services.metrics, settings.chainId, index, counts);
      const to = { url: http, label: name, onExchange };
      const side = sidesOf({ index, name, ws }, (side) => connect({ ...to, side }));
      return { index, name, ws, rpc: connect(to), side, counts, state: 'unchecked', reason: 'not checked yet' };
    });
  }

  /**
   * Checks every provider once, then keeps probing those that are down.
   * @throws OptionError when a provider answers for another chain: a configuration error, not an outage.
   */
  async start(): Promise<void> {
    const checks = Promise.all(this.#members.map((member) => this.#verify(member)));
    // A hanging provider must not delay the start; it is probed like any dead one.
    await Promise.race([checks, this.#clock.sleep(START_TIMEOUT_MS, this.#stop.signal)]);
    this.#started = true;
    const wrong = this.#members.find(({ state }) => state === 'refused');
    if (wrong !== undefined) {
      throw new OptionError(`${this.#settings.path}.rpc[${wrong.index}]`, `${wrong.name} ${wrong.reason}`);
    }
    for (const member of this.#members) if (member.state !== 'ok') this.#probe(member);
  }

  stop(): void {
    this.#stop.abort();
  }

  /** First usable provider by preference; a refusing one only if there is no other. */
  active(): Provider<C> | undefined {
    return (
      this.#members.find(({ state, index }) => state === 'ok' && !this.#refusing.has(index)) ??
      this.#members.find(({ state }) => state === 'ok')
    );
  }

  usable(): readonly Provider<C>[] {
    const usable = this.#members.filter(({ state }) => state === 'ok');
    const last = usable.filter(({ index }) => this.#refusing.has(index));
    return last.length === 0 ? usable : [...usable.filter((one) => !last.includes(one)), ...last];
  }

  problem(): string | null {
    if (this.active() !== undefined) return null;
    return this.#members.map(({ name, reason }) => `${name}: ${reason}`).join('; ');
  }

  /** For `status()`: `problem`, or required readings that fail for any reason; null if none. */
  trouble(): string | null {
    return this.problem() ?? this.#readings.problem();
  }

  /** A required reading succeeded. */
  read(reading: string, { index }: Provider<C>): void {
    this.#readings.succeeded(reading);
    this.#refusing.answered(index, reading);
  }

  /**
   * It always has an answer, so any refusal is the provider's fault, and another provider is preferred (see
   * `Refusing`).
   */
  unread(reading: string, provider: Provider<C>, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    const why = message.startsWith(provider.name) ? message : `${provider.name}: ${message}`;
    this.#readings.failed(reading, why);
    if (isTransportError(error)) this.failed(provider, error);
    if (this.#members.length > 1 && this.#refusing.refused(provider.index, reading))
      this.#log.warn({ provider: provider.name, reading, why }, 'an RPC provider refuses: others are asked first');
  }

  /** A provider reported this head, for `report`. */
  sawHead({ index }: Provider<C>, height: number): void {
    this.#notes.head(index, height);
  }

  /** What a provider said of deposits that another reported, for `report`; see `ProviderNotes.testified`. */
  testified({ index }: Provider<C>, said: readonly Testimony[], height: number): void {
    this.#notes.testified(index, said, height);
  }

  /** For `ChainStatus.providers`. */
  readonly report = (): readonly ProviderReport[] =>
    this.#members.map(({ name, state, reason, index, counts }) => {
      const isAvoided = state === 'ok' && this.#refusing.has(index);
      const why = isAvoided ? 'it refuses what healthy nodes answer' : reason;
      const shown = { name, state: isAvoided ? ('avoided' as const) : state, reason: why === '' ? null : why };
      return { ...shown, ...counts, ...this.#notes.report(index) };
    });

  calls(): number {
    return this.#members.reduce((sum, { rpc }) => sum + rpc.calls, 0);
  }

  /** Called when the set of usable providers changes. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Runs a consistent series of reads on one provider; on failure or an unknown refusal, restarts on the next.
   *
   * @throws RpcError if one refused and none answered, else TransportError.
   */
  async run<T>(task: (provider: Provider<C>) => Promise<T>): Promise<T> {
    let last: TransportError | undefined;
    let refused: RpcError | undefined;
    for (const provider of this.usable()) {
      try {
        return await task(provider);
      } catch (error) {
        if (isTransportError(error)) {
          this.failed(provider, error);
          last = error;
        } else if (error instanceof RpcError) refused ??= error;
        else throw error;
      }
    }
    throw (
      refused ??
      last ??
      new TransportError(`chain ${this.#settings.chainId}: ${this.problem() ?? 'no provider'}`, 'none')
    );
  }

  /**
   * As `run`, for questions that always have an answer: any refusal leads to the next provider.
   *
   * @param reading name for `trouble`.
   */
  async runSurely<T>(reading: string, task: (provider: Provider<C>) => Promise<T>): Promise<T> {
    let last: Error | undefined;
    for (const provider of this.usable()) {
      try {
        const value = await task(provider);
        this.read(reading, provider);
        return value;
      } catch (error) {
        if (!isTransportError(error) && !(error instanceof RpcError)) throw error;
        this.unread(reading, provider, error);
        last = error;
      }
    }
    throw last ?? new TransportError(`chain ${this.#settings.chainId}: ${this.problem() ?? 'no provider'}`, 'none');
  }

  /**
   * For reads outside the money path. Never takes a provider out of use, because third parties choose the questions.
   */
  async onSide<T>(side: Side, task: (provider: Provider<C>) => Promise<T>, signal?: AbortSignal): Promise<T> {
    let last: TransportError | undefined;
    for (const provider of this.usable()) {
      try {
        return await task(sideOf(provider, side, signal));
      } catch (error) {
        if (!isTransportError(error) || signal?.aborted) throw error;
        last = error;
      }
    }
    throw last ?? new TransportError(`chain ${this.#settings.chainId}: ${this.problem() ?? 'no provider'}`, 'none');
  }

  /**
   * Describes a transaction: as `onSide`, but a refusal leads to the next provider, which may keep older ones.
   *
   * @throws TooMuchToDescribeError where a provider's answer is too large for the side, NotYetError while throttled.
   */
  async describe<T>(task: (provider: Provider<C>) => Promise<T>): Promise<T> {
    const failures: (RpcError | TransportError)[] = [];
    for (const provider of this.usable()) {
      try {
        return await task(sideOf(provider, 'descriptions'));
      } catch (error) {
        if (!isTransportError(error) && !(error instanceof RpcError)) throw error;
        failures.push(error);
      }
    }
    const failed = (wanted: TransportFailure) =>
      failures.find((error) => isTransportError(error) && error.failure === wanted);
    const oversized = failed('tooLarge');
    if (oversized) throw new TooMuchToDescribeError(oversized.message);
    const throttled = failed('rate');
    if (throttled) throw new NotYetError(throttled.message);
    throw (
      failures[0] ?? new TransportError(`chain ${this.#settings.chainId}: ${this.problem() ?? 'no provider'}`, 'none')
    );
  }

  /** Takes a provider out of use after a transport failure; probing restores it. */
  failed(provider: Provider<C>, error: TransportError): void {
    const member = this.#members[provider.index];
    if (member === undefined || member.state !== 'ok' || error.failure === 'unwanted') return;
    // Throttling or one odd reply does not disable the only provider.
    if (PASSING.has(error.failure) && this.usable().length === 1) return;
    this.#enter(member, 'down', error.message);
    this.#log.warn({ provider: member.name, error: error.message }, 'RPC provider is down');
    this.#probe(member);
  }

  #enter(member: Member<C>, state: ProviderState, reason: string): void {
    const changed = member.state !== state;
    member.state = state;
    member.reason = reason;
    const problem = this.problem();
    const alert = `rpc-${this.#settings.chainId}`;
    if (problem === null) this.#alerts.clear(alert);
    else if (this.#started)
      this.#alerts.raise(alert, `chain ${this.#settings.chainId} has no usable RPC provider: ${problem}`);
    if (changed) this.#changed();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  #probe(member: Member<C>): void {
    void (async () => {
      let pause = FIRST_PROBE_MS;
      while (!this.#stop.signal.aborted && member.state !== 'ok') {
        await this.#clock.sleep(pause, this.#stop.signal);
        if (this.#stop.signal.aborted) return;
        await this.#verify(member);
        pause = Math.min(pause * 2, LAST_PROBE_MS);
      }
      if (member.state === 'ok') this.#log.info({ provider: member.name }, 'RPC provider is back');
    })();
  }

  async #verify(member: Member<C>): Promise<void> {
    try {
      const identity = await this.#settings.identify(member.rpc);
      if (identity.is === 'foreign') return this.#refuse(member, cutText(identity.reason, MAX_REASON_CHARACTERS));
      if (identity.is === 'unknown')
        return this.#enter(member, 'down', cutText(identity.reason, MAX_REASON_CHARACTERS));
      this.#enter(member, 'ok', '');
      this.#alerts.clear(this.#foreign(member));
    } catch (error) {
      this.#enter(member, 'down', error instanceof Error ? error.message : String(error));
    }
  }

  /** A load balancer may route to a backend of another chain only sometimes, so this provider is probed too. */
  #refuse(member: Member<C>, reason: string): void {
    const news = member.state !== 'refused';
    this.#enter(member, 'refused', reason);
    if (!news) return;
    this.#log.error({ provider: member.name, reason }, 'RPC provider serves another chain and is not used');
    this.#alerts.raise(this.#foreign(member), `${member.name} ${reason}`);
  }

  #foreign(member: Member<C>): string {
    return `rpc-${this.#settings.chainId}-${member.index}`;
  }
}

export function sideOf<C extends ProviderClient>(provider: Provider<C>, side: Side, signal?: AbortSignal): Provider<C> {
  return provider.side?.(side, signal) ?? provider;
}

function sidesOf<C extends ProviderClient>(
  named: Pick<Provider<C>, 'index' | 'name' | 'ws'>,
  connect: (side: Side) => C,
): NonNullable<Provider<C>['side']> {
  const made = new Map<Side, Provider<C>>();
  const of = (side: Side, signal?: AbortSignal): Provider<C> => {
    const home = made.get(side) ?? { ...named, rpc: connect(side), side: of };
    made.set(side, home);
    return signal === undefined ? home : { ...home, rpc: (home.rpc.until?.(signal) ?? home.rpc) as C, home };
  };
  return of;
}

function observer(metrics: Metrics, chain: number, provider: number, counts: ExchangeCounts): ExchangeObserver {
  return (calls, ms, ok) => {
    counts.exchanges += 1;
    if (!ok) counts.failures += 1;
    const labels = { chain, provider };
    metrics.observe('rpc', 'Time of an RPC exchange, which may carry several calls', ms, {
      ...labels,
      ok: String(ok),
    });
    for (const method of calls) metrics.count('rpc_calls', 'RPC calls by method', { ...labels, method });
  };
}
