/** Programs that every chain of this family has under the same address. */
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

/** What the chain itself is made of besides: programs that every node has built in, and the accounts that it keeps for them. */
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
  // Where coins are sent to be destroyed.
  '1nc1nerator11111111111111111111111111111111',
]);

/** Programs whose accounts are the chain's own, or hold code: what they are paid, nobody takes out again. */
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

/** Variables of the chain, each an account of its own. Nobody finds a key whose address ends in so many of one digit. */
const SYSVAR = /^Sysvar\w+1{16}$/;

/** Whether an address is the chain's own on every network: nobody has its key, and nothing paid to it comes back. */
export function isBuiltIn(address: string): boolean {
  return BUILT_IN.has(address) || SYSVAR.test(address);
}
