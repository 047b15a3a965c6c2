import { type ChainFacts, type Currency, OptionError } from '@causeway/core';
import type { Pace } from '@causeway/core/rpc';
import { NATIVE, parseAddress } from './addresses.js';
import type { FeeRules } from './fees.js';
import type { CurrencyOptions, RpcEndpointOptions, SvmChainOptions } from './options.js';
import { PROGRAMS } from './programs.js';

export interface ChainConfig {
  readonly path: string;
  readonly facts: Omit<ChainFacts, 'depository' | 'depositoryVault'>;
  readonly endpoints: readonly RpcEndpointOptions[];
  readonly genesisHash: string | undefined;
  /** By canonical address, native first. */
  readonly currencies: ReadonlyMap<string, Currency>;
  /** Token program by mint. */
  readonly programs: ReadonlyMap<string, string>;
  readonly lookupTables: readonly string[];
  readonly rpc: { readonly timeoutMs: number; readonly maxInFlight: number; readonly maxBatch: number };
  /** Required following slots by value, ascending; above all of them, finality. */
  readonly tiers: readonly { readonly belowMicroUsd: bigint; readonly depth: number }[];
  /** Undefined: one provider is always enough. */
  readonly quorum?: { readonly aboveMicroUsd: bigint; readonly providers: number };
  readonly fees: FeeRules;
  /** Maximum fills per transaction, and the number of pending fills that starts a batch. */
  readonly batches: { readonly most: number; readonly least: number };
  /** Parts per thousand. */
  readonly costBuffer: bigint;
  readonly gasReserve: bigint;
  readonly pace: Required<Pace>;
}

/** Slots from a vote to finality. */
export const FINAL_DEPTH = 32;
/** A message lives for 150 blocks; blocks take up to twice their time, and some slots are empty. */
const LIFE_SLOTS = 400;
/** Usual maximum of slots from confirmation to finality. */
const FINAL_SLOTS = 75;

/**
 * @param index position within `chains`, for errors.
 * @throws OptionError for what the schema cannot judge.
 */
export function chainConfig(options: SvmChainOptions, network: ChainFacts['network'], index: number): ChainConfig {
  const where = `chains[${index}]`;
  if (options.rpc === 'devnet') {
    const message = `chain ${options.id}: "devnet" is a local chain, which only \`causeway dev\` boots; give RPC providers instead`;
    throw new OptionError(`${where}.rpc`, message);
  }
  const endpoints = options.rpc;
  const native = options.currency ?? { symbol: 'SOL', name: 'Solana', decimals: 9, group: 'solana' };
  const blockTimeMs = options.blockTimeMs ?? 400;
  const currency: Currency = Object.freeze({
    ...native,
    chainId: options.id,
    address: NATIVE,
    isNative: true,
    verified: true,
  });
  const { currencies, programs } = tokens(options, currency, where);
  const { fees = {}, finality = {}, explorer = {}, batches = {} } = options;
  return {
    path: where,
    facts: {
      id: options.id,
      vmType: 'svm',
      name: options.name,
      displayName: options.displayName,
      network,
      currency,
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
      router: null,
      guarantees: Object.freeze({ fillOnce: false, withdrawOnce: false, fillDeadline: false }),
      contracts: Object.freeze({}),
      presentation: Object.freeze({
        tags: [],
        ...(explorer.queryParams === undefined ? {} : { explorerQueryParams: explorer.queryParams }),
      }),
      blockTimeMs,
      finalityMs: finality.finalityMs ?? FINAL_SLOTS * blockTimeMs,
      messageLifeMs: LIFE_SLOTS * blockTimeMs,
      quoteValidityMs: options.quoteValidityMs ?? 30_000,
      burnAddresses: Object.freeze(['CbKGgVKLJFb8bBrf58DnAkdryX6ubewVytn7X957YwNr']),
      ...(options.private === undefined ? {} : { private: options.private }),
    },
    endpoints,
    genesisHash: options.genesisHash,
    currencies,
    programs,
    lookupTables: options.lookupTables ?? [],
    rpc: {
      timeoutMs: options.rpcTimeoutMs ?? 8_000,
      maxInFlight: options.rpcMaxInFlight ?? 16,
      maxBatch: options.rpcMaxBatch ?? 1,
    },
    tiers: [...(finality.tiers ?? [])]
      .sort((a, b) => a.belowUsd - b.belowUsd)
      .map(({ belowUsd, depth }) => ({ belowMicroUsd: BigInt(Math.round(belowUsd * 1e6)), depth })),
    ...quorumOf(options, where),
    fees: {
      minPrice: BigInt(fees.minPriorityFee ?? '1000'),
      maxPrice: BigInt(fees.maxPriorityFee ?? '5000000'),
      percentile: fees.percentile ?? 75,
      maxAgeMs: fees.maxAgeMs ?? 60_000,
    },
    batches: { most: batches.most ?? 3, least: batches.least ?? 8 },
    costBuffer: BigInt(Math.round((fees.costBuffer ?? 1.2) * 1_000)),
    gasReserve: smallest(options.gasReserve ?? '0.05', native.decimals),
    pace: paceOf(options.watch?.pollMs, blockTimeMs),
  };
}

