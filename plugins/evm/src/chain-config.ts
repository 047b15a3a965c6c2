import { type ChainFacts, type Currency, type Hex, OptionError } from '@causeway/core';
import type { Pace } from '@causeway/core/rpc';
import { parseUnits } from 'viem/utils';
import { currencyKey, NATIVE, parseAddress } from './addresses.js';
import type { DataFeeModel } from './data-fees.js';
import { contractNames } from './explain-call/contract-names.js';
import { type ErrorRegistry, WELL_KNOWN } from './explain-call/error-registry.js';
import type { CurrencyOptions, EvmChainOptions, RpcEndpointOptions } from './options.js';

export interface ChainConfig {
  /** Path of this chain within the plugin's options, for errors. */
  readonly path: string;
  readonly facts: ChainFacts;
  readonly endpoints: readonly RpcEndpointOptions[];
  /** Who owns the contracts that `setUp` deploys, lower case. */
  readonly owner: Hex;
  readonly depository: Hex;
  readonly router: Hex;
  /** Undefined: users cannot execute orders by themselves. */
  readonly swapEntry?: Hex;
  /** Undefined: no deposit addresses. */
  readonly depositAddresses?: Hex;
  /** Undefined: no deposits by permit. */
  readonly permitEntry?: Hex;
  /** Undefined: no permits but those of tokens. */
  readonly permit2?: Hex;
  /** By canonical address, native first. */
  readonly currencies: ReadonlyMap<string, Currency>;
  /** Symbols in contracts that differ from the displayed ones; empty: the contract returns none. */
  readonly contractSymbols: ReadonlyMap<string, string>;
  /** Tokens whose allowance must be reset to zero before it changes. */
  readonly approveReset: ReadonlySet<string>;
  /** Transfer fees, hundredths of a percent, by token address. */
  readonly statedKeptBps: ReadonlyMap<string, number>;
  readonly rpc: { readonly timeoutMs: number; readonly maxInFlight: number; readonly maxBatch: number };
  readonly finality: {
    readonly tiers: readonly { readonly belowMicroUsd: bigint; readonly depth: number }[];
    readonly depth: number;
    readonly useFinalizedTag: boolean;
  };
  /** Undefined: one provider is always enough. */
  readonly quorum?: { readonly aboveMicroUsd: bigint; readonly providers: number };
  readonly gas: GasConfig;
  /** Of contracts that users call. */
  readonly errors: ErrorRegistry;
  /** Of contracts whose address is known, lower case. */
  readonly contractNames: ReadonlyMap<string, string>;
  /** `most` of 1: no batches. */
  readonly batches: { readonly most: number; readonly least: number };
  readonly gasReserve: bigint;
  /** Currencies that swaps deliver need no inventory. */
  readonly swaps: boolean;
  readonly watch: Required<Pace> & { readonly maxRange: number; readonly traceMs: number };
  readonly anchor?: { readonly height: number; readonly hash: string };
}

export interface GasConfig {
  readonly limitCap: bigint;
  readonly mostBatched: bigint;
  /** Parts per thousand. */
  readonly limitBuffer: bigint;
  readonly maxFeePerGas: bigint;
  readonly minPriorityFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  /** Parts per thousand. */
  readonly bump: bigint;
  /** Parts per thousand. */
  readonly costBuffer: bigint;
  readonly noopLimit: bigint;
  readonly maxAgeMs: number;
  readonly dataFee: DataFeeModel;
}

/** Addresses that `setUp` will deploy to, where the options name none; `owner`: of these contracts. */
export interface PlannedContracts {
  readonly owner?: string;
  readonly depository?: string;
  readonly router?: string;
  readonly swapEntry?: string;
  readonly depositAddresses?: string;
  readonly permitEntry?: string;
}

/** Parts per thousand: no floats in fee arithmetic. */
function perMille(factor: number): bigint {
  return BigInt(Math.round(factor * 1000));
}

/** By their names in `contracts`; the others are of third parties. */
const OWN_CONTRACTS = ['depository', 'router', 'swapEntry', 'depositAddresses', 'permitEntry'] as const;

