import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Address, Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { TestChain } from './chain.js';
import { ROOT } from './repository.js';

export interface SolverKeys {
  readonly fill: { readonly privateKey: Hex; readonly address: Address };
  readonly allocator: { readonly privateKey: Hex; readonly address: Address };
  readonly order: { readonly privateKey: Hex; readonly address: Address };
  readonly sweeper: { readonly privateKey: Hex; readonly address: Address };
  readonly executor: { readonly privateKey: Hex; readonly address: Address };
}

/** @param fill another key of the fill signer than a new one. */
export function newSolverKeys(fill?: Hex): SolverKeys {
  const make = (privateKey = generatePrivateKey()) => ({
    privateKey,
    address: privateKeyToAccount(privateKey).address,
  });
  return { fill: make(fill), allocator: make(), order: make(), sweeper: make(), executor: make() };
}

/** Settings of one test file; all others are shared. */
export interface Tuning {
  /** Of the fill signer. Absent: a new one. */
  readonly fillKey?: Hex;
  readonly quoteValidityMs?: number;
  readonly fixedRateValidity?: string;
  /** Order deadline = quote validity + this. */
  readonly orderTtl?: string;
  readonly inclusionWindow?: string;
  readonly collectEvery?: string;
  /** Minimum value of a collect; a large one means never. */
  readonly collectMinUsd?: string;
  readonly dustUsd?: string;
  /** USD by asset group, over the defaults. */
  readonly prices?: Readonly<Record<string, string>>;
  readonly withPlugins?: readonly unknown[];
  /** By chain id. */
  readonly rpc?: Readonly<Record<number, readonly { readonly http: string; readonly ws?: string }[]>>;
  /** Chains have pools at these prices, wrapped native coin (WETH) and a token in pools only (GOV). */
  readonly venues?: boolean;
  /** Deposit addresses. */
  readonly addresses?: boolean;
  /** Calls for others. */
  readonly gasless?: boolean;
  /** Deposits by permit; with `gasless`. */
  readonly permits?: boolean;
  /** Users execute same-chain swaps themselves. */
  readonly payerSwaps?: boolean;
  /** Symbols accepted only through a swap within the deposit. */
  readonly swappedIn?: readonly string[];
  /** For every chain. */
  readonly chain?: Readonly<Record<string, unknown>>;
  /** Applied last, to the whole document. */
  readonly edit?: (document: Record<string, unknown>) => Record<string, unknown>;
}

export const API_KEY = 'e2e-api-key-0123456789abcdef';
export const ADMIN_KEY = 'e2e-admin-key-0123456789abcdef';

export const PRICES: Readonly<Record<string, string>> = {
  ether: '2000',
  'usd-coin': '1',
  tether: '1',
  dai: '1',
  'fee-token': '1',
  'block-token': '1',
  gov: '5',
};

/** Limits of capacity held for unpaid quotes, US dollars. */
export const FIXED_RATE = { maxHeldUsdPerKey: '20000', maxHeldUsd: '50000' };

/** By symbol: as the static source prices them. */
export const POOL_PRICES = { WETH: Number(PRICES.ether), GOV: Number(PRICES.gov) };

const GROUPS: Readonly<Record<string, { group: string; name: string; decimals: number; extra?: object }>> = {
  USDC: { group: 'usd-coin', name: 'USD Coin', decimals: 6 },
  USDT: { group: 'tether', name: 'Tether USD', decimals: 6, extra: { approveReset: true } },
  DAI: { group: 'dai', name: 'Dai Stablecoin', decimals: 18 },
  FEE: { group: 'fee-token', name: 'Fee On Transfer', decimals: 6 },
  BLOCK: { group: 'block-token', name: 'Blocklisting', decimals: 6 },
  WETH: { group: 'ether', name: 'Wrapped Ether', decimals: 18 },
  GOV: { group: 'gov', name: 'Governance', decimals: 18 },
};

/** A temporary folder with keys, config and database. */
export class Home {
  readonly dir = mkdtempSync(join(tmpdir(), 'causeway-e2e-'));
  readonly config = join(this.dir, 'solver.yaml');
  readonly database = join(this.dir, 'data', 'causeway.db');

  constructor(readonly keys: SolverKeys) {
    mkdirSync(join(this.dir, 'keys'), { mode: 0o700 });
    mkdirSync(join(this.dir, 'data'), { mode: 0o700 });
    // Plugins are resolved from the config file, as in a deployment.
    symlinkSync(join(ROOT, 'node_modules'), join(this.dir, 'node_modules'));
    for (const [name, key] of Object.entries(keys)) this.secret(`keys/${name}`, key.privateKey);
    this.secret('keys/api', API_KEY);
    this.secret('keys/admin', ADMIN_KEY);
    this.secret('keys/endpoints', 'e2e-endpoint-key-0123456789abcdef-0123456789');
  }