/**
 * Idle poll interval, milliseconds: the websocket reports every transfer to the vault, and a poll reads the history
 * of each account.
 */
const REST_MS = 1_000;

function paceOf(pollMs: number | undefined, blockTimeMs: number): Required<Pace> {
  if (pollMs !== undefined) return { pollMs, restMs: pollMs };
  const often = Math.min(2_000, Math.max(100, blockTimeMs));
  return { pollMs: often, restMs: Math.max(REST_MS, often) };
}

function tokens(options: SvmChainOptions, native: Currency, where: string) {
  const currencies = new Map<string, Currency>([[NATIVE, native]]);
  const programs = new Map<string, string>();
  for (const [n, token] of (options.currencies ?? []).entries()) {
    const at = `${where}.currencies[${n}].address`;
    const parsed = parseAddress(token.address);
    if (!parsed.ok) throw new OptionError(at, `${token.symbol}: ${parsed.reason}`);
    if (currencies.has(parsed.value)) throw new OptionError(at, `${token.symbol}: this mint is listed twice`);
    currencies.set(parsed.value, tokenCurrency(options.id, parsed.value, token));
    programs.set(parsed.value, token.program === 'token-2022' ? PROGRAMS.token2022 : PROGRAMS.token);
  }
  return { currencies, programs };
}

function tokenCurrency(chainId: number, address: string, token: CurrencyOptions): Currency {
  const { symbol, name, decimals, group, logoURI, verified = true } = token;
  const logo = logoURI === undefined ? {} : { logoURI };
  return Object.freeze({ chainId, address, symbol, name, decimals, isNative: false, group, verified, ...logo });
}

function quorumOf({ quorum, rpc }: SvmChainOptions, where: string): Pick<ChainConfig, 'quorum'> {
  if (quorum === undefined) return {};
  const providers = quorum.providers ?? 2;
  if (providers > rpc.length) {
    const message = `asks ${providers} providers to agree, and ${rpc.length} are configured: no deposit could ever pass`;
    throw new OptionError(`${where}.quorum.providers`, message);
  }
  return { quorum: { aboveMicroUsd: BigInt(Math.round(quorum.aboveUsd * 1e6)), providers } };
}

/** Decimal text of whole units in the smallest unit, truncated. */
function smallest(text: string, decimals: number): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
}

/** URLs may carry keys in user, path or query: only a bare origin may be shown by default. */
function harmlessUrl(url: string | undefined): string {
  if (url === undefined) return '';
  const { username, password, pathname, search, origin } = new URL(url);
  return username === '' && password === '' && pathname === '/' && search === '' ? origin : '';
}
