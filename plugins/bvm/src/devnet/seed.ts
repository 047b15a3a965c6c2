import type { DevnetSeedInput, DevnetSeedResult } from '@causeway/core';
import { NATIVE } from '../addresses.js';
import type { BvmChainOptions, BvmOptions } from '../options.js';
import { type KeyFile, keyFile } from './key-files.js';
import { users } from './keys.js';
import { BLOCK_MS, EXPLORER, type LocalChainOptions, localChains, localNetwork, urlOf, ZMQ } from './process.js';
import { type Roles, setUpChain } from './set-up.js';

interface SolverKeys {
  readonly fill: KeyFile;
  readonly depository: KeyFile;
  readonly addresses: KeyFile;
}

export async function seed(options: unknown, input: DevnetSeedInput): Promise<DevnetSeedResult> {
  const keys: SolverKeys = {
    fill: keyFile(input.keysDir, 'bvm-fill'),
    depository: keyFile(input.keysDir, 'bvm-depository'),
    addresses: keyFile(input.keysDir, 'bvm-addresses'),
  };
  const configured = new Map(localChains(options).map((chain) => [chain.id, chain]));
  const seeded = await Promise.all(
    input.chains.map(async ({ chainId, port, stateDir }) => {
      const chain = configured.get(chainId);
      if (chain === undefined) throw new Error(`chain ${chainId} is not a local chain of these options`);
      const network = localNetwork(chain);
      const type = chain.addressType ?? 'p2wpkh';
      const roles = { lane: keys.fill.address(network, type), depository: keys.depository.address(network, type) };
      const fresh = await setUpChain(urlOf(port), stateDir, network, roles);
      return { ...resolved(chain, port, keys, roles), network, fresh };
    }),
  );
  const byId = new Map(seeded.map((chain) => [chain.row.id, chain]));
  const bvm = options as BvmOptions;
  return {
    options: { ...bvm, chains: bvm.chains.map((chain) => byId.get(chain.id)?.options ?? chain) },
    chains: seeded.map(({ row }) => row),
    accounts: seeded.flatMap(({ network, row }) =>
      users(network).map((user) => ({ vmType: 'bvm', chainId: row.id, ...user })),
    ),
    fresh: seeded.some(({ fresh }) => fresh),
  };
}

function resolved(chain: LocalChainOptions, port: number, keys: SolverKeys, roles: Roles) {
  const network = localNetwork(chain);
  const url = urlOf(port);
  const zmq = network.kind === 'bitcoin' ? { zmq: `tcp://127.0.0.1:${port + ZMQ}` } : {};
  const options: BvmChainOptions = {
    ...chain,
    rpc: [{ http: url, ...zmq }],
    publicRpcUrl: chain.publicRpcUrl || url,
    signers: {
      fill: keys.fill.reference,
      depository: keys.depository.reference,
      addresses: keys.addresses.reference,
    },
    payers: chain.payers ?? { esplora: [`http://127.0.0.1:${port + EXPLORER}`] },
    blockTimeMs: chain.blockTimeMs ?? BLOCK_MS,
  };
  const row = {
    id: chain.id,
    vmType: 'bvm',
    name: chain.name,
    rpcUrl: url,
    currencies: [{ symbol: (chain.currency ?? network.coin).symbol, address: NATIVE, decimals: 8 }],
    contracts: { depository: roles.depository, inventory: roles.lane },
  };
  return { options, row };
}
