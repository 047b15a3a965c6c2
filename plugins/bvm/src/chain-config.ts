import { type ChainFacts, type Currency, OptionError } from '@causeway/core';
import { BURN, decodeAddress, encodeAddress, NATIVE } from './addresses.js';
import type { FeeRules } from './fees.js';
import { NETWORKS, type Network } from './network.js';
import type { BvmChainOptions, NetworkOptions, OwnAddressType, PayerOptions, RpcEndpointOptions } from './options.js';

export interface ChainConfig {
  readonly path: string;
  readonly network: Network;
  readonly facts: Omit<ChainFacts, 'depository' | 'depositoryVault'>;
  readonly endpoints: readonly RpcEndpointOptions[];
  readonly anchor: { readonly height: number; readonly hash: string } | undefined;
  readonly addressType: OwnAddressType;
  readonly payers: Required<PayerOptions> | undefined;
  readonly rpc: { readonly timeoutMs: number; readonly maxInFlight: number; readonly maxBatch: number };
  /** Confirmations by value, ascending; above all tiers, finality. */
  readonly tiers: readonly { readonly belowMicroUsd: bigint; readonly depth: number }[];
  /** Blocks that follow a final one. */
  readonly depth: number;
  /** Undefined: one provider is always enough. */
  readonly quorum?: { readonly aboveMicroUsd: bigint; readonly providers: number };
  readonly fees: FeeRules;
  /** Satoshis per 1,000 vbytes; deposits are collected only up to this fee rate. */
  readonly collectBelow: bigint;
  readonly batches: { readonly most: number; readonly waitMs: number };
  readonly costBuffer: bigint;
  readonly gasReserve: bigint;
  readonly watch: {
    readonly pollMs: number;
    readonly poolPollMs: number;
    readonly poolFloor: bigint;
    readonly forgetMs: number;
    readonly checkMs: number;
    /** Longest time without a block; 0: no limit. */
    readonly silenceMs: number;
  };
}

const SILENT_BLOCKS = 15;
/** Multiple of the usual block time that random block intervals hardly ever exceed. */
const SLOW_BLOCK_FACTOR = 3;
const HOUR_MS = 3_600_000;

/**
 * @param index Position within `chains`, for errors.
 * @throws OptionError for errors that the schema cannot detect.
 */
export function chainConfig(options: BvmChainOptions, service: ChainFacts['network'], index: number): ChainConfig {
  const where = `chains[${index}]`;
  if (options.rpc === 'devnet') {
    const message = `chain ${options.id}: "devnet" is a local chain, which only \`causeway dev\` boots; give RPC providers instead`;
    throw new OptionError(`${where}.rpc`, message);
  }
  const endpoints = options.rpc;
  const network = networkOf(options.network, `${where}.network`);
  if (network.environment !== service)
    throw new OptionError(`${where}.network`, `${network.name} is no chain of a ${service} service`);
  const { fees = {}, finality = {}, explorer = {}, watch = {}, batches = {} } = options;
  const blockTimeMs = options.blockTimeMs ?? network.blockTimeMs;
  const depth = finality.depth ?? network.finalityDepth;
  const minRate = fees.minRate === undefined ? network.minRelayFee : perKilo(fees.minRate);
  const maxRate = perKilo(fees.maxRate ?? 500);
  if (minRate > maxRate) throw new OptionError(`${where}.fees.maxRate`, 'is below minRate');
  const currency: Currency = Object.freeze({
    ...(options.currency ?? network.coin),
    decimals: 8,
    chainId: options.id,
    address: NATIVE,
    isNative: true,
    verified: true,
  });
  return {
    path: where,
    network,
    facts: {
      id: options.id,
      vmType: 'bvm',
      name: options.name,
      displayName: options.displayName,
      network: service,
      currency,
      explorerUrl: explorer.url ?? '',
      explorerName: explorer.name ?? '',
      explorerPaths: Object.freeze({
        transaction: explorer.paths?.transaction ?? '/tx/',
        address: explorer.paths?.address ?? '/address/',
        token: explorer.paths?.token ?? '/token/',
      }),
      publicRpcUrl: options.publicRpcUrl ?? '',
      publicWsUrl: '',
      iconUrl: options.iconUrl ?? '',
      router: null,
      guarantees: Object.freeze({ fillOnce: false, withdrawOnce: false, fillDeadline: false }),
      contracts: Object.freeze({}),
      presentation: Object.freeze({
        tags: [],
        ...(explorer.queryParams === undefined ? {} : { explorerQueryParams: explorer.queryParams }),
      }),
      blockTimeMs,
      finalityMs: finality.finalityMs ?? (depth + 1) * blockTimeMs * SLOW_BLOCK_FACTOR,
      quoteValidityMs: options.quoteValidityMs ?? Math.max(30_000, SLOW_BLOCK_FACTOR * blockTimeMs),
      burnAddresses: Object.freeze([...new Set([BURN, burnAddress(network)])]),
      ...(options.private === undefined ? {} : { private: options.private }),
    },
    endpoints,
    anchor: options.anchor,
    addressType: options.addressType ?? 'p2wpkh',
    payers: options.payers === undefined ? undefined : { timeoutMs: 4_000, ...options.payers },
    rpc: {
      timeoutMs: options.rpcTimeoutMs ?? 10_000,
      maxInFlight: options.rpcMaxInFlight ?? 8,
      maxBatch: options.rpcMaxBatch ?? 50,
    },
    tiers: tiersOf(options, depth, where),
    depth,
    ...quorumOf(options, where),
    fees: {
      minRate,
      maxRate,
      targetBlocks: fees.targetBlocks ?? 2,
      incremental: network.incrementalFee,
      maxAgeMs: fees.maxAgeMs ?? 10 * 60_000,
    },
    collectBelow: fees.collectBelow === undefined ? maxRate : perKilo(fees.collectBelow),
    batches: { most: batches.most ?? 100, waitMs: batches.waitMs ?? Math.min(2_000, Math.floor(blockTimeMs / 10)) },
    costBuffer: BigInt(Math.round((fees.costBuffer ?? 1.2) * 1_000)),
    gasReserve: satoshisOf(options.gasReserve ?? '0.01'),
    watch: {
      pollMs: watch.pollMs ?? 1_000,
      poolPollMs: watch.poolPollMs ?? 400,
      poolFloor: watch.poolFloor === undefined ? network.poolFloor : BigInt(watch.poolFloor),
      forgetMs: (watch.forgetHours ?? 336) * HOUR_MS,
      checkMs: (watch.checkHours ?? 24) * HOUR_MS,
      silenceMs: watch.silenceHours === undefined ? silenceOf(network, blockTimeMs) : watch.silenceHours * HOUR_MS,
    },
  };
}

