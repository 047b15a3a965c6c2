import { definePlugin, expectReplaced, OptionError, type PluginContext } from '@causeway/core';
import { keyPairFromSeed } from '@ton/crypto';
import { chainConfig } from './chain-config.js';
import type { TonvmOptions } from './options.js';
import { optionsSchema } from './options-schema.js';
import { TonvmAdapter } from './tonvm-adapter.js';
import { MAINNET, TESTNET, tonSigner } from './wallet.js';

export const plugin = definePlugin<TonvmOptions>({
  id: 'tonvm',
  coreRange: '^0.1.0',
  options: optionsSchema,
  newKey: (optionPath, random) =>
    /(^|\.)signers\.(fill|vault|sweeper)$/.test(optionPath)
      ? keyPairFromSeed(Buffer.from(random)).secretKey.toString('hex')
      : undefined,
  register,
});

function register(context: PluginContext<TonvmOptions>): void {
  const { options, keys, network, clock, log, alerts, metrics, lifecycle, chains } = context;
  for (const [index, chain] of options.chains.entries()) {
    const path = `chains[${index}]`;
    const config = chainConfig(chain, network, path);
    const { signers: references } = chain;
    if (references === undefined)
      throw new OptionError(`${path}.signers`, 'missing: name the keys of `fill` and `vault`');
    const signer = (role: string, reference: string) => {
      try {
        // Local chains have mainnet's id: public clients sign for no other.
        return tonSigner(keys.secret(reference), network === 'testnet' ? TESTNET : MAINNET);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        throw new OptionError(`${path}.signers.${role}`, error.message);
      }
    };
    const signers = {
      ...{ fill: signer('fill', references.fill), vault: signer('vault', references.vault) },
      ...(references.sweeper === undefined ? {} : { sweeper: signer('sweeper', references.sweeper) }),
      former: (references.former ?? []).map((reference, n) => signer(`former[${n}]`, reference)),
    };
    if (signers.fill.address === signers.vault.address)
      throw new OptionError(
        `${path}.signers.vault`,
        'is the key of the fill signer: deposits and inventory would be one',
      );
    if ([signers.fill.address, signers.vault.address].includes(signers.sweeper?.address ?? ''))
      throw new OptionError(
        `${path}.signers.sweeper`,
        'is the key of another signer: sweeps would wait for its payments',
      );
    const { fill, vault, sweeper, former } = signers;
    expectReplaced(
      former.map(({ address }) => address),
      [fill.address, vault.address, sweeper?.address],
      `${path}.signers.former`,
    );
    const apiKeys = new Map(
      config.endpoints.flatMap(({ apiKey }, n) => (apiKey === undefined ? [] : [[n, keys.secret(apiKey)] as const])),
    );
    const services = { clock, alerts, metrics, log: log.child({ chain: chain.name }) };
    const adapter = new TonvmAdapter(config, { ...signers, apiKeys }, services);
    chains.add(adapter);
    lifecycle.onStart(() => adapter.start());
    lifecycle.onStop(() => adapter.stop());
  }
}
