/** Numeric chain id as integrators use it (EIP-155 id for EVM chains, the public convention elsewhere). */
export type ChainId = number;

/**
 * The word for a chain family, as `GET /chains` shows it: `VM_TYPE`. A family that public clients know takes its word of
 * `KNOWN_VM_TYPES`; any other takes one of its own. Core attaches no behaviour to any of them.
 */
export type VmType = string;

/** A lower-case letter, then up to 31 lower-case letters, digits and dashes. */
export const VM_TYPE = /^[a-z][a-z0-9-]{0,31}$/;

/** Words by which public clients choose a wallet. With any other they show the chain, and need a wallet adapter for it. */
export const KNOWN_VM_TYPES = ['evm', 'svm', 'bvm', 'tonvm', 'tvm', 'hypevm', 'lvm', 'xrpvm'] as const;

/** `0x` and an even number of lower-case hex digits. */
export type Hex = `0x${string}`;

/** 32 random bytes as hex. Public id of a quote and of the request it becomes. */
export type RequestId = Hex;

/** EIP-712 struct hash of the order. Deposits and fills carry it. Differs from the request id. */
export type OrderId = Hex;

/**
 * Identity of one funding transfer, unique for ever within its chain and stable under
 * re-inclusion of the same transaction in another block.
 */
export type FundingKey = string;

/** Unix time in milliseconds. */
export type UnixMs = number;

/** Unix time in whole seconds. */
export type UnixSeconds = number;

/** A block as the chain's own providers name it. */
export interface BlockRef {
  readonly height: number;
  /** Block hash, or whatever identifies the block on chains without hashes. */
  readonly id: string;
  /** The block's own timestamp. */
  readonly timestamp: UnixMs;
}
