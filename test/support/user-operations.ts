import { createRequire } from 'node:module';
import { type Abi, type Address, concat, encodeFunctionData, erc20Abi, type Hex, type PrivateKeyAccount } from 'viem';
import {
  entryPoint06Abi,
  entryPoint07Abi,
  getUserOperationHash,
  toPackedUserOperation,
} from 'viem/account-abstraction';
import type { TestChain } from './chain.js';
import { deploy } from './contracts.js';
import { FAUCET, newUser, walletOf } from './wallet.js';

const require = createRequire(import.meta.url);

export const ENTRY_POINTS = ['0.6', '0.7', '0.8'] as const;
export type EntryPointVersion = (typeof ENTRY_POINTS)[number];

/** Of the operations' fees. */
export const BENEFICIARY = FAUCET.address;

interface Artifact {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

const artifact = (version: EntryPointVersion, name: string) =>
  require(`account-abstraction-${version}/artifacts/${name}.json`) as Artifact;

/** A published EntryPoint of one version, with the factory of its own smart accounts. */
export interface EntryPoint {
  readonly version: EntryPointVersion;
  readonly address: Address;
  /** Of an account without code yet. */
  account(): Promise<SmartAccount>;
  /** Coin from which an account's operations pay their fees, wei. */
  depositTo(account: Address, amount: bigint): Promise<void>;
}

export interface SmartAccount {
  readonly address: Address;
  /** `handleOps` of one signed operation that deploys the account and sends `amount` of a token. */
  handleOps(change?: Changed): Promise<Hex>;
}

interface Changed {
  readonly token?: Address;
  readonly to?: Address;
  readonly amount?: bigint;
  /** wei */
  readonly fee?: bigint;
  readonly nonce?: bigint;
  /** Signed by another key. */
  readonly forged?: true;
}

export async function deployEntryPoint(chain: TestChain, version: EntryPointVersion): Promise<EntryPoint> {
  const address = await deploy(chain, artifact(version, 'EntryPoint'));
  const factoryOf = artifact(version, 'SimpleAccountFactory');
  const factory = await deploy(chain, factoryOf, [address]);
  return {
    version,
    address,
    depositTo: async (account, value) => {
      const to = { address, abi: entryPoint07Abi, functionName: 'depositTo', args: [account], value } as const;
      await chain.receipt(await walletOf(chain, FAUCET).writeContract(to));
    },
    account: async () => {
      const { account: owner } = newUser();
      const args = [owner.address, 0n];
      const at = { address: factory, abi: factoryOf.abi, args } as const;
      const account = (await chain.client.readContract({ ...at, functionName: 'getAddress' })) as Address;
      const create = encodeFunctionData({ abi: factoryOf.abi, functionName: 'createAccount', args });
      return {
        address: account,
        handleOps: (change = {}) => handleOps(chain, { version, address }, { account, owner, factory, create }, change),
      };
    },
  };
}

interface Maker {
  readonly account: Address;
  readonly owner: PrivateKeyAccount;
  readonly factory: Address;
  readonly create: Hex;
}

async function handleOps(
  chain: TestChain,
  { version, address }: Pick<EntryPoint, 'version' | 'address'>,
  { account, owner, factory, create }: Maker,
  { token = address, to = address, amount = 0n, fee = 0n, nonce = 0n, forged }: Changed,
): Promise<Hex> {
  const give = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] });
  const { abi } = artifact(version, 'SimpleAccount');
  const common = {
    sender: account,
    nonce,
    callData: encodeFunctionData({ abi, functionName: 'execute', args: [token, 0n, give] }),
    callGasLimit: 100_000n,
    verificationGasLimit: 400_000n,
    preVerificationGas: 50_000n,
    maxFeePerGas: fee,
    maxPriorityFeePerGas: fee,
  } as const;
  const old = { ...common, initCode: concat([factory, create]), paymasterAndData: '0x' } as const;
  const current = { ...common, factory, factoryData: create } as const;
  const of = { chainId: chain.id, entryPointAddress: address } as const;
  const hash =
    version === '0.6'
      ? getUserOperationHash({ ...of, entryPointVersion: version, userOperation: { ...old, signature: '0x' } })
      : getUserOperationHash({ ...of, entryPointVersion: version, userOperation: { ...current, signature: '0x' } });
  const signer = forged ? newUser().account : owner;
  // Accounts of 0.8 sign typed data, those before it a message.
  const signature =
    version === '0.8' ? await signer.sign({ hash }) : await signer.signMessage({ message: { raw: hash } });
  const beneficiary = BENEFICIARY;
  if (version === '0.6') {
    const args = [[{ ...old, signature }], beneficiary] as const;
    return encodeFunctionData({ abi: entryPoint06Abi, functionName: 'handleOps', args });
  }
  const args = [[toPackedUserOperation({ ...current, signature })], beneficiary] as const;
  return encodeFunctionData({ abi: entryPoint07Abi, functionName: 'handleOps', args });
}
