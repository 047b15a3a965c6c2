export const PROGRAMS = {
  system: '11111111111111111111111111111111',
  token: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  token2022: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  memoV1: 'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
  memo: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  associatedToken: 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  computeBudget: 'ComputeBudget111111111111111111111111111111',
  lookupTable: 'AddressLookupTab1e1111111111111111111111111',
} as const;

export function isTokenProgram(program: string): boolean {
  return program === PROGRAMS.token || program === PROGRAMS.token2022;
}

export function isMemoProgram(program: string): boolean {
  return program === PROGRAMS.memo || program === PROGRAMS.memoV1;
}

/** Built-in programs and their accounts. */
const BUILT_IN: ReadonlySet<string> = new Set([
  ...Object.values(PROGRAMS),
  'NativeLoader1111111111111111111111111111111',
  'BPFLoader1111111111111111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'BPFLoaderUpgradeab1e11111111111111111111111',
  'LoaderV411111111111111111111111111111111111',
  'Config1111111111111111111111111111111111111',
  'Feature111111111111111111111111111111111111',
  'Stake11111111111111111111111111111111111111',
  'StakeConfig11111111111111111111111111111111',
  'Vote111111111111111111111111111111111111111',
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'Sysvar1111111111111111111111111111111111111',
  // Burn address.
  '1nc1nerator11111111111111111111111111111111',
]);

/** Payments to accounts of these programs can never be withdrawn. */
const KEEPERS: ReadonlySet<string> = new Set([
  'NativeLoader1111111111111111111111111111111',
  'BPFLoader1111111111111111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'BPFLoaderUpgradeab1e11111111111111111111111',
  'LoaderV411111111111111111111111111111111111',
  'Config1111111111111111111111111111111111111',
  'Feature111111111111111111111111111111111111',
  'Sysvar1111111111111111111111111111111111111',
  PROGRAMS.lookupTable,
]);

export function isKeeper(program: string): boolean {
  return KEEPERS.has(program);
}

/** Sysvars. No one can find a key for an address with so many equal digits. */
const SYSVAR = /^Sysvar\w+1{16}$/;

/** Whether an address belongs to the chain itself: no one has its key, and payments to it are lost. */
export function isBuiltIn(address: string): boolean {
  return BUILT_IN.has(address) || SYSVAR.test(address);
}
