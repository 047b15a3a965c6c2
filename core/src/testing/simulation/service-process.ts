import { indexRoute } from '../../api/routes/index-transaction.js';
import { statusRoute } from '../../api/routes/status.js';
import { type Requote, requoteBy } from '../../capabilities/deposit-addresses/requote.js';
import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { Clock } from '../../contract/clock.js';
import type { ChainId } from '../../contract/ids.js';
import type { EndpointChannel, Notifier } from '../../contract/notifier.js';
import type { Alerts, Logger, Metrics } from '../../contract/observability.js';
import type { Screener } from '../../contract/screening.js';
import type { Secp256k1Signer } from '../../contract/signer.js';
import type { Store } from '../../contract/store.js';
import type { ServicePolicy } from '../../domain/policy.js';
import type { PriceBook } from '../../domain/price-book.js';
import { createEngine, type Engine } from '../../engine/index.js';
import { ApiError } from '../../errors/api-error.js';
import { createDispatcher } from '../../events/dispatch/dispatcher.js';
import { createEndpoints, type Endpoints, Sealer } from '../../events/endpoints/index.js';
import { stepThrough } from '../../ports/step-through.js';
import { createQuoter, type Quoter } from '../../quoting/quoter.js';
import { NO_SCREENING, Screening } from '../../screening/screening.js';
import type { FakeChain } from '../fake-chain/fake-chain-types.js';
import { poolSource } from '../fake-chain/pool-source.js';
import type { SeededRandom } from '../seeded-random.js';
import type { Incarnation } from './incarnation.js';
import { POLL_INTERVAL_MS } from './oracle/report-judge.js';
import { type GaslessRoutes, gaslessRoutes } from './routes.js';

/** One running service: engine, quoting and dispatcher over ports that can be cut off. */
export interface ServiceProcess {
  readonly life: Incarnation;
  readonly engine: Engine;
  readonly quoter: Quoter;
  readonly endpoints: Endpoints | undefined;
  start(): Promise<void>;
  /** Clean stop; `reporting` keeps the dispatcher running. */
  stop(reporting?: boolean): Promise<void>;
  /** `GET /intents/status/v3`; undefined for an unknown request. */
  readonly status: (requestId: string) => Promise<string | undefined>;
  /** `POST /transactions/index`. */
  readonly report: (requestId: string, chainId: ChainId, txHash: string) => Promise<void>;
  readonly gasless: GaslessRoutes;
  readonly alerts: ReadonlySet<string>;
}

export interface ProcessDeps {
  readonly life: Incarnation;
  readonly chains: readonly FakeChain[];
  readonly adapt: (adapter: ChainAdapter, chain: FakeChain) => ChainAdapter;
  readonly store: Store;
  readonly prices: PriceBook;
  readonly policy: ServicePolicy;
  readonly swaps: boolean;
  readonly random: SeededRandom;
  readonly screener: Screener | undefined;
  readonly reported: { readonly notifiers: readonly Notifier[]; readonly channel: EndpointChannel } | undefined;
  /** Logged errors: a bug or failing infrastructure. */
  readonly onError: (fields: object, message: string) => void;
}

const quiet = (): void => undefined;
const metrics: Metrics = { count: quiet, gauge: quiet, observe: quiet };

/** Skipped in simulations: unchecked and costlier than everything else. */
const orderSigner: Secp256k1Signer = {
  address: `0x${'5e'.repeat(20)}`,
  sign: () => ({ r: new Uint8Array(32), s: new Uint8Array(32), recovery: 0 }),
};

