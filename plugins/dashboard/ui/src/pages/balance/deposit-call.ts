/** Calls that top up an app balance on an EVM chain. */
export interface Deposit {
  readonly chainId: number;
  readonly depository: string;
  readonly token: string;
  /** Smallest unit. */
  readonly amount: string;
  readonly orderId: string;
}

const word = (hex: string): string => hex.replace(/^0x/, '').toLowerCase().padStart(64, '0');
const number = (amount: string): string => word(BigInt(amount).toString(16));

/** `approve(address,uint256)` of the token. */
export function approveData({ depository, amount }: Deposit): string {
  return `0x095ea7b3${word(depository)}${number(amount)}`;
}

/** `depositErc20(address,address,uint256,bytes32)` of the depository. */
export function depositData({ token, amount, orderId }: Deposit, depositor: string): string {
  return `0xe8017952${word(depositor)}${word(token)}${number(amount)}${word(orderId)}`;
}

/** For wallets that scan it (EIP-681): the approval, which comes before the deposit. */
export function approveUri({ chainId, depository, token, amount }: Deposit): string {
  return `ethereum:${token}@${chainId}/approve?address=${depository}&uint256=${amount}`;
}

/** For wallets that scan it (EIP-681). */
export function depositUri({ chainId, depository, token, amount, orderId }: Deposit, depositor: string): string {
  return `ethereum:${depository}@${chainId}/depositErc20?address=${depositor}&address=${token}&uint256=${amount}&bytes32=${orderId}`;
}
