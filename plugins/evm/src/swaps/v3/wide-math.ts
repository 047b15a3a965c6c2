const UINT256_END = 2n ** 256n;

export const Q96 = 2n ** 96n;

export function fits(value: bigint): boolean {
  return value < UINT256_END;
}

export function divideUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}
