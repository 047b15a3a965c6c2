import { definePlugin, expectReplaced, OptionError, type PluginContext } from '@causeway/core';
import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { chainConfig } from './chain-config.js';
import { AddressKeys } from './deposit-addresses/address-keys.js';
import type { SignerOptions, SvmChainOptions, SvmOptions } from './options.js';
import { optionsSchema } from './options-schema.js';
import { type Ed25519Signer, ed25519Signer, seedOf } from './signer.js';
import { SvmAdapter, type SvmSigners } from './svm-adapter.js';

export const plugin = definePlugin<SvmOptions>({
  id: 'svm',
  coreRange: '^0.1.0',
  options: optionsSchema,
  newKey: (optionPath, random) =>
    /(^|\.)signers\.(fill|vault|sweeper|addresses)$/.test(optionPath)
      ? bs58.encode(Keypair.fromSeed(random).secretKey)
      : undefined,
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
}: PluginContext<SvmOptions>): void {
  for (const [index, chain] of options.chains.entries()) {
    const config = chainConfig(chain, network, index);
    const { path, references } = signersOf(options, chain, index);
    const signerAt = (option: string, reference: string): Ed25519Signer => {
      try {
        return ed25519Signer(keys.secret(reference));
      } catch (error) {
        // The host reports bad references, this reports bad keys.
        if (!(error instanceof RangeError)) throw error;
        throw new OptionError(`${path}.${option}`, error.message);
      }
    };
    const signer = (role: 'fill' | 'vault' | 'sweeper') => signerAt(role, references[role] ?? '');
    const former = (references.former ?? []).map((reference, n) => signerAt(`former[${n}]`, reference));
    const byReference = (reference: string) => ed25519Signer(keys.secret(reference));
    const sweeps = sweepsOf(config.facts.id, { path, references, signer, secret: (of) => keys.secret(of) });
    const signers = { fill: signer('fill'), vault: signer('vault'), former, byReference, ...(sweeps && { sweeps }) };
    if (signers.fill.address === signers.vault.address) {
      throw new OptionError(`${path}.vault`, 'is the key of the fill signer: deposits and inventory would be one');
    }
    if ([signers.fill, signers.vault].some(({ address }) => address === sweeps?.payer.address)) {
      throw new OptionError(`${path}.sweeper`, 'is another signer: a lane of its own needs its own key');
    }
    const used = [signers.fill, signers.vault, sweeps?.payer].map((one) => one?.address);
    expectReplaced(
      former.map(({ address }) => address),
      used,
      `${path}.former`,
    );
    const adapter = new SvmAdapter(config, signers, { clock, alerts, metrics, log: log.child({ chain: chain.name }) });
    chains.add(adapter);
    lifecycle.onStart(() => adapter.start());
    lifecycle.onStop(() => adapter.stop());
  }
}

interface Keys {
  readonly path: string;
  readonly references: SignerOptions;
  signer(role: 'sweeper'): Ed25519Signer;
  secret(reference: string): string;
}

/** Undefined where neither key is named: no deposit addresses. */
function sweepsOf(chainId: number, { path, references, signer, secret }: Keys): SvmSigners['sweeps'] {
  const { sweeper, addresses } = references;
  if (sweeper === undefined && addresses === undefined) return undefined;
  if (sweeper === undefined || addresses === undefined) {
    const missing = sweeper === undefined ? 'sweeper' : 'addresses';
    throw new OptionError(`${path}.${missing}`, 'missing: deposit addresses need `sweeper` and `addresses`');
  }
  try {
    return { payer: signer('sweeper'), addresses: new AddressKeys(seedOf(secret(addresses)), chainId) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new OptionError(`${path}.addresses`, error.message);
  }
}

function signersOf(
  options: SvmOptions,
  chain: SvmChainOptions,
  index: number,
): { readonly path: string; readonly references: SignerOptions } {
  const path = chain.signers === undefined ? 'signers' : `chains[${index}].signers`;
  const references = chain.signers ?? options.signers;
  if (references === undefined) {
    throw new OptionError(`chains[${index}].signers`, 'missing, and the plugin names no signers for all its chains');
  }
  return { path, references };
}
