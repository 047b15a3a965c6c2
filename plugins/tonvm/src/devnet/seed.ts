import type { DevnetSeedInput, DevnetSeedResult } from '@causeway/core';
import { Address, internal, type MessageRelaxed, toNano } from '@ton/core';
import { NATIVE, textOf } from '../addresses.js';
import type { JettonOptions, TonvmChainOptions, TonvmOptions } from '../options.js';
import type { TonSigner } from '../wallet.js';
import { admin, type KeyFile, keyFile, users } from './accounts.js';
import { dev, endpointOf } from './dev.js';
import { type LocalJetton, localJetton, mintBody } from './jettons.js';
import { BLOCK_MS, type LocalChainOptions, localChains } from './process.js';
import { submit, userClient } from './wallet.js';

const COINS = { fill: 100_000n, vault: 100n, sweeper: 100n, user: 10_000n, admin: 1_000n } as const;
const JETTONS = { fill: 100_000_000n, user: 1_000_000n } as const;
const MINT_GAS = toNano('0.1');
const MINT_VALUE = toNano('0.3');
const KEEPING = 'FEE';

interface SolverKeys {
  readonly fill: KeyFile;
  readonly vault: KeyFile;
  readonly sweeper: KeyFile;
}

/** `fresh` is true unless this running chain was set up for the same keys before. */
export async function seed(options: unknown, input: DevnetSeedInput): Promise<DevnetSeedResult> {
  const key = (role: 'fill' | 'vault' | 'sweeper') => keyFile(input.keysDir, `tonvm-${role}`);
  const keys = { fill: key('fill'), vault: key('vault'), sweeper: key('sweeper') };
  const configured = new Map(localChains(options).map((chain) => [chain.id, chain]));
  const seeded = [];
  for (const { chainId, port } of input.chains) {
    const chain = configured.get(chainId);
    if (chain === undefined) throw new Error(`chain ${chainId} is not a local chain of these options`);
    const origin = `http://127.0.0.1:${port}`;
    const fresh = await setUp(origin, keys, (chain.jettons ?? []).filter(isMade).map(madeJetton));
    // Applies to requests without a key, such as the solver's; its users have one.
    await dev(origin, 'limit', { perSecond: chain.localPerSecond ?? 0 });
    const { zeroState } = await dev<{ readonly zeroState: string }>(origin, 'head');
    seeded.push({ ...resolved(chain, origin, keys, zeroState), fresh });
  }
  const byId = new Map(seeded.map((chain) => [chain.row.id, chain]));
  const all = options as TonvmOptions;
  return {
    options: { ...all, chains: all.chains.map((chain) => byId.get(chain.id)?.options ?? chain) },
    chains: seeded.map(({ row }) => row),
    accounts: users.map(({ signer, privateKey }) => ({ vmType: 'tonvm', address: signer.address, privateKey })),
    fresh: seeded.some(({ fresh }) => fresh),
  };
}

function isMade({ address }: Pick<JettonOptions, 'address'>): boolean {
  return address === 'devnet';
}

function madeJetton({
  symbol,
  decimals,
}: Pick<JettonOptions, 'symbol' | 'decimals'>): LocalJetton & { decimals: number } {
  const terms = { admin: Address.parse(admin.signer.raw), symbol, decimals, keeping: symbol === KEEPING };
  return { ...localJetton(terms), decimals };
}

/** @returns true when this chain was not set up for these keys before. */
async function setUp(
  origin: string,
  { fill, vault, sweeper }: SolverKeys,
  jettons: readonly (LocalJetton & { readonly decimals: number })[],
): Promise<boolean> {
  const url = endpointOf(origin);
  // Deployed last: it proves the whole setup.
  if (await userClient(url).isContractDeployed(Address.parse(vault.signer.raw))) return false;
  const funded: readonly (readonly [TonSigner, bigint])[] = [
    ...([
      [admin.signer, COINS.admin],
      [fill.signer, COINS.fill],
      [vault.signer, COINS.vault],
      [sweeper.signer, COINS.sweeper],
    ] as const),
    ...users.map(({ signer }) => [signer, COINS.user] as const),
  ];
  for (const [{ raw }, coins] of funded) await dev(origin, 'faucet', { address: raw, amount: `${coins * 10n ** 9n}` });
  await dev(origin, 'settle');
  for (const { minter, init, decimals } of jettons) {
    const mint = (to: string, whole: bigint): MessageRelaxed =>
      internal({
        ...{ to: minter, value: MINT_VALUE, bounce: true, init },
        body: mintBody(Address.parse(to), whole * 10n ** BigInt(decimals), MINT_GAS),
      });
    await submit(url, admin.signer, [
      mint(fill.signer.raw, JETTONS.fill),
      ...users.map(({ signer }) => mint(signer.raw, JETTONS.user)),
    ]);
  }
  await submit(url, fill.signer, []);
  await dev(origin, 'settle');
  await submit(url, vault.signer, []);
  return true;
}

function resolved(chain: LocalChainOptions, origin: string, keys: SolverKeys, zeroState: string) {
  const http = endpointOf(origin);
  const jettons = (chain.jettons ?? []).map((jetton) =>
    isMade(jetton) ? { ...jetton, address: textOf(madeJetton(jetton).minter) } : jetton,
  );
  const options: TonvmChainOptions = {
    ...chain,
    ...{
      jettons,
      zeroState,
      rpc: [{ http, perSecond: chain.localPerSecond ?? 0 }],
      publicRpcUrl: chain.publicRpcUrl ?? http,
    },
    signers: { fill: keys.fill.reference, vault: keys.vault.reference, sweeper: keys.sweeper.reference },
    blockTimeMs: chain.blockTimeMs ?? BLOCK_MS,
  };
  const { symbol = 'TON', decimals = 9 } = chain.currency ?? {};
  const row = {
    ...{ id: chain.id, vmType: 'tonvm', name: chain.name, rpcUrl: http },
    currencies: [
      { symbol, address: NATIVE, decimals },
      ...jettons.map((one) => ({ symbol: one.symbol, address: one.address, decimals: one.decimals })),
    ],
    // This devnet has no contracts: wallets are used instead.
    contracts: { depository: keys.vault.signer.address, inventory: keys.fill.signer.address },
  };
  return { options, row };
}
