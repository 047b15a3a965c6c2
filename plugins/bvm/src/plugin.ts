import { definePlugin, OptionError, type PluginContext } from '@causeway/core';
import { addressKeys } from './address-keys.js';
import { BvmAdapter } from './bvm-adapter.js';
import { chainConfig } from './chain-config.js';
import type { BvmChainOptions, BvmOptions, SignerOptions } from './options.js';
import { optionsSchema } from './options-schema.js';
import { type OutputSigner, outputSigner } from './signer.js';

export const plugin = definePlugin<BvmOptions>({
  id: 'bvm',
  coreRange: '^0.1.0',
  options: optionsSchema,
  newKey: (optionPath, random) =>
    /(^|\.)signers\.(fill|depository|addresses)$/.test(optionPath) ? Buffer.from(random).toString('hex') : undefined,
  register,
});

function register({
  options,
  keys,
  network,
  clock,
  log,
  alerts,
  metrics,
  lifecycle,
  chains,
}: PluginContext<BvmOptions>): void {
  const taken = new Map<string, number>();
  for (const [index, chain] of options.chains.entries()) {
    const config = chainConfig(chain, network, index);
    const { path, references } = signersOf(options, chain, index);
    const secret = <T>(role: keyof SignerOptions, reference: string, read: (secret: string) => T): T => {
      try {
        return read(keys.secret(reference));
      } catch (error) {
        // Errors of the reference are the host's to report.
        if (!(error instanceof RangeError)) throw error;
        throw new OptionError(`${path}.${role}`, error.message);
      }
    };
    const { addressType: type, network: parameters } = config;
    const signer = (role: 'fill' | 'depository'): OutputSigner =>
      secret(role, references[role], (text) => outputSigner(text, type, parameters));
    const pots = { fill: signer('fill'), depository: signer('depository') };
    const { addresses: reference } = references;
    const addresses =
      reference === undefined
        ? {}
        : { addresses: secret('addresses', reference, (text) => addressKeys(text, chain.id, type, parameters)) };
    if (pots.fill.address === pots.depository.address) {
      const message = 'is the key of the fill signer: deposits and inventory would be one';
      throw new OptionError(`${path}.depository`, message);
    }
    for (const [role, { script }] of Object.entries(pots)) {
      const place = `${config.network.genesis}:${script.toString('hex')}`;
      const other = taken.get(place);
      // Local nodes share a genesis but are separate chains.
      if (other !== undefined && config.network.environment !== 'local') {
        const message = `is used by chain ${other} already, which begins with the same block: each deposit would count twice`;
        throw new OptionError(`${path}.${role}`, message);
      }
      taken.set(place, chain.id);
    }
    const signers = { ...pots, ...addresses };
    const adapter = new BvmAdapter(config, signers, { clock, alerts, metrics, log: log.child({ chain: chain.name }) });
    chains.add(adapter);
    lifecycle.onStart(() => adapter.start());
    lifecycle.onStop(() => adapter.stop());
  }
}

function signersOf(
  options: BvmOptions,
  chain: BvmChainOptions,
  index: number,
): { readonly path: string; readonly references: SignerOptions } {
  const path = chain.signers === undefined ? 'signers' : `chains[${index}].signers`;
  const references = chain.signers ?? options.signers;
  if (references === undefined) {
    throw new OptionError(`chains[${index}].signers`, 'missing, and the plugin names no signers for all its chains');
  }
  return { path, references };
}
