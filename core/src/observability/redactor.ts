/** Shorter values would redact ordinary words. */
const MIN_SECRET_LENGTH = 8;

interface Pattern {
  /** The expression matches only text that contains one of these; searching for them is far cheaper. */
  readonly hints: readonly string[];
  readonly find: RegExp;
  readonly put: string;
}

const PATTERNS: readonly Pattern[] = [
  {
    // API keys of this service; the remaining prefix identifies the key.
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
  // Does not start at the scheme: searching for its start in a long word is quadratic.
  { hints: ['://'], find: /(:\/\/)[^\s/:@"']+:[^\s/@"']+@/g, put: '$1[redacted]@' },
];

/**
 * Removes every secret that the process has read, and credentials in URLs and headers, from logs, doctor and CLI.
 *
 * Invariant: time is linear in the text, whatever its content. No pattern may begin at many places and read far from
 * each of them.
 */
export class Redactor {
  readonly #secrets = new Set<string>();

  add(secret: string): void {
    const text = secret.trim();
    if (text.length < MIN_SECRET_LENGTH) return;
    this.#secrets.add(text);
    const bare = text.replace(/^0x/i, '');
    if (bare.length >= MIN_SECRET_LENGTH) this.#secrets.add(bare);
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
