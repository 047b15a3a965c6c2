/** Keys that clients have, and the integrators that they belong to. */
export const KEYS = 3;
const INTEGRATORS = 2;

export function keyName(key: number): string {
  return `key ${key}`;
}

export function integratorName(integrator: number): string {
  return `integrator ${integrator}`;
}

/** Whose key it is. */
export function integratorOf(key: number): string {
  return integratorName(key % INTEGRATORS);
}

/** Those of an integrator. */
export function keysOf(integrator: number): readonly string[] {
  return Array.from({ length: KEYS }, (_, key) => key).flatMap((key) =>
    key % INTEGRATORS === integrator ? [keyName(key)] : [],
  );
}

/** An integrator at random has more keys, or fewer, than another one. */
export const EVERY_INTEGRATOR: readonly number[] = Array.from({ length: INTEGRATORS }, (_, n) => n);
