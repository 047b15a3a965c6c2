import { definePlugin, OptionError, type PluginContext } from '@causeway/core';
import { chainConfig } from './chain-config.js';
import { EvmAdapter, type EvmSigners } from './evm-adapter.js';
import { readErrors } from './explain-call/options.js';
import { registerFeeds } from './feeds/register-feeds.js';
import type { EvmChainOptions, EvmOptions, SignerOptions } from './options.js';
import { optionsSchema } from './options-schema.js';
import { registerSwaps } from './swaps/register-swaps.js';

export const plugin = definePlugin<EvmOptions>({
  id: 'evm',
  coreRange: '^0.1.0',
  options: optionsSchema,
  register,
});

function register(context: PluginContext<EvmOptions>): void {
  const { options, network, clock, log, alerts, metrics, lifecycle, chains } = context;
  const adapters: EvmAdapter[] = [];
  const errors = readErrors(options.errors);
  for (const [index, chain] of options.chains.entries()) {
    const config = chainConfig(chain, network, index, errors);
    const references = signersOf(options, chain, index);
    const signers = {
      fill: context.keys.secp256k1(references.fill),
      allocator: context.keys.secp256k1(references.allocator),
      ...(references.sweeper === undefined || config.depositAddresses === undefined
        ? {}
        : { sweeper: context.keys.secp256k1(references.sweeper) }),
      ...(references.executor === undefined ? {} : { executor: context.keys.secp256k1(references.executor) }),
    };
    refuseShared(signers, index);
    if (signers.sweeper?.address.toLowerCase() === signers.fill.address.toLowerCase()) {
      const message = 'is the key of `fill`: sweeps would take its nonces and delay fills and refunds';
      throw new OptionError(`chains[${index}].signers.sweeper`, message);
    }
    const adapter = new EvmAdapter(config, signers, { clock, alerts, metrics, log: log.child({ chain: chain.name }) });
    chains.add(adapter);
    adapters.push(adapter);
    lifecycle.onStart(() => adapter.start());
    lifecycle.onStop(() => adapter.stop());
  }
  registerFeeds(context, adapters);
  registerSwaps(context, adapters);
}

/** Strangers choose what the executor calls: it may have no other right. */
function refuseShared({ executor, ...others }: EvmSigners, index: number): void {
  const own = executor?.address.toLowerCase();
  const role = Object.entries(others).find(([, signer]) => signer?.address.toLowerCase() === own)?.[0];
  if (own === undefined || role === undefined) return;
  // guard: evm-executor-alone
  throw new OptionError(`chains[${index}].signers.executor`, `is the key of \`${role}\`: others choose what it calls`);
}

function signersOf(options: EvmOptions, chain: EvmChainOptions, index: number): SignerOptions {
  const signers = chain.signers ?? options.signers;
  if (signers === undefined) {
    throw new OptionError(`chains[${index}].signers`, 'missing, and the plugin names no signers for all its chains');
  }
  return signers;
}
