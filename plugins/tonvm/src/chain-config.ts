import { type ChainFacts, type Currency, OptionError } from '@causeway/core';
import type { Quorum } from '@causeway/core/rpc';
import { accountOf, BURN, NATIVE, parseAddress } from './addresses.js';
import type { TonEndpoint, TonvmChainOptions } from './options.js';

/** A configured jetton, before its minter was read. */
export interface JettonTerms {
  readonly currency: string;
  readonly minter: string;
  /** Nanotons. */
  readonly attach: bigint;
  /** Hash of the wallet code, hex, where the operator pins it. */
  readonly walletCode: string | undefined;
}

export interface ChainConfig {
  readonly path: string;
  readonly options: TonvmChainOptions;
  readonly endpoints: readonly TonEndpoint[];
  readonly zeroState: string;
  readonly facts: Omit<ChainFacts, 'depository' | 'contracts'>;
  readonly currencies: ReadonlyMap<string, Currency>;
  readonly jettons: readonly JettonTerms[];
  readonly least: bigint;
  readonly quorum: Quorum | undefined;
}

const ZERO_STATE = '17a3a92992aabea785a7a090985a265cd31f323d849da51239737e321fb05569';
/** A fill takes several hops, and a shard may be late. */
const FINAL_BLOCKS = 20;

/** @param path of the chain in the options. @throws OptionError */
export function chainConfig(options: TonvmChainOptions, network: ChainFacts['network'], path: string): ChainConfig {
  const { id, rpc, quorum, blockTimeMs, messageLifeS, explorer } = options;
  if (rpc === 'devnet') throw new OptionError(`${path}.rpc`, '`devnet` is for `causeway dev`: name the providers');
  if (quorum && quorum.providers > rpc.length)
    throw new OptionError(
      `${path}.quorum.providers`,
      `asks for more providers than the ${rpc.length} that are configured`,
    );
  const native: Currency = Object.freeze({
    ...{ chainId: id, address: NATIVE, isNative: true, verified: true },
    ...options.currency,
  });
  const { currencies, jettons } = jettonsOf(options, native, path);
  return Object.freeze({
    ...{ path, options, currencies, jettons, endpoints: rpc, least: BigInt(options.least) },
    zeroState: options.zeroState ?? ZERO_STATE,
    quorum: quorum && { aboveMicroUsd: BigInt(Math.round(quorum.aboveUsd * 1e6)), providers: quorum.providers },
    facts: {
      ...{ id, vmType: 'tonvm', name: options.name, displayName: options.displayName, network, currency: native },
      ...{ explorerUrl: explorer?.url ?? '', explorerName: explorer?.name ?? '', iconUrl: options.iconUrl ?? '' },
      explorerPaths: { transaction: '/transaction/', address: '/', token: '/' },
      ...{ publicRpcUrl: options.publicRpcUrl ?? '', publicWsUrl: '', router: null },
      // No contract enforces these. No fill lands late, because the signed order expires with the intent.
      guarantees: Object.freeze({ fillOnce: false, withdrawOnce: false, fillDeadline: true }),
      ...{ blockTimeMs, finalityMs: FINAL_BLOCKS * blockTimeMs, messageLifeMs: messageLifeS * 1_000 },
      quoteValidityMs: 30_000,
      burnAddresses: Object.freeze([BURN]),
    },
  });
}

function jettonsOf({ id, jettons, testOnlyAddresses: testOnly }: TonvmChainOptions, native: Currency, path: string) {
  const currencies = new Map([[NATIVE, native]]);
  const terms: JettonTerms[] = [];
  for (const [n, { attach, walletCode, ...jetton }] of jettons.entries()) {
    const at = `${path}.jettons[${n}].address`;
    const parsed = parseAddress(jetton.address, { testOnly });
    if (!parsed.ok) throw new OptionError(at, `${jetton.symbol}: ${parsed.reason}`);
    if (currencies.has(parsed.value)) throw new OptionError(at, `${jetton.symbol}: this minter is listed twice`);
    const currency: Currency = { verified: true, ...jetton, address: parsed.value, chainId: id, isNative: false };
    currencies.set(parsed.value, Object.freeze(currency));
    const minter = accountOf(parsed.value).toRawString();
    terms.push({ currency: parsed.value, minter, attach: BigInt(attach), walletCode });
  }
  return { currencies, jettons: terms };
}
