/** Shorter values would blot out ordinary words. */
const SHORTEST_SECRET = 8;

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/([?&](?:api[-_]?key|key|token|secret|access_token)=)[^&\s"'\\]+/gi, '$1[redacted]'],
  [
    /("?(?:x-api-key|x-admin-key|authorization)"?\s*[:=]\s*"?)(?!\[redacted])(?:Bearer\s+|Basic\s+)?[^"\s,}\\]+/gi,
    '$1[redacted]',
  ],
  [/(\bBearer\s+)(?!\[redacted])[\w.~+/=-]{8,}/g, '$1[redacted]'],
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/:@"']+:[^\s/@"']+@/gi, '$1[redacted]@'],
];

/**
 * Removes secrets from text that is about to leave the process. Knows every secret the process has read (they are
 * added as they are resolved) and the places where callers put theirs. Logs, the doctor and the CLI all write through it.
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
    for (const [pattern, replacement] of PATTERNS) result = result.replace(pattern, replacement);
    return result;
  }
}
