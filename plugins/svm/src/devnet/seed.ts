import type { DevnetSeedInput, DevnetSeedResult } from '@causeway/core';
import { NATIVE } from '../addresses.js';
import type { CurrencyOptions, SvmChainOptions, SvmOptions } from '../options.js';
import { users } from './accounts.js';
import { type KeyFile, keyFile } from './key-files.js';
import { type LocalChainOptions, localChains, SLOT_MS } from './process.js';
import { setUpChain } from './set-up.js';
import { localToken } from './tokens.js';

interface SolverKeys {
  readonly fill: KeyFile;
  readonly vault: KeyFile;
  readonly sweeper: KeyFile;
  /** Holds the master secret of the deposit addresses. */
  readonly addresses: KeyFile;
}

/** All chains in parallel. `fresh` is true unless this running node was set up for the same keys before. */
export async function seed(options: unknown, input: DevnetSeedInput): Promise<DevnetSeedResult> {
  const keys: SolverKeys = {
    fill: keyFile(input.keysDir, 'svm-fill'),
    vault: keyFile(input.keysDir, 'svm-vault'),
    sweeper: keyFile(input.keysDir, 'svm-sweeper'),
    addresses: keyFile(input.keysDir, 'svm-addresses'),
  };
  const configured = new Map(localChains(options).map((chain) => [chain.id, chain]));
  const seeded = await Promise.all(
    input.chains.map(async ({ chainId, port }) => {
      const chain = configured.get(chainId);
      if (chain === undefined) throw new Error(`chain ${chainId} is not a local chain of these options`);
      const made = (chain.currencies ?? []).filter(isMade);
      const roles = { fill: keys.fill.signer, vault: keys.vault.signer, sweeper: keys.sweeper.address };
      const { options, row } = resolved(chain, port, keys);
      const local = { ...options, currencies: made.map(atItsMint) };
      const fresh = await setUpChain(row.rpcUrl, local, roles, made.map(localToken));
      return { options, row, fresh };
    }),
  );
  const byId = new Map(seeded.map((chain) => [chain.row.id, chain]));
  const svm = options as SvmOptions;
  return {
    options: { ...svm, chains: svm.chains.map((chain) => byId.get(chain.id)?.options ?? chain) },
    chains: seeded.map(({ row }) => row),
    accounts: users.map((user) => ({ vmType: 'svm', ...user })),
    fresh: seeded.some(({ fresh }) => fresh),
  };
}

function isMade({ address }: CurrencyOptions): boolean {
  return address === 'devnet';
}

function atItsMint(currency: CurrencyOptions): CurrencyOptions {
  return { ...currency, address: localToken(currency).keys.publicKey.toBase58() };
}

function resolved(chain: LocalChainOptions, port: number, keys: SolverKeys) {
  const http = `http://127.0.0.1:${port}`;
  const ws = `ws://127.0.0.1:${port + 1}`;
  const currencies = (chain.currencies ?? []).map((currency) => (isMade(currency) ? atItsMint(currency) : currency));
  const options: SvmChainOptions = {
    ...chain,
    rpc: [{ http, ws }],
    publicRpcUrl: chain.publicRpcUrl || http,
    publicWsUrl: chain.publicWsUrl || ws,
    currencies,
    signers: {
      fill: keys.fill.reference,
      vault: keys.vault.reference,
      sweeper: keys.sweeper.reference,
      addresses: keys.addresses.reference,
    },
    blockTimeMs: chain.blockTimeMs ?? SLOT_MS,
  };
  const native = { symbol: chain.currency?.symbol ?? 'SOL', address: NATIVE, decimals: chain.currency?.decimals ?? 9 };
  const row = {
    id: chain.id,
    vmType: 'svm',
    name: chain.name,
    rpcUrl: http,
    currencies: [native, ...currencies.map(({ symbol, address, decimals }) => ({ symbol, address, decimals }))],
    contracts: { depository: keys.vault.address, inventory: keys.fill.address },
  };
  return { options, row };
}
