import { setTimeout as delay } from 'node:timers/promises';
import {
  type Abi,
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  createWalletClient,
  defineChain,
  encodeFunctionData,
  getAddress,
  type Hex,
  http,
  type PublicClient,
  parseEventLogs,
  type TransactionReceipt,
} from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { type Anvil, type AnvilOptions, startAnvil, users } from '../../src/devnet/index.js';

export const NATIVE: Address = '0x0000000000000000000000000000000000000000';

export const [owner, allocator, filler, alice, mallory] = users
  .slice(0, 5)
  .map((user) => privateKeyToAccount(user.privateKey)) as [
  PrivateKeyAccount,
  PrivateKeyAccount,
  PrivateKeyAccount,
  PrivateKeyAccount,
  PrivateKeyAccount,
];

export interface Call {
  readonly abi: Abi;
  readonly address: Address;
  readonly functionName: string;
  readonly args?: readonly unknown[];
  readonly value?: bigint;
}

export interface Revert {
  readonly name: string;
  readonly args: readonly unknown[];
}

export class Bench {
  private constructor(
    readonly anvil: Anvil,
    readonly client: PublicClient,
  ) {}

  static async start(options: Partial<AnvilOptions> = {}): Promise<Bench> {
    const anvil = await startAnvil({ chainId: 31337, ...options });
    const client = createPublicClient({ chain: chain(anvil), transport: http(anvil.rpcUrl), pollingInterval: 5 });
    return new Bench(anvil, client);
  }

  async deploy(
    artifact: { readonly abi: Abi; readonly bytecode: Hex },
    args: readonly unknown[] = [],
  ): Promise<Address> {
    const hash = await this.wallet(owner).deployContract({ ...artifact, args } as never);
    const { contractAddress } = await this.receipt(hash);
    if (contractAddress == null) throw new Error('not deployed');
    return getAddress(contractAddress);
  }

  async send(from: PrivateKeyAccount, call: Call, gas = 2_000_000n): Promise<TransactionReceipt> {
    const hash = await this.wallet(from).sendTransaction({
      to: call.address,
      data: encode(call),
      value: call.value ?? 0n,
      gas,
    } as never);
    return this.receipt(hash);
  }

  async does(from: PrivateKeyAccount, call: Call) {
    const receipt = await this.send(from, call);
    if (receipt.status !== 'success')
      throw new Error(`${call.functionName} reverted: ${(await this.refuses(from, call)).name}`);
    return parseEventLogs({ abi: call.abi, logs: receipt.logs }).map((log) => {
      const { eventName, args } = log as unknown as { eventName: string; args: Record<string, unknown> };
      return { event: eventName, ...args };
    });
  }

  async reverts(from: PrivateKeyAccount, call: Call): Promise<Revert> {
    const expected = await this.refuses(from, call);
    const receipt = await this.send(from, call);
    if (receipt.status !== 'reverted') throw new Error(`${call.functionName} did not revert`);
    return expected;
  }

  async read<T>(abi: Abi, address: Address, functionName: string, args: readonly unknown[] = []): Promise<T> {
    return (await this.client.readContract({ abi, address, functionName, args })) as T;
  }

  async now(): Promise<bigint> {
    return (await this.client.getBlock()).timestamp;
  }

  async nextBlockAt(timestamp: bigint): Promise<void> {
    await this.anvil.rpc('evm_setNextBlockTimestamp', [Number(timestamp)]);
  }

  sign(signer: PrivateKeyAccount, typedData: unknown): Promise<Hex> {
    return signer.signTypedData(typedData as never);
  }

  /** Polls for the receipt. Waiting for the next block could hang: this node mines only on the next transaction. */
  async receipt(hash: Hex): Promise<TransactionReceipt> {
    for (const until = Date.now() + 60_000; Date.now() < until; await delay(5)) {
      const receipt = await this.client.getTransactionReceipt({ hash }).catch(() => undefined);
      if (receipt !== undefined) return receipt;
    }
    throw new Error(`no receipt of ${hash}`);
  }

  wallet(account: PrivateKeyAccount) {
    return createWalletClient({ account, chain: chain(this.anvil), transport: http(this.anvil.rpcUrl) });
  }

  private async refuses(from: PrivateKeyAccount, call: Call): Promise<Revert> {
    try {
      await this.client.simulateContract({ ...call, account: from } as never);
    } catch (error) {
      const revert = error instanceof BaseError ? error.walk((e) => e instanceof ContractFunctionRevertedError) : null;
      if (revert instanceof ContractFunctionRevertedError) {
        return { name: revert.data?.errorName ?? revert.raw ?? 'empty', args: revert.data?.args ?? [] };
      }
      throw error;
    }
    throw new Error(`${call.functionName} would succeed`);
  }
}

export function encode(call: Call): Hex {
  return encodeFunctionData({ abi: call.abi, functionName: call.functionName, args: call.args ?? [] });
}

function chain(anvil: Anvil) {
  return defineChain({
    id: anvil.chainId,
    name: 'test',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [anvil.rpcUrl] } },
  });
}

export function word(n: number): Hex {
  return `0x${n.toString(16).padStart(64, '0')}`;
}