/** Blocks come at random: so long a gap happens once in some sixty years on Bitcoin. Elsewhere miners may rest. */
function silenceOf({ environment }: Network, blockTimeMs: number): number {
  return environment === 'mainnet' ? SILENT_BLOCKS * blockTimeMs : 0;
}

function networkOf(given: BvmChainOptions['network'], where: string): Network {
  if (typeof given === 'string') return NETWORKS[given];
  const { base, dustRelayFee, minRelayFee, incrementalFee, poolFloor, ...rest }: NetworkOptions = given;
  if (rest.name in NETWORKS) throw new OptionError(`${where}.name`, `${rest.name} is known: name it without a base`);
  const from = NETWORKS[base];
  return Object.freeze({
    ...from,
    ...rest,
    dustRelayFee: dustRelayFee === undefined ? from.dustRelayFee : BigInt(dustRelayFee),
    minRelayFee: minRelayFee === undefined ? from.minRelayFee : BigInt(minRelayFee),
    incrementalFee: incrementalFee === undefined ? from.incrementalFee : BigInt(incrementalFee),
    poolFloor: poolFloor === undefined ? from.poolFloor : BigInt(poolFloor),
  });
}

function tiersOf({ finality }: BvmChainOptions, depth: number, where: string): ChainConfig['tiers'] {
  const tiers = [...(finality?.tiers ?? [])].sort((a, b) => a.belowUsd - b.belowUsd);
  let before = 0;
  for (const tier of tiers) {
    if (tier.depth < before)
      throw new OptionError(`${where}.finality.tiers`, 'asks for less depth where a deposit is worth more');
    if (tier.depth > depth)
      throw new OptionError(`${where}.finality.tiers`, `asks for ${tier.depth} blocks, more than finality (${depth})`);
    before = tier.depth;
  }
  return tiers.map(({ belowUsd, depth: blocks }) => ({
    belowMicroUsd: BigInt(Math.round(belowUsd * 1e6)),
    depth: blocks,
  }));
}

function quorumOf({ quorum, rpc }: BvmChainOptions, where: string): Pick<ChainConfig, 'quorum'> {
  if (quorum === undefined) return {};
  const providers = quorum.providers ?? 2;
  if (providers > rpc.length) {
    const message = `asks ${providers} providers to agree, and ${rpc.length} are configured: no deposit could ever pass`;
    throw new OptionError(`${where}.quorum.providers`, message);
  }
  return { quorum: { aboveMicroUsd: BigInt(Math.round(quorum.aboveUsd * 1e6)), providers } };
}

function burnAddress(network: Network): string {
  const parts = decodeAddress(BURN, NETWORKS.bitcoin);
  if (parts === undefined) throw new Error('the burn address is an address');
  return encodeAddress(parts, network);
}

function perKilo(rate: number): bigint {
  return BigInt(Math.round(rate * 1_000));
}

/** Truncates below a satoshi. */
function satoshisOf(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.slice(0, 8).padEnd(8, '0'));
}
