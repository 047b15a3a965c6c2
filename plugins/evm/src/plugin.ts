import { definePlugin, expectReplaced, OptionError, type PluginContext } from '@causeway/core';
import { bytesToHex } from 'viem/utils';
import { asHex } from './addresses.js';
import { chainConfig, type PlannedContracts } from './chain-config.js';
import { EvmAdapter } from './evm-adapter.js';
import type { EvmSigners } from './evm-signers.js';
import { readErrors } from './explain-call/options.js';
import { registerFeeds } from './feeds/register-feeds.js';
import { rolesOf } from './lanes.js';
import type { EvmChainOptions, EvmOptions, SignerOptions } from './options.js';
import { optionsSchema } from './options-schema.js';
import { refuseRemote, remoteReference } from './remote/reference.js';
import { RemoteEvmAccount } from './remote/remote-account.js';
import { planContracts } from './set-up/contracts.js';
import type { TransactionSigner } from './signed-transaction.js';
import { registerSwaps } from './swaps/register-swaps.js';

export const plugin = definePlugin<EvmOptions>({
  id: 'evm',
  coreRange: '^0.1.0',
  options: optionsSchema,
  newKey: (optionPath, random) =>
    /(^|\.)signers\.(fill|allocator|sweeper|executor|executors\[\d+\])$/.test(optionPath)
      ? bytesToHex(random)
      : undefined,
  register,
});

function register(context: PluginContext<EvmOptions>): void {
  const { options, network, clock, log, alerts, metrics, lifecycle, chains, rehearsing = false } = context;
  const adapters: EvmAdapter[] = [];
  const errors = readErrors(options.errors);
  for (const [index, chain] of options.chains.entries()) {
    const references = signersOf(options, chain, index);
    refuseRemoteRoles(references, `chains[${index}].signers`);
    const config = chainConfig(chain, network, index, errors, plannedFor(context, chain, references));
    const at = `chains[${index}].signers`;
    const sender = (reference: string, optionPath: string) => senderOf(context, chain, reference, optionPath);
    const signers = {
      fill: sender(references.fill, `${at}.fill`),
      allocator: context.keys.secp256k1(references.allocator),
      ...(references.sweeper === undefined || config.depositAddresses === undefined
        ? {}
        : { sweeper: sender(references.sweeper, `${at}.sweeper`) }),
      executors: executorsOf(references).map((reference) => context.keys.secp256k1(reference)),
      former: (references.former ?? []).map((reference, n) => sender(reference, `${at}.former[${n}]`)),
    };
    refuseShared(signers, at, references);
    const { fill, sweeper, former } = rolesOf(signers);
    expectReplaced(former, [fill, sweeper], `${at}.former`);
    if (signers.sweeper?.address.toLowerCase() === signers.fill.address.toLowerCase()) {
      const message = 'is the key of `fill`: sweeps would take its nonces and delay fills and refunds';
      throw new OptionError(`${at}.sweeper`, message);
    }
    const adapter = new EvmAdapter(
      config,
      { ...signers, byReference: (reference) => sender(reference, at) },
      { clock, alerts, metrics, rehearsing, log: log.child({ chain: chain.name }) },
    );
    chains.add(adapter);
    adapters.push(adapter);
    lifecycle.onStart(() => adapter.start());
    lifecycle.onStop(() => adapter.stop());
  }
  registerFeeds(context, adapters);
  registerSwaps(context, adapters);
}

/** While the contracts may be missing, the addresses that they will be deployed to are used. */
function plannedFor(
  { options, keys, settingUp, rehearsing }: PluginContext<EvmOptions>,
  chain: EvmChainOptions,
  references: SignerOptions,
): PlannedContracts {
  if (settingUp !== true && rehearsing !== true) return {};
  const fill = remoteReference(references.fill, 'signers.fill')?.address ?? keys.secp256k1(references.fill).address;
  const owner = asHex(chain.owner ?? options.owner ?? fill);
  const allocator = asHex(keys.secp256k1(references.allocator).address);
  const { depository: house, router: existing, permit2 } = chain.contracts ?? {};
  const planned = planContracts(
    { owner, allocator, ...(permit2 === undefined ? {} : { permit2: asHex(permit2) }) },
    house === undefined ? undefined : asHex(house),
  );
  const needed = { owner, depository: planned.depository.address, router: planned.router.address };
  const executes = executorsOf(references).length > 0;
  const permits = executes ? { permitEntry: planned.permitEntry.address } : {};
  // In addition to existing contracts, the others are the deployer's choice: `permit2` is named for permits alone.
  if (house !== undefined || existing !== undefined) return permit2 === undefined ? needed : { ...needed, ...permits };
  const swaps = { ...needed, ...permits, swapEntry: planned.swapEntry.address };
  return references.sweeper === undefined ? swaps : { ...swaps, depositAddresses: planned.depositAddresses.address };
}

/** Its key is here or, but for rehearsals, which have no keys, in a remote signer. */
function senderOf(
  { keys, clock, log, alerts, rehearsing, remoteSigner }: PluginContext<EvmOptions>,
  { id, displayName, name }: EvmChainOptions,
  reference: string,
  optionPath: string,
): TransactionSigner {
  const remote = remoteReference(reference, optionPath);
  if (remote === undefined || rehearsing === true) return keys.secp256k1(reference);
  return new RemoteEvmAccount({
    ...{ ...remote, chain: { id, displayName }, clock, alerts, log: log.child({ chain: name }) },
    find: () => remoteSigner(remote.id),
  });
}

/** What remote signers cannot sign. */
function refuseRemoteRoles(references: SignerOptions, at: string): void {
  refuseRemote(references.allocator, `${at}.allocator`, 'withdrawals are signed as typed data (EIP-712)');
  const calls = 'calls for others may carry authorizations (EIP-7702)';
  refuseRemote(references.executor, `${at}.executor`, calls);
  for (const [n, reference] of (references.executors ?? []).entries())
    refuseRemote(reference, `${at}.executors[${n}]`, calls);
}

function executorsOf({ executor, executors = [] }: SignerOptions): readonly string[] {
  return [...(executor === undefined ? [] : [executor]), ...executors];
}

/** Any caller chooses what executors call, so their accounts may have no other rights. Two executors with one key would share its nonces. */
function refuseShared(
  { executors = [], former = [], ...others }: Omit<EvmSigners, 'byReference'>,
  at: string,
  references: SignerOptions,
): void {
  const keys = executors.map(({ address }) => address.toLowerCase());
  const first = references.executor === undefined ? 0 : 1;
  for (const [n, key] of keys.entries()) {
    const option = n < first ? `${at}.executor` : `${at}.executors[${n - first}]`;
    const roles = [...Object.entries(others), ...former.map((signer) => ['former', signer] as const)];
    const role = roles.find(([, signer]) => signer?.address.toLowerCase() === key)?.[0];
    // guard: evm-executor-alone
    if (role !== undefined) throw new OptionError(option, `is the key of \`${role}\`: others choose what it calls`);
    if (keys.indexOf(key) < n) throw new OptionError(option, 'is the key of another executor');
  }
}

function signersOf(options: EvmOptions, chain: EvmChainOptions, index: number): SignerOptions {
  const signers = chain.signers ?? options.signers;
  if (signers === undefined) {
    throw new OptionError(`chains[${index}].signers`, 'missing, and the plugin names no signers for all its chains');
  }
  return signers;
}
