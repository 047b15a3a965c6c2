export const NATIVE = '0x0000000000000000000000000000000000000000';
export const USER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
export const REQUEST_ID = '0xb0c7fd8a47a9db2ad21aa7b0053e06d4352c26a4bf6625d764b1819d0d781ec6';
export const DEPOSIT_HASH = '0x46a77a17929537de5c72a999d47a81cd48603de7c11052d7331067a94d0e6ace';

const ether = (chainId: number) => ({
  chainId,
  address: NATIVE,
  symbol: 'ETH',
  name: 'Ether',
  decimals: 18,
  metadata: { logoURI: '', verified: true, isNative: true },
});

export const ETHER = ether(31_337);
export const OTHER_ETHER = ether(31_338);

export function amount(
  currency: object,
  units: string,
  amountFormatted: string,
  amountUsd: string,
  minimumAmount = units,
): object {
  return { currency, amount: units, amountFormatted, amountUsd, minimumAmount };
}

/** The answer of paths that this version does not serve. */
export function refused(message: string): object {
  return { message, errorCode: 'UNSUPPORTED_EXECUTION_TYPE', statusCode: 400, retriable: false };
}
