interface Panic {
  readonly name: string;
  readonly meaning: string;
}

/** Codes of Solidity's `Panic(uint256)` (documentation, "Panic via assert and Error via require"). */
const PANICS: ReadonlyMap<bigint, Panic> = new Map([
  [0x00n, { name: 'GENERIC', meaning: 'a panic that the compiler inserted' }],
  [0x01n, { name: 'ASSERTION', meaning: 'an assertion does not hold' }],
  [0x11n, { name: 'ARITHMETIC', meaning: 'arithmetic overflow or underflow' }],
  [0x12n, { name: 'DIVISION_BY_ZERO', meaning: 'division or modulo by zero' }],
  [0x21n, { name: 'ENUM_CONVERSION', meaning: 'a value that the enumeration does not have' }],
  [0x22n, { name: 'STORAGE_ENCODING', meaning: 'a byte array in storage is encoded wrongly' }],
  [0x31n, { name: 'EMPTY_ARRAY_POP', meaning: 'an element is removed from an empty array' }],
  [0x32n, { name: 'INDEX_OUT_OF_BOUNDS', meaning: 'an index is outside of its array' }],
  [0x41n, { name: 'TOO_MUCH_MEMORY', meaning: 'too much memory or too long an array' }],
  [0x51n, { name: 'UNSET_FUNCTION', meaning: 'a function variable without a value is called' }],
]);

export function panicOf(code: bigint): { readonly label: string; readonly message: string } {
  const { name, meaning } = PANICS.get(code) ?? { name: `0x${code.toString(16)}`, meaning: 'an unknown panic' };
  return { label: `PANIC_${name}`, message: `panic 0x${code.toString(16).padStart(2, '0')}: ${meaning}` };
}
