import { parseArgs } from 'node:util';
import {
  ATTACK_KINDS,
  type AttackKind,
  FAULT_KINDS,
  type FaultKind,
  type ScenarioSource,
  type SimulationProfile,
  UTXO_CHAINS,
} from '@causeway/core/testing';
import { UsageError } from '../support/script-options.js';

export interface SimOptions {
  readonly from: number;
  readonly seeds: number;
  readonly seed: number | null;
  readonly kept: boolean;
  readonly keep: string | null;
  readonly trace: boolean;
  readonly shrink: boolean;
  readonly minutes: number | null;
  readonly workers: number;
  /** What runs are drawn from; another profile makes another run of the same seed. */
  readonly profile: SimulationProfile;
}

const CHAIN_PROFILES = ['nonce', 'expiring', 'utxo', 'async'] as const;

export const USAGE = `npm run test:sim -- [options]

Plays the whole service on fake chains, seed by seed, under faults, users and attackers, and holds it against what was promised.

Many seeds:
  --seeds N           how many (default 1000)
  --from S            the first of them (default 1)
  --minutes M         stops after M minutes, whatever is left
  --workers K         processes (default 1)

One seed:
  --seed S            that one alone
  --kept              as it is kept in test/sim/seeds.json
  --keep WHY          keeps what is drawn from it, for this reason
  --trace             prints all that happens
  --shrink            where it fails, looks for the smallest scenario that does

What runs are drawn from:
  --profile utxo      UTXO chains alone
  --chains KIND,…     kinds of chains: ${CHAIN_PROFILES.join(', ')}
  --pools             pools on every chain that makes calls
  --swaps-in          the same, with payers who swap what they deposit
  --endpoints         receivers of events in every run
  --vaults            depositories that are accounts, send by themselves and pay fees
  --screening         a screener, which blocks some users and is away at times
  --gasless           app balances, calls for others, permits and fast fills
  --addresses         deposit addresses on every chain, paid by most users
  --short-forms       deposits that show the first bytes of an order id and no more
  --requests LEAST-MOST   requests of a run, e.g. 20-24
  --attacks KIND,…    attackers of these kinds in every run, or none: ${ATTACK_KINDS.join(', ')}
  --faults KIND,…     these faults alone, or none: ${FAULT_KINDS.join(', ')}
  --also KIND,…       these faults additionally in every run
  --help

Ends with 1 when a promise was broken.`;

export function simOptions(args: readonly string[]): SimOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seeds: { type: 'string', default: '1000' },
      from: { type: 'string', default: '1' },
      seed: { type: 'string' },
      kept: { type: 'boolean', default: false },
      keep: { type: 'string' },
      trace: { type: 'boolean', default: false },
      shrink: { type: 'boolean', default: false },
      minutes: { type: 'string' },
      workers: { type: 'string', default: '1' },
      requests: { type: 'string' },
      chains: { type: 'string' },
      also: { type: 'string' },
      attacks: { type: 'string' },
      faults: { type: 'string' },
      profile: { type: 'string' },
      pools: { type: 'boolean', default: false },
      endpoints: { type: 'boolean', default: false },
      'swaps-in': { type: 'boolean', default: false },
      vaults: { type: 'boolean', default: false },
      screening: { type: 'boolean', default: false },
      addresses: { type: 'boolean', default: false },
      gasless: { type: 'boolean', default: false },
      'short-forms': { type: 'boolean', default: false },
    },
  });
  const number = (name: string, text: string): number => {
    const value = Number(text);
    if (!Number.isFinite(value) || value < 0) throw new UsageError(`--${name} takes a number, not ${text}`);
    return value;
  };
  return {
    from: number('from', values.from),
    seeds: number('seeds', values.seeds),
    seed: values.seed === undefined ? null : number('seed', values.seed),
    kept: values.kept,
    keep: values.keep ?? null,
    trace: values.trace,
    shrink: values.shrink,
    minutes: values.minutes === undefined ? null : number('minutes', values.minutes),
    workers: Math.max(1, number('workers', values.workers)),
    profile: {
      ...profileOf(values.profile),
      ...(values.pools ? { pools: true as const } : {}),
      ...(values['swaps-in'] ? { pools: true as const, swapsIn: true as const } : {}),
      ...(values.endpoints ? { endpoints: true } : {}),
      ...(values.vaults ? { vaults: true as const } : {}),
      ...(values.screening ? { screening: true as const } : {}),
      ...(values.addresses ? { addresses: true as const } : {}),
      ...(values.gasless ? { gasless: true as const } : {}),
      ...(values['short-forms'] ? { shortForms: true as const } : {}),
      ...requestsOf(values.requests),
      ...chainsOf(values.chains),
      ...alsoOf(values.also),
      ...attacksOf(values.attacks),
      ...faultsOf(values.faults),
    },
  };
}

