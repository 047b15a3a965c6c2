import type { Clock } from '@causeway/core';
import { TOKEN_2022_PROGRAM_ID } from '@solana/spl-token';
import { Keypair, LAMPORTS_PER_SOL } from '@solana/web3.js';
import bs58 from 'bs58';
import { chainConfig } from '../../src/chain-config.js';
import { AddressKeys } from '../../src/deposit-addresses/address-keys.js';
import type { SvmChainOptions } from '../../src/options.js';
import { ed25519Signer } from '../../src/signer.js';
import { SvmAdapter } from '../../src/svm-adapter.js';
import type { LocalNode } from './node.js';
import { services } from './services.js';
import type { TestToken } from './tokens.js';

export const CHAIN = 792703809;

export interface TestSolver {
  readonly fill: Keypair;
  readonly vault: Keypair;
  /** Only with `sweeps`. */
  readonly sweeper?: Keypair;
  options(more?: Partial<SvmChainOptions>): SvmChainOptions;
  unstarted(more?: Partial<SvmChainOptions>, others?: readonly Keypair[]): SvmAdapter;
  /** With another fill key, and the present one as former. */
  rotatedTo(fill: Keypair): TestSolver;
  start(
    more?: Partial<SvmChainOptions>,
    clock?: Clock,
  ): Promise<SvmAdapter & { readonly reported: ReturnType<typeof services> }>;
}

/**
 * @param tokens minted by their own authority; with inventory and vault accounts.
 * @param coins of the fill signer.
 * @param sweeps whether it has deposit addresses.
 */
export async function fundedSolver(
  node: LocalNode,
  tokens: readonly TestToken[],
  coins = 1_000,
  sweeps = false,
): Promise<TestSolver> {
  const [fill, vault, sweeper] = [Keypair.generate(), Keypair.generate(), Keypair.generate()];
  const master = Keypair.generate().secretKey.subarray(0, 32);
  await Promise.all([
    node.fund(fill.publicKey, coins * LAMPORTS_PER_SOL),
    node.fund(vault.publicKey, LAMPORTS_PER_SOL / 10),
    ...(sweeps ? [node.fund(sweeper.publicKey, LAMPORTS_PER_SOL)] : []),
  ]);
  for (const token of tokens) {
    await token.give(fill.publicKey, 10n ** 12n);
    await token.give(vault.publicKey, 0n);
  }
  const options = (more: Partial<SvmChainOptions> = {}): SvmChainOptions => ({
    ...{ id: CHAIN, name: 'local', displayName: 'Local', rpc: [{ http: node.url }], blockTimeMs: node.slotTimeMs },
    currencies: tokens.map(({ mint, program }, n) => ({
      ...{ symbol: `T${n}`, name: `Token ${n}`, address: mint.toBase58(), decimals: 6, group: `t${n}` },
      program: program.equals(TOKEN_2022_PROGRAM_ID) ? ('token-2022' as const) : ('token' as const),
    })),
    ...more,
  });
  return solverOf({ fill, vault, options, former: [], ...(sweeps && { sweeper, master }) });
}

interface Parts extends Pick<TestSolver, 'fill' | 'vault' | 'sweeper' | 'options'> {
  readonly former: readonly Keypair[];
  /** Only with `sweeper`. */
  readonly master?: Uint8Array;
}

function solverOf(parts: Parts): TestSolver {
  const { fill, vault, sweeper, options, former, master } = parts;
  const made = (
    reported: ReturnType<typeof services>,
    more?: Partial<SvmChainOptions>,
    others: readonly Keypair[] = [],
  ) => {
    const byReference = (reference: string) => {
      const found = others.find(({ publicKey }) => publicKey.toBase58() === reference);
      if (found === undefined) throw new Error(`there is no key ${reference}`);
      return signerOf(found);
    };
    const sweeps = sweeper && master && { payer: signerOf(sweeper), addresses: new AddressKeys(master, CHAIN) };
    const signers = {
      ...{ fill: signerOf(fill), vault: signerOf(vault), former: former.map(signerOf), byReference },
      ...(sweeps && { sweeps }),
    };
    return new SvmAdapter(chainConfig(options(more), 'local', 0), signers, reported);
  };
  return {
    fill,
    vault,
    ...(sweeper && { sweeper }),
    options,
    rotatedTo: (by) => solverOf({ ...parts, fill: by, former: [fill, ...former] }),
    unstarted: (more, others) => made(services(), more, others),
    start: async (more, clock) => {
      const reported = { ...services(), ...(clock && { clock }) };
      const adapter = made(reported, more);
      await adapter.start();
      return Object.assign(adapter, { reported });
    },
  };
}

function signerOf({ secretKey }: Keypair) {
  return ed25519Signer(bs58.encode(secretKey));
}
