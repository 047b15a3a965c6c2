import { type Abi, type Address, concatHex, encodeDeployData, getCreate2Address, type Hex } from 'viem';

/** The deterministic deployer of local nodes: calldata is salt, then init code. */
export const create2Deployer: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C';

const salt: Hex = `0x${'00'.repeat(32)}`;

export interface Artifact {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

export interface Deployment {
  readonly address: Address;
  readonly data: Hex;
}

export function deployment(artifact: Artifact, args: readonly unknown[]): Deployment {
  const bytecode = encodeDeployData<Abi>({ ...artifact, args });
  return { address: getCreate2Address({ from: create2Deployer, salt, bytecode }), data: concatHex([salt, bytecode]) };
}