const NAMED = { utxo: UTXO_CHAINS } as const;

function profileOf(profile: string | undefined): SimulationProfile {
  return profile === undefined ? {} : NAMED[oneOf(['utxo'], profile)];
}

function requestsOf(requests: string | undefined): SimulationProfile {
  if (requests === undefined) return {};
  const [, least, most] = /^(\d+)-(\d+)$/.exec(requests) ?? [];
  if (least === undefined || most === undefined || Number(least) > Number(most))
    throw new UsageError(`--requests takes LEAST-MOST, e.g. 20-24, not ${requests}`);
  return { requests: [Number(least), Number(most)] };
}

/** `nonce,utxo`: kinds of chains to draw from; one named twice is drawn twice as often. */
function chainsOf(chains: string | undefined): SimulationProfile {
  return chains === undefined ? {} : { profiles: chains.split(',').map((name) => oneOf(CHAIN_PROFILES, name)) };
}

/** In addition to the drawn faults; some are never drawn. */
function alsoOf(also: string | undefined): SimulationProfile {
  return also === undefined ? {} : { also: also.split(',').map((name): FaultKind => oneOf(FAULT_KINDS, name)) };
}

/** `frontRunning,dustSpam`: in every run, instead of a draw from all. */
function attacksOf(attacks: string | undefined): SimulationProfile {
  return attacks === undefined ? {} : { attacks: listed(attacks).map((name): AttackKind => oneOf(ATTACK_KINDS, name)) };
}

/** Faults to draw from; with `none`, gains and losses are checked to the unit. */
function faultsOf(faults: string | undefined): SimulationProfile {
  return faults === undefined ? {} : { faults: listed(faults).map((name): FaultKind => oneOf(FAULT_KINDS, name)) };
}

function listed(names: string): readonly string[] {
  return names === 'none' ? [] : names.split(',');
}

function oneOf<T extends string>(all: readonly T[], name: string): T {
  const known = all.find((one) => one === name);
  if (known === undefined) throw new UsageError(`${name} is none of ${all.join(', ')}`);
  return known;
}

export function replayCommand(seed: number, from: ScenarioSource, profile: SimulationProfile = {}): string {
  if (from === 'kept') return `npm run test:sim -- --seed ${seed} --kept --trace`;
  const { requests, attacks } = profile;
  const named = profile.irregular === true;
  const { profiles, also, faults } = named ? {} : profile;
  const drawn = [
    ...(named ? ['--profile utxo'] : []),
    ...(profile.pools ? ['--pools'] : []),
    ...(profile.swapsIn ? ['--swaps-in'] : []),
    ...(profile.endpoints ? ['--endpoints'] : []),
    ...(profile.vaults ? ['--vaults'] : []),
    ...(profile.screening ? ['--screening'] : []),
    ...(profile.addresses ? ['--addresses'] : []),
    ...(profile.gasless ? ['--gasless'] : []),
    ...(profile.shortForms ? ['--short-forms'] : []),
    ...(requests ? [`--requests ${requests.join('-')}`] : []),
    ...(profiles ? [`--chains ${profiles.join(',')}`] : []),
    ...(also ? [`--also ${also.join(',')}`] : []),
    ...(attacks ? [`--attacks ${attacks.join(',') || 'none'}`] : []),
    ...(faults ? [`--faults ${faults.join(',') || 'none'}`] : []),
    `--seed ${seed} --trace`,
  ];
  return `npm run test:sim -- ${drawn.join(' ')}`;
}
