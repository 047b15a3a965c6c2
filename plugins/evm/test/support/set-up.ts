import type { ChainAdapter, PluginContext, RemoteSigner, SetUpItem, SetUpOptions } from '@causeway/core';
import { plugin } from '../../src/index.js';
import type { EvmChainOptions, EvmOptions } from '../../src/options.js';
import { clock, countingMetrics, key, recordingAlerts, recordingLogger, signerOf } from './services.js';
import { chainOptions, type World } from './world.js';

/** Keys that no other test uses: nothing of theirs is on the chain yet. */
export interface Deployer {
  readonly fill: string;
  readonly allocator: string;
  readonly payer: string;
}

export interface SetUpRun extends Partial<SetUpOptions> {
  readonly options?: Partial<EvmChainOptions>;
  /** With a key for calls for others. */
  readonly executes?: boolean;
  /** Whether the key of the fill signer is in a remote signer, which signs or not. */
  readonly remote?: RemoteSigner;
  /** Default: the fill signer. */
  readonly owner?: string;
  /** Named by `payer`, and else by nothing. */
  readonly onItem?: (item: SetUpItem) => Promise<void> | void;
}

/** Far from the keys of other runs. */
const EXECUTOR = 10_000;

const addressOf = (n: number) => signerOf(key(n)).address.toLowerCase();

/** @param n First of three numbers of keys. */
export function newDeployer(n: number): Deployer {
  return { fill: addressOf(n), allocator: addressOf(n + 1), payer: addressOf(n + 2) };
}

/** Runs the set-up of a chain with tokens but none of the solver's contracts. */
export async function runSetUp(world: World, n: number, run: SetUpRun = {}): Promise<readonly SetUpItem[]> {
  const { options, executes = false, owner, onItem, remote, ...more } = run;
  const { contracts: _, ...chain } = chainOptions(world);
  const items: SetUpItem[] = [];
  const all = { ...chain, contracts: {}, ...options, ...(owner === undefined ? {} : { owner }) };
  const adapter = registered(n, all, executes, remote);
  const how = { dryRun: false, signal: new AbortController().signal, ...more };
  for await (const item of adapter.setUp?.(how) ?? []) {
    items.push(item);
    await onItem?.(item);
  }
  return items;
}

function registered(n: number, chain: EvmChainOptions, executes: boolean, remote?: RemoteSigner): ChainAdapter {
  const keys: Readonly<Record<string, number>> = {
    ...{ 'env:fill': n, 'env:allocator': n + 1, 'env:payer': n + 2 },
    'env:executor': n + EXECUTOR,
  };
  const chains: ChainAdapter[] = [];
  const fill = remote === undefined ? 'env:fill' : `remote:${remote.id}#${addressOf(n)}`;
  const signers = { fill, allocator: 'env:allocator', ...(executes ? { executor: 'env:executor' } : {}) };
  const options: EvmOptions = { signers, chains: [chain] };
  const context = {
    ...{ id: 'evm', options, network: 'local', settingUp: true, clock },
    ...{ metrics: countingMetrics(), log: recordingLogger(), alerts: recordingAlerts() },
    keys: { secp256k1: (reference: string) => signerOf(key(keys[reference] ?? 0)) },
    remoteSigner: () => remote,
    chains: { add: (one: ChainAdapter) => void chains.push(one) },
    lifecycle: { onStart: () => {}, onStop: () => {} },
  };
  plugin.register(context as unknown as PluginContext<EvmOptions>);
  const [adapter] = chains;
  if (adapter === undefined) throw new Error('the plugin registered no chain');
  return adapter;
}

export const named = (items: readonly SetUpItem[], name: string): SetUpItem | undefined =>
  items.filter((item) => item.name === name).at(-1);

export const latest = (items: readonly SetUpItem[]): Readonly<Record<string, SetUpItem['state']>> =>
  Object.fromEntries(items.map(({ name, state }) => [name, state]));

/** Options that name what the items say. */
export function contractsIn(items: readonly SetUpItem[]): NonNullable<EvmChainOptions['contracts']> {
  return Object.fromEntries(
    items.flatMap(({ option }) => (option === undefined ? [] : [[option.path.split('.').at(-1) ?? '', option.value]])),
  );
}
