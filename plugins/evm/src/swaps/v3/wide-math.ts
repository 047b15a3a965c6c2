const WORD = 2n ** 256n;

export const Q96 = 2n ** 96n;

export function fits(value: bigint): boolean {
  return value < WORD;
}

export function divideUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}
