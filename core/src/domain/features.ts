/** Feature flags of the REST interface, by bit. Rows store the bits: append only, never reorder. */
export const REQUEST_FEATURES = [
  'gasless_execution',
  'gasless_swap',
  'fast_fill',
  'gas_top_up',
  'fixed_rate',
  'app_fees',
  'deposit_address',
] as const;

export function featureBit(name: string): number {
  const at = (REQUEST_FEATURES as readonly string[]).indexOf(name);
  return at < 0 ? 0 : 2 ** at;
}

export function featureBits(names: readonly string[]): number {
  return [...new Set(names)].reduce((bits, name) => bits + featureBit(name), 0);
}
