import type { Duplex } from 'node:stream';
import type { ChainAdapter } from '../contract/chain-adapter.js';
import type { Clock, Random } from '../contract/clock.js';
import type { ChainId } from '../contract/ids.js';
import type { LiquiditySource } from '../contract/liquidity.js';
import type { Alerts, Logger, Metrics } from '../contract/observability.js';
import type { Secp256k1Signer } from '../contract/signer.js';
import type { Store } from '../contract/store.js';
import type { Tracer } from '../contract/tracing.js';
import type { ServicePolicy } from '../domain/policy.js';
import type { PriceBook } from '../domain/price-book.js';
import type { Engine } from '../engine/engine.js';
import type { Endpoints } from '../events/endpoints/index.js';
import type { FeeInputs } from '../quoting/moving-fee.js';
import type { BalanceSettings } from '../quoting/user-balances.js';
import type { Rehearsal } from '../rehearsal/rehearsal.js';
import type { Screening } from '../screening/screening.js';
import type { RetirementOptions } from './legacy/retirement.js';
import type { MountedRoute } from './plugins/find-route.js';
import type { Rates } from './rate-limits.js';
import type { BrokenRequest } from './server/broken.js';
import type { IncomingMessage, ServerResponse } from './server/http-types.js';
import type { LoadLimits } from './server/load.js';
import type { SocketLimits } from './ws/limits.js';

export interface ApiOptions {
  readonly anonymousRead: 'off' | 'by-user-or-id';
  /** Per key, else per address; an absent limit means unlimited. */
  readonly rateLimits: Rates;
  /** Above these limits new work is refused; no limit when absent. */
  readonly load?: LoadLimits;
  /** Answers that take longer fail with REQUEST_TIMED_OUT; no limit when absent. */
  readonly answerWithinMs?: number;
  /** Absent: quotes do not report payers' balances. */
  readonly payerBalances?: BalanceSettings;
  /** Schedule for retiring the older listings; has a default. */
  readonly retirement?: RetirementOptions;
  /** Allowed browser origins; `*` for any. */
  readonly corsOrigins: readonly string[];
  /** Addresses or CIDR ranges of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  /** Overrides of `SOCKET_LIMITS`. */
  readonly websocket?: Partial<SocketLimits>;
}

export interface ApiDeps {
  readonly store: Store;
  readonly chains: ReadonlyMap<ChainId, ChainAdapter>;
  readonly prices: PriceBook;
  /** Read at each request, because plugins may register sources late. */
  readonly liquidity: () => readonly LiquiditySource[];
  readonly engine: Pick<
    Engine,
    | 'available'
    | 'earmark'
    | 'volumeLeft'
    | 'shortOfSpace'
    | 'unserved'
    | 'chainStatus'
    | 'paused'
    | 'pauseReason'
    | 'pause'
    | 'audit'
    | 'overview'
    | 'waitsFor'
    | 'inventory'
    | 'report'
    | 'withdraw'
    | 'refundRequest'
    | 'releaseHold'
    | 'holdsOf'
    | 'hold'
    | 'claimHold'
    | 'feeBalance'
    | 'offerFees'
    | 'claimFees'
    | 'resumeLane'
    | 'acceptCall'
    | 'acceptPermit'
    | 'callLanes'
    | 'recoverAddress'
    | 'sweepAddress'
  >;
  readonly endpoints: Endpoints;
  readonly screening: Screening;
  readonly policy: ServicePolicy;
  /** Absent: the service serves. */
  readonly rehearsal?: Rehearsal;
  /** Absent: fees are static. */
  readonly feeInputs?: FeeInputs;
  /** Signs orders; its address is the solver of every order. */
  readonly orderSigner: Secp256k1Signer;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly alerts: Pick<Alerts, 'list'>;
  /** Opens `/admin` and `/metrics`; null closes both. */
  readonly adminKey: string | null;
  /** Prometheus exposition format. */
  readonly metricsText: () => Promise<{ readonly contentType: string; readonly text: string }>;
  /** Absent or empty: quotes are not traced. */
  readonly tracers?: readonly Tracer[];
  /** Read at each request, because plugins may register late. */
  readonly pluginRoutes: () => readonly MountedRoute[];
  readonly options: ApiOptions;
}

export interface Api {
  /** Never throws; every request gets an answer. */
  readonly handler: (request: IncomingMessage, response: ServerResponse) => void;
  /** For the server's `clientError`: answers input that is not a valid request. */
  readonly broken: (error: BrokenRequest, socket: Duplex) => void;
  /** Opens websockets. Requests that offer other protocols are answered over HTTP. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Resolves when the answers in progress are sent; new requests get 503 meanwhile. */
  close(): Promise<void>;
}
