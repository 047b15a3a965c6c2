export interface BlockList {
  /** Distinct addresses. */
  readonly size: number;
  reasonOf(chainId: number, address: string): string | undefined;
}

/** A malformed line. `line` counts from 1. */
export class ListError extends Error {
  override readonly name = 'ListError';
  readonly line: number;

  constructor(line: number, message: string) {
    super(`line ${line}: ${message}`);
    this.line = line;
  }
}

const EVERY_CHAIN = '*';
const CHAIN = /^[1-9]\d{0,15}$/;
/** Printable, for logs. */
const ADDRESS = /^[\x21-\x7e]{1,200}$/;
const HEX = /^0x[0-9a-f]+$/i;
const MAX_REASON_CHARACTERS = 200;

/**
 * Per line `<chain id or *> <address> [reason]`; empty lines and lines that begin with `#` are ignored. Hex after
 * `0x` ignores case; other addresses are exact. The first of two lines for one address counts.
 *
 * @throws ListError for the first malformed line: a partial list is never used.
 */
export function parseList(text: string): BlockList {
  const reasons = new Map<string, string>();
  for (const [n, raw] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const [chain = '', address, ...words] = line.split(/\s+/);
    if (chain !== EVERY_CHAIN && !CHAIN.test(chain))
      throw new ListError(n + 1, `begins with ${shown(chain)}, neither a chain id nor *`);
    if (address === undefined) throw new ListError(n + 1, 'names no address');
    if (!ADDRESS.test(address)) throw new ListError(n + 1, `${shown(address)} is no address`);
    const reason = words.join(' ');
    if (reason.length > MAX_REASON_CHARACTERS)
      throw new ListError(n + 1, `a reason has at most ${MAX_REASON_CHARACTERS} characters`);
    const key = keyOf(chain, address);
    if (!reasons.has(key)) reasons.set(key, reason === '' ? 'listed' : reason);
  }
  return {
    size: reasons.size,
    reasonOf: (chainId, address) =>
      reasons.get(keyOf(String(chainId), address)) ?? reasons.get(keyOf(EVERY_CHAIN, address)),
  };
}

function keyOf(chain: string, address: string): string {
  return `${chain} ${HEX.test(address) ? address.toLowerCase() : address}`;
}

function shown(word: string): string {
  return JSON.stringify(word.length > 60 ? `${word.slice(0, 60)}…` : word);
}
