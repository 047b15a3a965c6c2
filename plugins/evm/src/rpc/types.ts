import type { Hex } from '@causeway/core';

/** Raw JSON-RPC, only the fields in use. Quantities are hex text. */
export interface RpcBlock {
  readonly number: Hex;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly timestamp: Hex;
  readonly baseFeePerGas?: Hex;
  readonly logsBloom?: Hex;
  readonly gasUsed?: Hex;
  readonly miner?: Hex;
}

export interface RpcLog {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly blockNumber: Hex;
  readonly blockHash: Hex;
  readonly transactionHash: Hex;
  readonly transactionIndex: Hex;
  readonly logIndex: Hex;
  readonly removed?: boolean;
}

export interface RpcReceipt {
  readonly transactionHash: Hex;
  readonly blockHash: Hex;
  readonly blockNumber: Hex;
  /** Of its transaction; not from every provider. */
  readonly type?: Hex;
  readonly status: Hex;
  readonly gasUsed: Hex;
  readonly effectiveGasPrice?: Hex;
  /** Data fee of rollups that charge one, in wei. */
  readonly l1Fee?: Hex;
  readonly from: Hex;
  readonly to: Hex | null;
  readonly logs: readonly RpcLog[];
}

export interface RpcTransaction {
  readonly hash: Hex;
  readonly blockHash: Hex | null;
  readonly blockNumber: Hex | null;
  readonly from: Hex;
  readonly to: Hex | null;
  readonly input: Hex;
  readonly value: Hex;
  readonly nonce: Hex;
  /** Not from every provider. */
  readonly type?: Hex;
  readonly gas: Hex;
  readonly gasPrice?: Hex;
  readonly authorizationList?: readonly unknown[];
}

export function receiptFee(receipt: RpcReceipt, transaction?: RpcTransaction): bigint {
  const price = receipt.effectiveGasPrice ?? transaction?.gasPrice ?? '0x0';
  return BigInt(receipt.gasUsed) * BigInt(price) + BigInt(receipt.l1Fee ?? '0x0');
}

export function quantity(value: number | bigint): Hex {
  return `0x${value.toString(16)}`;
}
