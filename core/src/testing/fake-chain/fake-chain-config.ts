import type { ChainFacts } from '../../contract/chain-adapter.js';
import type { Currency } from '../../contract/currency.js';
import type { Hex } from '../../contract/ids.js';
import { EVERY_LEG, type LaneRef } from '../../contract/legs.js';
import { VALID_BLOCKS } from './adapter/message-wallet.js';
import { MAX_LEGS, MAX_SHARES } from './adapter/sequence-wallet.js';
import type { FakeConfig } from './adapter/setup.js';
import { fakeAddress } from './cheap-hash.js';
import type { FakeChainOptions, FakeCurrencyOptions } from './fake-chain-types.js';
import { NATIVE } from './native.js';
import { type Rules, VALID_SECONDS } from './rules.js';

const DEFAULT_NATIVE: FakeCurrencyOptions = { symbol: 'FAKE', decimals: 18 };
const DEFAULT_TOKENS: readonly FakeCurrencyOptions[] = [{ symbol: 'USDF', decimals: 6, group: 'usd' }];

interface ConfigParts {
  readonly signer: string;
  readonly depository: string;
  readonly sweeper: string;
  readonly executor: string;
  readonly derive: (salt: Hex) => string;
  readonly rules: Rules;
}

export function configOf(
  options: FakeChainOptions,
  { signer, depository, sweeper, executor, derive, rules }: ConfigParts,
): FakeConfig {
  const { id } = options;
  const calls = rules.name === 'nonce' && options.calls === true;
  const name = options.name ?? `fake-${id}`;
  const native = currencyOf(id, options.native ?? DEFAULT_NATIVE, NATIVE);
  const tokens = (options.tokens ?? DEFAULT_TOKENS).map((token) =>
    currencyOf(id, token, fakeAddress(`token:${id}:${token.symbol}`)),
  );
  const blockTimeMs = options.blockTimeMs ?? 2_000;
  const depth = (options.finalityDepth ?? 6) + rules.hops;
  const router = rules.enforced ? fakeAddress(`router:${id}`) : null;
  const facts: ChainFacts = {
    id,
    // An unknown family: core must not depend on it.
    vmType: 'fakevm',
    name,
    displayName: name,
    network: 'local',
    currency: native,
    explorerUrl: `http://explorer.${name}.test`,
    explorerName: `${name} explorer`,
    explorerPaths: { transaction: '/tx/{hash}', address: '/address/{address}', token: '/token/{address}' },
    publicRpcUrl: `http://rpc.${name}.test`,
    publicWsUrl: `ws://rpc.${name}.test`,
    iconUrl: `http://icons.${name}.test`,
    depository,
    router,
    guarantees: { fillOnce: rules.enforced, withdrawOnce: rules.enforced, fillDeadline: rules.enforced },
    contracts: { depository, ...(router === null ? {} : { router }) },
    blockTimeMs,
    finalityMs: Math.ceil((depth + 2) * blockTimeMs * (options.irregular === true ? 2 : 1.2)),
    ...(rules.name === 'async' ? { messageLifeMs: VALID_SECONDS * 1_000 } : {}),
    ...(rules.name === 'expiring' ? { messageLifeMs: Math.ceil(VALID_BLOCKS * blockTimeMs * 1.2) } : {}),
    ...(rules.coins ? { refundsSpendDeposits: true } : {}),
    ...(rules.name === 'nonce' ? { namesDepositors: true } : {}),
    ...(options.orderIdBytes === undefined ? {} : { orderIdBytes: options.orderIdBytes }),
    quoteValidityMs: 30_000,
    burnAddresses: [fakeAddress('burn')],
  };
  return {
    facts,
    rules,
    signer,
    lanes: [
      ...lanesOf(signer, depository, options.vault === true),
      ...(options.addresses && !rules.coins ? [{ signer: sweeper, sends: ['sweep'] as const }] : []),
      ...(calls ? [{ signer: executor, sends: ['call'] as const }] : []),
    ],
    ...(options.addresses ? { derive } : {}),
    currencies: new Map([native, ...tokens].map((currency) => [currency.address, currency])),
    feeCap: options.feeCap ?? 1_000n,
    payerSwaps: rules.name === 'nonce' && options.payerSwaps === true,
    swapDeposits: options.swapDeposits === true,
    calls,
    mappings: rules.name === 'nonce' && options.mappings === true,
    mostLegs: rules.apart && options.shares === true ? MAX_SHARES : MAX_LEGS[rules.name],
    quorum: options.quorum,
    acceptDepth: options.acceptDepth ?? (() => 0),
  };
}

function lanesOf(signer: string, depository: string, vault: boolean): readonly LaneRef[] {
  if (!vault) return Object.freeze([{ signer, sends: EVERY_LEG }]);
  const fills: LaneRef = { signer, sends: ['fill'] };
  return Object.freeze([fills, { signer: depository, sends: ['refund', 'excess', 'collect'], pot: 'depository' }]);
}

function currencyOf(chainId: number, options: FakeCurrencyOptions, address: string): Currency {
  const { symbol, decimals, group, transferCheck, swappedIn } = options;
  return {
    chainId,
    address,
    symbol,
    name: `Fake ${symbol}`,
    decimals,
    isNative: address === NATIVE,
    group: group ?? symbol.toLowerCase(),
    verified: true,
    ...(transferCheck === undefined ? {} : { transferCheck }),
    ...(swappedIn ? { isSwappedIn: true as const } : {}),
  };
}
