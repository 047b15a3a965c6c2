import type { DevnetSeedInput, DevnetSeedResult } from '@causeway/core';
import type { EvmChainOptions, EvmOptions } from '../options.js';
import { users } from './accounts.js';
import { defaultFunding, setUpChain } from './deploy.js';
import { fingerprint } from './fingerprint.js';
import { keyFile } from './key-files.js';
import { asksForVenues, deployedCurrencies, type LocalChainOptions, localChains } from './options.js';
import { type DeploymentPlan, planDeployment } from './plan.js';
import { BLOCK_SECONDS, resolved, type SolverKeys } from './resolved.js';
import { quantity, rpc } from './rpc.js';
import { readRecord, type SeedRecord, writeRecord } from './state.js';
import { NO_VENUES, type VenueArtifacts, venueArtifacts } from './venues/artifacts.js';
import { planVenues } from './venues/plan.js';
import { withoutVenues } from './without-venues.js';

/** Blocks until the finalized tag points at a block with state: a restored chain has only its newest state. */
const BLOCKS_TO_FINALITY = 3;

interface SeededChain {
  readonly options: EvmChainOptions;
  readonly row: DevnetSeedResult['chains'][number];
  readonly fresh: boolean;
  readonly leftOut: readonly string[];
}

/** @param contracts Third-party ones, if installed. */
export async function seed(
  options: unknown,
  input: DevnetSeedInput,
  contracts: () => VenueArtifacts | undefined = venueArtifacts,
): Promise<DevnetSeedResult> {
  const keys = {
    fill: keyFile(input.keysDir, 'fill'),
    allocator: keyFile(input.keysDir, 'allocator'),
    sweeper: keyFile(input.keysDir, 'sweeper'),
    executor: keyFile(input.keysDir, 'executor'),
  };
  keyFile(input.keysDir, 'order');
  const configured = new Map(localChains(options).map((chain) => [chain.id, chain]));
  const seeded = await Promise.all(
    input.chains.map(({ chainId, port, stateDir }) => {
      const chain = configured.get(chainId);
      if (chain === undefined) throw new Error(`chain ${chainId} is not a local chain of these options`);
      return seedChain(chain, port, stateDir, keys, asksForVenues(chain) ? contracts() : undefined);
    }),
  );
  const byId = new Map(seeded.map((chain) => [chain.row.id, chain]));
  const evm = options as EvmOptions;
  return {
    options: { ...evm, chains: evm.chains.map((chain) => byId.get(chain.id)?.options ?? chain) },
    chains: seeded.map((chain) => chain.row),
    accounts: users.map((user) => ({ vmType: 'evm', ...user })),
    fresh: seeded.some((chain) => chain.fresh),
    leftOut: seeded.flatMap((chain) => chain.leftOut),
  };
}

async function seedChain(
  asked: LocalChainOptions,
  port: number,
  stateDir: string,
  keys: SolverKeys,
  artifacts: VenueArtifacts | undefined,
): Promise<SeededChain> {
  const url = `http://127.0.0.1:${port}`;
  const lacks = artifacts === undefined && asksForVenues(asked);
  const chain = lacks ? withoutVenues(asked) : asked;
  const plan = planDeployment(
    {
      fillSigner: keys.fill,
      allocator: keys.allocator.address,
      sweeper: keys.sweeper.address,
      executor: keys.executor.address,
    },
    deployedCurrencies(chain),
    artifacts && planVenues(artifacts),
  );
  const known = await isKnown(url, readRecord(stateDir), plan);
  const genesis = await blockAt(url, '0x0');
  const { options, row } = resolved(chain, url, plan, keys, genesis.hash);
  await setUpChain(url, options, plan, defaultFunding);
  await rpc(url, 'anvil_mine', [quantity(BLOCKS_TO_FINALITY)]);
  if (!known) {
    const { fillSigner, allocator } = plan.roles;
    const head = await blockAt(url, 'latest');
    const anchor = { height: Number(head.number), hash: head.hash };
    writeRecord(stateDir, { fingerprint, fillSigner: fillSigner.address, allocator, anchor });
  }
  await rpc(url, 'evm_setIntervalMining', [BLOCK_SECONDS]);
  const leftOut = lacks ? [`the pools and wrapped coin of ${chain.name}: ${NO_VENUES}`] : [];
  return { options, row, fresh: !known, leftOut };
}

interface Block {
  readonly number: string;
  readonly hash: string;
}

async function blockAt(url: string, at: string): Promise<Block> {
  const block = await rpc<Block | null>(url, 'eth_getBlockByNumber', [at, false]);
  if (block === null) throw new Error(`${url} has no block ${at}`);
  return block;
}

/** True if an earlier run set up this chain with the same contracts and roles. */
async function isKnown(url: string, record: SeedRecord | undefined, plan: DeploymentPlan): Promise<boolean> {
  if (record === undefined || record.fingerprint !== fingerprint) return false;
  if (record.fillSigner !== plan.roles.fillSigner.address || record.allocator !== plan.roles.allocator) return false;
  const block = await rpc<Block | null>(url, 'eth_getBlockByNumber', [quantity(record.anchor.height), false]);
  return block?.hash === record.anchor.hash;
}
