/**
 * Code that a plugin's author has yet to write (`causeway plugin new`). Kits list it (`workList` of
 * `@causeway/core/testing`).
 */
export class NotWrittenError extends Error {
  override readonly name = 'NotWrittenError';
  /** For example `refuseFill: why a recipient cannot be paid`. */
  readonly what: string;
  /** Relative to the package. */
  readonly file: string;

  /** @param what the method, and what it must do. @param file where to write it, relative to the package. */
  constructor(what: string, file: string) {
    super(`not written yet: ${what} (${file})`);
    this.what = what;
    this.file = file;
  }
}