/** Builds a service as the host does. Nothing runs before `start()`. */
export function startProcess(deps: ProcessDeps): ServiceProcess {
  const { life, policy, prices } = deps;
  const log: Logger = { debug: quiet, info: quiet, warn: quiet, error: deps.onError, child: () => log };
  const raised = new Set<string>();
  const alerts: Alerts = {
    raise: (id) => raised.add(id),
    clear: (id) => raised.delete(id),
    list: () => [],
  };
  const store = stepThrough('stores', deps.store, life.around);
  const chains = new Map<ChainId, ChainAdapter>();
  for (const chain of deps.chains) {
    const random = deps.random.fork(`chain ${chain.id}`);
    const adapter = chain.adapter({ clock: life.clock, random, signal: life.ended.signal, log });
    chains.set(chain.id, stepThrough('chains', deps.adapt(adapter, chain), life.around));
  }
  const random = deps.random.fork('engine');
  const sources = [poolSource(deps.chains), poolSource(deps.chains, true)].map((source) =>
    stepThrough('liquidity', source, life.around),
  );
  const liquidity = () => (deps.swaps ? sources : []);
  const { screener } = deps;
  const screening =
    screener === undefined
      ? NO_SCREENING
      : new Screening([stepThrough('screeners', screener, life.around)], { clock: life.clock, log, metrics, alerts });
  const common = { store, chains, prices, liquidity, screening, policy, clock: unhurried(life.clock), random, log };
  const requote: Requote = (ask, request) => requoteBy(quoter.body, common.chains)(ask, request);
  const engine = createEngine({ ...common, requote, service: orderSigner.address, metrics, alerts });
  const quoter = createQuoter({ ...common, sponsors: store, engine, orderSigner, random: deps.random.fork('quoting') });
  const report = teller({ store, chains, engine, clock: life.clock }, log);
  const gasless = gaslessRoutes({ ...common, engine, random: deps.random.fork('execute') }, log);
  const reporting = deps.reported && reportingOf(deps.reported, deps, { store, log, alerts });
  return {
    ...{
      life,
      engine,
      quoter,
      status: statusOf(store, log),
      report,
      gasless,
      alerts: raised,
      endpoints: reporting?.endpoints,
    },
    async start() {
      await engine.start();
      await reporting?.dispatcher.start();
    },
    async stop(isReporting = false) {
      if (!isReporting) await reporting?.dispatcher.stop();
      await engine.stop();
    },
  };
}

/** Longest delay of events and endpoint changes: more frequent polls would dominate a run's cost. */
const REPORT_POLL_MS = POLL_INTERVAL_MS / 4;

function reportingOf(
  { notifiers, channel }: NonNullable<ProcessDeps['reported']>,
  { life, policy, random }: ProcessDeps,
  { store, log, alerts }: { readonly store: Store; readonly log: Logger; readonly alerts: Alerts },
) {
  const sealer = new Sealer(['of every process'], random.fork('sealer'));
  const own = stepThrough('channels', channel, life.around);
  const common = { store, sealer, clock: life.clock, log };
  const dispatcher = createDispatcher({
    ...{ ...common, metrics, leaseMetrics: metrics, alerts, random: random.fork('dispatcher') },
    notifiers: notifiers.map((notifier) => stepThrough('notifiers', notifier, life.around)),
    ...{ channels: [own], leaseTtlMs: policy.leaseTtlMs, pollMs: REPORT_POLL_MS },
  });
  return { dispatcher, endpoints: createEndpoints({ ...common, channel: own, random: random.fork('endpoints') }) };
}

/** Slower polls than on a real machine: most find nothing, and events wake the workers anyway. */
function unhurried(clock: Clock): Clock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    sleep: (ms, signal) => clock.sleep(POLLS.get(ms) ?? ms, signal),
    every: (ms, task) => clock.every(ms, task),
  };
}

/** Poll intervals with their replacements. Lease times are unaffected. */
const POLLS: ReadonlyMap<number, number> = new Map([
  [200, 1_000],
  [250, 1_000],
  [500, 2_000],
  [1_000, 2_000],
]);

const caller = { address: '127.0.0.1', key: null, isOperator: () => true };

function teller(deps: Parameters<typeof indexRoute>[0], log: Logger): ServiceProcess['report'] {
  const { handle } = indexRoute(deps);
  return async (requestId, chainId, txHash) => {
    const body = { requestId, chainId, txHash };
    await handle({ caller, params: {}, headers: {}, query: {}, body, search: '', isForPeople: () => false, log });
  };
}

function statusOf(store: Store, log: Logger): ServiceProcess['status'] {
  const { handle } = statusRoute({ store });
  return async (requestId) => {
    const call = {
      caller,
      params: {},
      headers: {},
      query: { requestId },
      body: undefined,
      search: '',
      isForPeople: () => false,
      log,
    };
    const answer = await handle(call);
    return answer instanceof ApiError ? undefined : (answer.body as { readonly status: string }).status;
  };
}