export function chainConfig(
  options: EvmChainOptions,
  network: ChainFacts['network'],
  index: number,
  errors = WELL_KNOWN,
  planned: PlannedContracts = {},
): ChainConfig {
  const where = `chains[${index}]`;
  if (options.rpc === 'devnet') {
    const message = `chain ${options.id}: "devnet" is a local chain, which only \`causeway dev\` boots; give RPC providers instead`;
    throw new OptionError(`${where}.rpc`, message);
  }
  const endpoints = options.rpc;
  const at = (name: 'depository' | 'router' | 'swapEntry' | 'depositAddresses') =>
    contract(options.contracts?.[name] ?? planned[name], `${where}.contracts.${name}`);
  const named: PlannedContracts & NonNullable<EvmChainOptions['contracts']> = { ...planned, ...options.contracts };
  const depository = at('depository');
  const router = at('router');
  const swapEntry = named.swapEntry === undefined ? undefined : at('swapEntry');
  const depositAddresses = named.depositAddresses === undefined ? undefined : at('depositAddresses');
  const owner = (planned.owner ?? NATIVE).toLowerCase() as Hex;
  const optional = (name: 'permitEntry' | 'permit2') => {
    const address = named[name];
    return address === undefined ? {} : { [name]: contract(address, `${where}.contracts.${name}`) };
  };
  const wrapped = options.contracts?.wrappedNative;
  if (wrapped !== undefined) contract(wrapped, `${where}.contracts.wrappedNative`);
  const native = options.currency ?? { symbol: 'ETH', name: 'Ether', decimals: 18, group: 'ether' };
  const blockTimeMs = options.blockTimeMs ?? 12_000;
  const nativeCurrency: Currency = Object.freeze({
    chainId: options.id,
    address: NATIVE,
    symbol: native.symbol,
    name: native.name,
    decimals: native.decimals,
    isNative: true,
    group: native.group,
    ...(native.logoURI === undefined ? {} : { logoURI: native.logoURI }),
    verified: true,
  });
  const currencies = new Map<string, Currency>([[NATIVE, nativeCurrency]]);
  const contractSymbols = new Map<string, string>();
  const approveReset = new Set<string>();
  const statedKeptBps = new Map<string, number>();
  for (const [n, token] of (options.currencies ?? []).entries()) {
    const at = `${where}.currencies[${n}].address`;
    const parsed = parseAddress(token.address);
    if (!parsed.ok) throw new OptionError(at, `${token.symbol}: ${parsed.reason}`);
    const address = currencyKey(parsed.value);
    if (currencies.has(address)) throw new OptionError(at, `${token.symbol}: this address is listed twice`);
    currencies.set(address, tokenCurrency(options.id, address, token));
    if (token.contractSymbol !== undefined) contractSymbols.set(address, token.contractSymbol);
    if (token.approveReset === true) approveReset.add(address);
    if (token.transferFeeBps !== undefined) statedKeptBps.set(address, token.transferFeeBps);
  }
  const { finality = {}, gas = {}, batches = {}, watch = {}, explorer = {} } = options;
  const facts: ChainFacts = Object.freeze({
    namesDepositors: true as const,
    id: options.id,
    vmType: 'evm',
    name: options.name,
    displayName: options.displayName,
    network,
    currency: nativeCurrency,
    explorerUrl: explorer.url ?? '',
    explorerName: explorer.name ?? '',
    explorerPaths: Object.freeze({
      transaction: explorer.paths?.transaction ?? '/tx/',
      address: explorer.paths?.address ?? '/address/',
      token: explorer.paths?.token ?? '/token/',
    }),
    publicRpcUrl: options.publicRpcUrl ?? harmlessUrl(endpoints[0]?.http),
    publicWsUrl: options.publicWsUrl ?? '',
    iconUrl: options.iconUrl ?? '',
    depository,
    router,
    guarantees: Object.freeze({ fillOnce: true, withdrawOnce: true, fillDeadline: true }),
    contracts: Object.freeze(lowerCased(options.contracts ?? {})),
    ownContracts: Object.freeze(
      [named, ...Object.values(options.laterContracts ?? {})].flatMap((one) =>
        OWN_CONTRACTS.flatMap((name) => one[name]?.toLowerCase() ?? []),
      ),
    ),
    laterContracts: Object.freeze(
      Object.fromEntries(
        Object.entries(options.laterContracts ?? {}).map(([generation, named]) => [generation, lowerCased(named)]),
      ),
    ),
    presentation: Object.freeze({
      tags: [],
      ...options.presentation,
      ...(explorer.queryParams === undefined ? {} : { explorerQueryParams: explorer.queryParams }),
    }),
    blockTimeMs,
    finalityMs: finality.finalityMs ?? 960_000,
    quoteValidityMs: options.quoteValidityMs ?? 30_000,
    burnAddresses: Object.freeze(['0x000000000000000000000000000000000000dead', NATIVE]),
    ...(options.private === undefined ? {} : { private: options.private }),
  });
  return {
    path: where,
    facts,
    endpoints,
    owner,
    depository,
    router,
    ...(swapEntry === undefined ? {} : { swapEntry }),
    ...(depositAddresses === undefined ? {} : { depositAddresses }),
    ...optional('permitEntry'),
    ...optional('permit2'),
    currencies,
    contractSymbols,
    approveReset,
    statedKeptBps,
    rpc: {
      timeoutMs: options.rpcTimeoutMs ?? 8000,
      maxInFlight: options.rpcMaxInFlight ?? 8,
      maxBatch: options.rpcMaxBatch ?? 50,
    },
    finality: {
      tiers: [...(finality.tiers ?? [])]
        .sort((a, b) => a.belowUsd - b.belowUsd)
        .map(({ belowUsd, depth }) => ({ belowMicroUsd: BigInt(Math.round(belowUsd * 1e6)), depth })),
      depth: finality.depth ?? 64,
      useFinalizedTag: finality.useFinalizedTag ?? true,
    },
    gas: {
      limitCap: BigInt(gas.limitCap ?? 1_000_000),
      mostBatched: BigInt(gas.mostBatched ?? 5_000_000),
      limitBuffer: perMille(gas.limitBuffer ?? 1.3),
      maxFeePerGas: BigInt(gas.maxFeePerGas ?? '500000000000'),
      minPriorityFeePerGas: BigInt(gas.minPriorityFeePerGas ?? '1000000'),
      maxPriorityFeePerGas: BigInt(gas.maxPriorityFeePerGas ?? '50000000000'),
      bump: perMille(gas.bump ?? 1.25),
      costBuffer: perMille(gas.costBuffer ?? 1.2),
      noopLimit: BigInt(gas.noopLimit ?? 21_000),
      maxAgeMs: gas.maxAgeMs ?? 60_000,
      dataFee: gas.dataFee ?? 'none',
    },
    errors,
    contractNames: contractNames(facts, currencies.values()),
    batches: { most: batches.most ?? 50, least: batches.least ?? 2 },
    gasReserve: parseUnits(options.gasReserve ?? '0.05', native.decimals),
    swaps: options.swaps !== undefined,
    watch: {
      ...paceOf(watch.pollMs, blockTimeMs),
      maxRange: watch.maxRange ?? 2000,
      traceMs: watch.traceMs ?? 1000,
    },
    ...quorumOf(options, where),
    ...(options.anchor === undefined ? {} : { anchor: options.anchor }),
  };
}

