import type { Duplex } from 'node:stream';
import type { ChainAdapter } from '../contract/chain-adapter.js';
import type { Clock, Random } from '../contract/clock.js';
import type { ChainId } from '../contract/ids.js';
import type { LiquiditySource } from '../contract/liquidity.js';
import type { Alerts, Logger, Metrics } from '../contract/observability.js';
import type { Secp256k1Signer } from '../contract/signer.js';
import type { Store } from '../contract/store.js';
import type { ServicePolicy } from '../domain/policy.js';
import type { PriceBook } from '../domain/price-book.js';
import type { Engine } from '../engine/engine.js';
import type { Endpoints } from '../events/endpoints/index.js';
import type { FeeInputs } from '../quoting/moving-fee.js';
import type { BalanceSettings } from '../quoting/user-balances.js';
import type { Screening } from '../screening/screening.js';
import type { RetirementOptions } from './legacy/retirement.js';
import type { Rates } from './rate-limits.js';
import type { BrokenRequest } from './server/broken.js';
import type { IncomingMessage, ServerResponse } from './server/http-types.js';
import type { LoadLimits } from './server/load.js';
import type { SocketLimits } from './ws/limits.js';

/** What the `service` section says about the REST side. */
export interface ApiOptions {
  /** Whether callers without a key may list requests when they name a user or an id. */
  readonly anonymousRead: 'off' | 'by-user-or-id';
  /** Per key, else per address; nothing named is unlimited. */
  readonly rateLimits: Rates;
  /** Beyond these the service refuses new work for a moment; no limit when absent. */
  readonly load?: LoadLimits;
  /** An answer that takes longer is given up; no limit when absent. */
  readonly answerWithinMs?: number;
  /** How payers' balances are looked up for quotes; absent: quotes tell none. */
  readonly payerBalances?: BalanceSettings;
  /** How the older listings go; as the interface says when absent. */
  readonly retirement?: RetirementOptions;
  /** Allowed browser origins; `*` for any. */
  readonly corsOrigins: readonly string[];
  /** Addresses or CIDR ranges of proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  /** In place of the usual limits of the websocket. */
  readonly websocket?: Partial<SocketLimits>;
}

/** A route that a plugin mounted under `/plugins/<id>`: its answer is sent as JSON. */
export type PluginRoute = (query: URLSearchParams) => Promise<unknown>;

export interface ApiDeps {
  readonly store: Store;
  readonly chains: ReadonlyMap<ChainId, ChainAdapter>;
  readonly prices: PriceBook;
  /** Swap sources that plugins brought, told at each request because they may register late. */
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
    | 'refundRequest'
    | 'releaseHold'
    | 'holdsOf'
    | 'hold'
    | 'claimHold'
    | 'feeBalance'
    | 'offerFees'
    | 'claimFees'
    | 'resumeLane'
  >;
  /** Endpoints that integrators register. */
  readonly endpoints: Endpoints;
  /** Asked before anything is promised. */
  readonly screening: Screening;
  readonly policy: ServicePolicy;
  /** What moves fees; absent: nothing does. */
  readonly feeInputs?: FeeInputs;
  /** Signs orders; its address is the solver of every order. */
  readonly orderSigner: Secp256k1Signer;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Every alert of the service, for `GET /admin/alerts`. */
  readonly alerts: Pick<Alerts, 'list'>;
  /** Opens `/admin` and `/metrics`; null closes both. */
  readonly adminKey: string | null;
  /** Prometheus exposition format. */
  readonly metricsText: () => Promise<{ readonly contentType: string; readonly text: string }>;
  /** Looks up what a plugin mounted; `path` starts with a slash. Undefined: 404. */
  readonly pluginRoute: (pluginId: string, path: string) => PluginRoute | undefined;
  readonly options: ApiOptions;
}

export interface Api {
  /** For `http.createServer`. Never throws; every request gets an answer. */
  readonly handler: (request: IncomingMessage, response: ServerResponse) => void;
  /** For the server's `clientError`: answers what never became a request. */
  readonly broken: (error: BrokenRequest, socket: Duplex) => void;
  /** For the server's `upgrade`: opens websockets. Other protocols are not spoken: their requests are answered as they are. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Sends websockets away, and resolves when the answers in progress are sent. New requests are refused with 503 meanwhile. */
  close(): Promise<void>;
}
