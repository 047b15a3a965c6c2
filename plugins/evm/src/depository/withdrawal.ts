export const withdrawalTypes = {
  Withdrawal: [
    { name: 'token', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'amount', type: 'uint256' },
    { name: 'key', type: 'bytes32' },
    { name: 'expiration', type: 'uint256' },
    { name: 'submitter', type: 'address' },
  ],
  WithdrawalBatch: [{ name: 'withdrawals', type: 'Withdrawal[]' }],
} as const;

export interface Withdrawal {
  /** Zero address: the native coin. */
  readonly token: `0x${string}`;
  readonly to: `0x${string}`;
  readonly amount: bigint;
  /** Single-use key: keccak(funding key, leg). */
  readonly key: `0x${string}`;
  /** Last block timestamp (seconds) at which it may execute. */
  readonly expiration: bigint;
}

export function depositoryDomain(chainId: number, depository: `0x${string}`) {
  return { name: 'CausewayDepository', version: '1', chainId, verifyingContract: depository } as const;
}

/** @param submitter The only account that may send it: the fill signer. */
export function withdrawalTypedData(
  chainId: number,
  depository: `0x${string}`,
  submitter: `0x${string}`,
  withdrawal: Withdrawal,
) {
  return {
    domain: depositoryDomain(chainId, depository),
    types: withdrawalTypes,
    primaryType: 'Withdrawal',
    message: { ...withdrawal, submitter },
  } as const;
}

export function withdrawalBatchTypedData(
  chainId: number,
  depository: `0x${string}`,
  submitter: `0x${string}`,
  withdrawals: readonly Withdrawal[],
) {
  return {
    domain: depositoryDomain(chainId, depository),
    types: withdrawalTypes,
    primaryType: 'WithdrawalBatch',
    message: { withdrawals: withdrawals.map((withdrawal) => ({ ...withdrawal, submitter })) },
  } as const;
}