  secret(path: string, text: string, mode = 0o600): void {
    writeFileSync(join(this.dir, path), `${text}\n`, { mode });
    chmodSync(join(this.dir, path), mode);
  }

  write(document: unknown, name = 'solver.yaml'): string {
    const path = join(this.dir, name);
    // JSON is a subset of YAML.
    writeFileSync(path, JSON.stringify(document, null, 2));
    return path;
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

function appBalances(chains: readonly TestChain[]) {
  const currencies = chains.flatMap(({ id, tokens }) => ('USDC' in tokens ? [{ chainId: id, currency: 'USDC' }] : []));
  return currencies.length === 0 ? {} : { appBalances: { currencies } };
}

export function solverConfig(chains: readonly TestChain[], port: number, tuning: Tuning = {}): Record<string, unknown> {
  const document = {
    service: {
      network: 'local',
      port,
      database: { file: './data/causeway.db' },
      orderSigner: 'file:keys/order',
      adminKey: 'file:keys/admin',
      endpointKeys: ['file:keys/endpoints'],
      apiKeys: [{ name: 'e2e', key: 'file:keys/api' }],
      orders: { ttl: tuning.orderTtl ?? '60s', deadlineMargin: '1s' },
      fills: { inclusionWindow: tuning.inclusionWindow ?? '20s' },
      collect: { every: tuning.collectEvery ?? '1s', minUsd: tuning.collectMinUsd ?? '10' },
      ...(tuning.dustUsd === undefined ? {} : { limits: { dustUsd: tuning.dustUsd } }),
      ...appBalances(chains),
      fixedRate: { ...FIXED_RATE, validity: tuning.fixedRateValidity ?? '30s' },
      reconcileEvery: '2s',
      rateLimits: { quotesPerSecond: 0, statusPerSecond: 0, requestsPerSecond: 0, otherPerSecond: 0 },
    },
    plugins: [
      {
        use: '@causeway/plugin-evm',
        options: {
          signers: {
            fill: 'file:keys/fill',
            allocator: 'file:keys/allocator',
            ...(tuning.addresses === true ? { sweeper: 'file:keys/sweeper' } : {}),
            ...(tuning.gasless === true ? { executor: 'file:keys/executor' } : {}),
          },
          chains: chains.map((chain) => chainOptions(chain, tuning)),
        },
      },
      { use: 'builtin:static-prices', options: { prices: { ...PRICES, ...tuning.prices } } },
      ...(tuning.withPlugins ?? []),
    ],
  };
  return tuning.edit?.(document) ?? document;
}

function chainOptions(chain: TestChain, tuning: Tuning): Record<string, unknown> {
  return {
    id: chain.id,
    name: chain.name,
    displayName: chain.name,
    rpc: tuning.rpc?.[chain.id] ?? [{ http: chain.url, ws: chain.url.replace('http', 'ws') }],
    contracts: {
      depository: chain.depository,
      router: chain.router,
      ...wrappedNative(chain),
      ...entry(chain, tuning),
      ...(tuning.addresses === true ? { depositAddresses: chain.depositAddresses } : {}),
      ...(tuning.permits === true ? { permitEntry: chain.permitEntry, permit2: chain.permit2 } : {}),
    },
    ...swaps(chain),
    currencies: Object.entries(chain.tokens).map(([symbol, address]) => {
      const { extra, ...facts } = GROUPS[symbol] ?? { group: symbol.toLowerCase(), name: symbol, decimals: 18 };
      const deposits = tuning.swappedIn?.includes(symbol) ? { deposits: 'swapped' } : {};
      return { symbol, address, ...facts, ...extra, ...deposits };
    }),
    finality: { tiers: [{ belowUsd: 100_000, depth: 0 }], depth: 2, finalityMs: 1_000 },
    blockTimeMs: 1_000,
    quoteValidityMs: tuning.quoteValidityMs ?? 60_000,
    watch: { pollMs: 100 },
    ...tuning.chain,
  };
}

function entry({ swapEntry }: TestChain, { payerSwaps }: Tuning) {
  return payerSwaps === true ? { swapEntry } : undefined;
}

function wrappedNative({ venues }: TestChain) {
  return venues && { wrappedNative: venues.wrapped };
}

function swaps({ venues }: TestChain) {
  return (
    venues && {
      swaps: {
        uniswapV2: { factory: venues.pairFactory, router: venues.pairRouter },
        uniswapV3: { factory: venues.poolFactory, router: venues.swapRouter },
      },
    }
  );
}
