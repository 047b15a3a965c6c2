export const KEYS = 3;
const INTEGRATORS = 2;

export function keyName(key: number): string {
  return `key ${key}`;
}

export function integratorName(integrator: number): string {
  return `integrator ${integrator}`;
}

export function integratorOf(key: number): string {
  return integratorName(key % INTEGRATORS);
}

export function keysOf(integrator: number): readonly string[] {
  return Array.from({ length: KEYS }, (_, key) => key).flatMap((key) =>
    key % INTEGRATORS === integrator ? [keyName(key)] : [],
  );
}

/** Integrators have different numbers of keys. */
export const EVERY_INTEGRATOR: readonly number[] = Array.from({ length: INTEGRATORS }, (_, n) => n);