const MAX_POLL_MS = 4_000;

/** Polling backs up a websocket, and is the only source without one. */
function paceOf(pollMs: number | undefined, blockTimeMs: number): Required<Pace> {
  if (pollMs !== undefined) return { pollMs, restMs: pollMs };
  const often = Math.min(MAX_POLL_MS, Math.max(200, Math.round(blockTimeMs / 4)));
  return { pollMs: often, restMs: Math.min(MAX_POLL_MS, Math.max(often, blockTimeMs)) };
}

function quorumOf({ quorum, rpc }: EvmChainOptions, where: string): Pick<ChainConfig, 'quorum'> {
  if (quorum === undefined) return {};
  const providers = quorum.providers ?? 2;
  if (providers > rpc.length) {
    const message = `asks ${providers} providers to agree, and ${rpc.length} are configured: no deposit could ever pass`;
    throw new OptionError(`${where}.quorum.providers`, message);
  }
  return { quorum: { aboveMicroUsd: BigInt(Math.round(quorum.aboveUsd * 1e6)), providers } };
}

function contract(text: string | undefined, where: string): Hex {
  if (text === undefined)
    throw new OptionError(
      where,
      'missing; run `causeway setup --write`, which deploys the contract and puts its address here',
    );
  const parsed = parseAddress(text);
  if (!parsed.ok) throw new OptionError(where, parsed.reason);
  return parsed.value as Hex;
}

function tokenCurrency(chainId: number, address: string, token: CurrencyOptions): Currency {
  return Object.freeze({
    chainId,
    address,
    symbol: token.symbol,
    name: token.name,
    decimals: token.decimals,
    isNative: false,
    group: token.group,
    ...(token.logoURI === undefined ? {} : { logoURI: token.logoURI }),
    verified: token.verified ?? true,
    ...(token.transferCheck === true ? { transferCheck: true } : {}),
    ...(token.deposits === 'swapped' ? { isSwappedIn: true } : {}),
  });
}

function lowerCased(contracts: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const entries = Object.entries(contracts).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(entries.map(([name, address]) => [name, address.toLowerCase()]));
}

/** URLs often carry API keys in user, path or query: only the origin is shown. */
function harmlessUrl(url: string | undefined): string {
  if (url === undefined) return '';
  const { username, password, pathname, search, origin } = new URL(url);
  return username === '' && password === '' && pathname === '/' && search === '' ? origin : '';
}
