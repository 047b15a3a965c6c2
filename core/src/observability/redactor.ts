/** Shorter values would blot out ordinary words. */
const SHORTEST_SECRET = 8;

interface Pattern {
  /** The expression can match only text that contains one of these; looking for them is far cheaper. */
  readonly hints: readonly string[];
  readonly find: RegExp;
  readonly put: string;
}

const PATTERNS: readonly Pattern[] = [
  {
    // Keys of our own making, wherever they stand; what is left of them says which one it was.
    hints: ['cw_'],
    find: /\b(cw_(?:live|test|local)_[0-9A-Za-z]{12}_)[0-9A-Za-z]+/g,
    put: '$1[redacted]',
  },
  {
    hints: ['='],
    find: /([?&](?:api[-_]?key|key|token|secret|access_token)=)[^&\s"'\\]+/gi,
    put: '$1[redacted]',
  },
  {
    hints: ['%3D', '%3d'],
    find: /((?:%3F|%26)(?:api[-_]?key|key|token|secret|access_token)%3D)(?:(?!%26)[^&\s"'\\])+/gi,
    put: '$1[redacted]',
  },
  {
    hints: ['-key', '-Key', 'uthorization', '-KEY', 'UTHORIZATION'],
    find: /("?(?:x-api-key|x-admin-key|authorization)"?\s*[:=]\s*"?)(?!\[redacted])(?:Bearer\s+|Basic\s+)?[^"\s,}\\]+/gi,
    put: '$1[redacted]',
  },
  { hints: ['Bearer '], find: /(\bBearer\s+)(?!\[redacted])[\w.~+/=-]{8,}/g, put: '$1[redacted]' },
  // Not from the scheme on: looking for its beginning in a long word takes the square of its length.
  { hints: ['://'], find: /(:\/\/)[^\s/:@"']+:[^\s/@"']+@/g, put: '$1[redacted]@' },
];

/**
 * Removes secrets from text that is about to leave the process. Knows every secret the process has read (they are
 * added as they are resolved) and the places where callers put theirs. Logs, the doctor and the CLI all write through it.
 *
 * Invariant: twice the text takes about twice the time, whatever somebody else wrote into it. No pattern may begin at many
 * places and read far from each of them.
 */
export class Redactor {
  readonly #secrets = new Set<string>();

  add(secret: string): void {
    const text = secret.trim();
    if (text.length < SHORTEST_SECRET) return;
    this.#secrets.add(text);
    const bare = text.replace(/^0x/i, '');
    if (bare.length >= SHORTEST_SECRET) this.#secrets.add(bare);
  }

  clean(text: string): string {
    let result = text;
    for (const secret of this.#secrets) {
      if (result.includes(secret)) result = result.split(secret).join('[redacted]');
    }
    for (const { hints, find, put } of PATTERNS) {
      if (hints.some((hint) => result.includes(hint))) result = result.replace(find, put);
    }
    return result;
  }
}
