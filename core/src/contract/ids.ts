/** EIP-155 id for EVM chains, public convention elsewhere. */
export type ChainId = number;

/**
 * Chain family in `GET /chains`, matching `VM_TYPE`: one of `KNOWN_VM_TYPES` if public clients know the family, else
 * a new one. Core attaches no behaviour to it.
 */
export type VmType = string;

export const VM_TYPE = /^[a-z][a-z0-9-]{0,31}$/;

/** Names by which public clients choose a wallet; others need a wallet adapter. */
export const KNOWN_VM_TYPES = ['evm', 'svm', 'bvm', 'tonvm', 'tvm', 'hypevm', 'lvm', 'xrpvm'] as const;

/** `0x` and an even number of lower-case hex digits. */
export type Hex = `0x${string}`;

/** 32 random bytes. Public id of a quote and of the request it becomes. */
export type RequestId = Hex;

/** EIP-712 struct hash of the order, carried by deposits and fills. Differs from the request id. */
export type OrderId = Hex;

/** Unique within its chain for ever, and the same after re-inclusion in another block. */
export type FundingKey = string;

export type UnixMs = number;

export type UnixSeconds = number;

export interface BlockRef {
  readonly height: number;
  readonly id: string;
  readonly timestamp: UnixMs;
}
