import type { RetirementOptions } from '../../api/index.js';
import type { LogLevel } from '../../observability/logger.js';

/** Decimal text in US dollars, at most 6 places. */
type Usd = string;
/** `500ms`, `30s`, `5m`, `2h`, `1d`. */
type Duration = string;

/** `50/min`, `10/s`, `1000/h`, or `off`. */
type RateText = string;

interface TierOptions {
  /** POST /quote, /quote/v2, /price. */
  readonly quotes: RateText;
  /** GET /requests/v3. */
  readonly requests: RateText;
  /** GET /requests and /requests/v2, shared. */
  readonly legacyRequests: RateText;
  readonly other: RateText;
}

export interface RateLimitOptions {
  /** Per key, else per address. */
  readonly default: TierOptions;
  /** Per key of the elevated tier. */
  readonly elevated: TierOptions;
  /** GET /intents/status, per address. */
  readonly status: RateText;
  /** Overrides both tiers; 0 for no limit. */
  readonly quotesPerSecond?: number;
  readonly statusPerSecond?: number;
  readonly requestsPerSecond?: number;
  readonly otherPerSecond?: number;
}

export interface HttpOptions {
  readonly maxHeaderBytes: number;
  readonly requestWithin: Duration;
  readonly answerWithin: Duration;
  readonly maxInProgress: number;
  readonly maxLoopDelay: Duration;
  readonly maxWebsockets: number;
  readonly maxWebsocketsPerAddress: number;
  readonly maxWebsocketsPerKeyedAddress: number;
  readonly resumePositions: number;
}

interface SpreadOptions {
  readonly bps: number;
  readonly perRootMinuteBps: number;
}

/** Validated, with defaults. service-schema.ts documents every key. */
export interface ServiceOptions {
  readonly network: 'mainnet' | 'testnet' | 'local';
  readonly mode: 'serve' | 'rehearsal';
  readonly host: string;
  readonly port: number;
  readonly metricsPort?: number;
  readonly metricsHost: string;
  readonly publicUrl?: string;
  readonly database: { readonly file: string; readonly memory: string; readonly leastFreeMb: number };
  readonly solverChain?: string;
  /** Absent only for `causeway dev`, which creates a key, and in a rehearsal. */
  readonly orderSigner?: string;
  readonly adminKey?: string;
  /** Key references, newest first. */
  readonly endpointKeys: readonly string[];
  readonly apiKeys: readonly { readonly name: string; readonly key: string; readonly tier: 'default' | 'elevated' }[];
  readonly roles: readonly ('api' | 'worker' | 'dispatcher')[];
  readonly fees: {
    readonly bps: number;
    readonly floorUsd: Usd;
    readonly routes: readonly {
      readonly originChainId?: number;
      readonly destinationChainId?: number;
      readonly bps: number;
      readonly floorUsd: Usd;
    }[];
    readonly dynamic: {
      readonly leastBps: number;
      readonly skew?: {
        readonly extraBps: number;
        readonly discountBps: number;
        readonly weights: readonly { readonly chainId: number; readonly weight: number }[];
      };
      readonly volatility?: {
        readonly window: Duration;
        readonly calmBps: number;
        readonly percent: number;
        readonly mostBps: number;
      };
    };
  };
  readonly slippageBps: number;
  readonly quotes: {
    readonly balancesPerSecond: number;
    readonly balanceWaitMs: number;
    readonly unpaidPerPayer: number;
    readonly addressesPerDay: number;
    readonly keepAnonymous: Duration;
    readonly mostAnonymous: number;
  };
  readonly events: { readonly keepDeliveries: Duration };
  readonly spread: SpreadOptions & {
    readonly assets: readonly (SpreadOptions & { readonly groups: readonly string[] })[];
  };
  readonly fixedRate?: SpreadOptions & {
    readonly validity: Duration;
    readonly maxHeldUsdPerKey: Usd;
    readonly maxHeldUsd: Usd;
    readonly assets: readonly (SpreadOptions & { readonly groups: readonly string[] })[];
  };
  readonly appBalances?: {
    readonly currencies: readonly { readonly chainId: number; readonly currency: string }[];
    readonly lowUsd: Usd;
  };
  readonly inventory: {
    readonly targets: readonly {
      readonly chainId: number;
      readonly currency: string;
      readonly target: string;
      readonly min: string;
    }[];
  };
  readonly swaps: { readonly mostImpactBps: number };
  readonly groups: { readonly mostPartedBps: number };
  readonly topUp: { readonly maxUsd: Usd };
  readonly limits: {
    readonly maxRequestUsd?: Usd;
    readonly maxUnfinalUsd?: Usd;
    readonly maxDailyUsd?: Usd;
    readonly dustUsd: Usd;
  };
  readonly custodians: readonly {
    readonly chainId: number;
    readonly addresses: readonly string[];
    readonly needsMemo: boolean;
  }[];
  readonly orders: {
    readonly ttl: Duration;
    readonly deadlineMargin: Duration;
    readonly confirmationTimeout: Duration;
    readonly withdrawalTtl: Duration;
  };
  readonly fills: {
    readonly confirmations: number;
    readonly bumpAfterBlocks: number;
    readonly inclusionWindow: Duration;
    readonly gasReserveFills: number;
    readonly giveUpShortAfter: Duration;
  };
  readonly collect: { readonly every: Duration; readonly minUsd: Usd };
  readonly leaseTtl: Duration;
  readonly reconcileEvery: Duration;
  readonly requests: {
    readonly anonymousRead: 'off' | 'by-user-or-id';
    readonly retirement: RetirementOptions;
  };
  readonly rateLimits: RateLimitOptions;
  readonly http: HttpOptions;
  readonly cors: { readonly origins: readonly string[] };
  readonly trustedProxies: readonly string[];
  readonly logging: { readonly level: LogLevel };
  readonly stopWithin: Duration;
}

export interface PluginEntry {
  readonly use: string;
  readonly as?: string;
  readonly options: unknown;
}

export interface RootOptions {
  readonly service: ServiceOptions;
  readonly plugins: readonly PluginEntry[];
  readonly bindings: { readonly store?: string };
}
