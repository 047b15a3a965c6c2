import type { FixedRatePolicy } from '../../domain/fixed-rate.js';
import type { ServicePolicy } from '../../domain/policy.js';
import type { ServiceOptions } from './service-options.js';
import { durationMs, microUsd } from './units.js';

export function servicePolicy(
  service: ServiceOptions,
  solverChain: string,
  custodians: ServicePolicy['custodians'],
): ServicePolicy {
  const limit = (text: string | undefined) => (text === undefined ? null : microUsd(text));
  const routes = service.fees.routes.map(({ originChainId, destinationChainId, bps, floorUsd }) => ({
    ...(originChainId === undefined ? {} : { originChainId }),
    ...(destinationChainId === undefined ? {} : { destinationChainId }),
    bps,
    floorMicroUsd: microUsd(floorUsd),
  }));
  const { bps, perRootMinuteBps } = service.spread;
  const rest = { bps, perRootMinuteBps };
  return Object.freeze({
    network: service.network,
    solverChain,
    orderTtlMs: durationMs(service.orders.ttl),
    confirmationTimeoutMs: durationMs(service.orders.confirmationTimeout),
    defaultSlippageBps: service.slippageBps,
    routeFees: [...routes, { bps: service.fees.bps, floorMicroUsd: microUsd(service.fees.floorUsd) }],
    ...movingFees(service.fees.dynamic),
    limits: {
      maxRequestMicroUsd: limit(service.limits.maxRequestUsd),
      maxUnfinalMicroUsd: limit(service.limits.maxUnfinalUsd),
      maxDailyMicroUsd: limit(service.limits.maxDailyUsd),
      dustMicroUsd: microUsd(service.limits.dustUsd),
    },
    spread: { classes: [...service.spread.assets, rest] },
    ...(service.fixedRate === undefined ? {} : { fixedRate: fixedRatePolicy(service.fixedRate) }),
    ...balances(service.appBalances),
    ...(service.inventory.targets.length === 0 ? {} : { inventoryTargets: service.inventory.targets }),
    swaps: { mostImpactBps: service.swaps.mostImpactBps },
    mostPartedBps: service.groups.mostPartedBps,
    mostTopUpMicroUsd: microUsd(service.topUp.maxUsd),
    mostUnpaidQuotes: service.quotes.unpaidPerPayer === 0 ? null : service.quotes.unpaidPerPayer,
    mostAddressesPerDay: service.quotes.addressesPerDay === 0 ? null : service.quotes.addressesPerDay,
    anonymousQuotes: {
      lifeMs: durationMs(service.quotes.keepAnonymous),
      most: service.quotes.mostAnonymous === 0 ? null : service.quotes.mostAnonymous,
    },
    deliveryLifeMs: durationMs(service.events.keepDeliveries),
    leastFreeBytes: BigInt(service.database.leastFreeMb) * 1_048_576n,
    custodians,
    bumpAfterBlocks: service.fills.bumpAfterBlocks,
    inclusionWindowMs: durationMs(service.fills.inclusionWindow),
    giveUpShortMs: durationMs(service.fills.giveUpShortAfter),
    fillConfirmations: service.fills.confirmations,
    deadlineMarginMs: durationMs(service.orders.deadlineMargin),
    withdrawalTtlMs: durationMs(service.orders.withdrawalTtl),
    collect: { everyMs: durationMs(service.collect.every), minMicroUsd: microUsd(service.collect.minUsd) },
    gasReserveFills: service.fills.gasReserveFills,
    leaseTtlMs: durationMs(service.leaseTtl),
    reconcileEveryMs: durationMs(service.reconcileEvery),
  });
}

function balances(
  options: ServiceOptions['appBalances'],
): Pick<ServicePolicy, 'balanceCurrencies' | 'lowBalanceMicroUsd'> {
  if (options === undefined) return {};
  const byChain = new Map<number, string[]>();
  for (const { chainId, currency } of options.currencies)
    byChain.set(chainId, [...(byChain.get(chainId) ?? []), currency]);
  return { balanceCurrencies: byChain, lowBalanceMicroUsd: microUsd(options.lowUsd) };
}

function fixedRatePolicy({
  validity,
  maxHeldUsdPerKey,
  maxHeldUsd,
  assets,
  bps,
  perRootMinuteBps,
}: NonNullable<ServiceOptions['fixedRate']>): FixedRatePolicy {
  return {
    validityMs: durationMs(validity),
    fee: { classes: [...assets, { bps, perRootMinuteBps }] },
    maxHeldMicroUsdPerKey: microUsd(maxHeldUsdPerKey),
    maxHeldMicroUsd: microUsd(maxHeldUsd),
  };
}

function movingFees({
  leastBps,
  skew,
  volatility,
}: ServiceOptions['fees']['dynamic']): Pick<ServicePolicy, 'movingFees'> {
  if (skew === undefined && volatility === undefined) return {};
  const moves = volatility && {
    windowMs: durationMs(volatility.window),
    calmBps: volatility.calmBps,
    percent: volatility.percent,
    mostBps: volatility.mostBps,
  };
  return { movingFees: { leastBps, ...(skew ? { skew } : {}), ...(moves ? { volatility: moves } : {}) } };
}
