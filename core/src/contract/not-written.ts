/**
 * Thrown by what the author of a plugin has still to write, as in a package that `causeway plugin new` made. Kits list what is
 * missing by it (`workList` of `@causeway/core/testing`). Nothing that is finished throws it.
 */
export class NotWrittenError extends Error {
  override readonly name = 'NotWrittenError';
  /** Such as `refuseFill: why a recipient cannot be paid`. */
  readonly what: string;
  /** The file to open, relative to the package. */
  readonly file: string;

  /** @param what the method, and what it must do. @param file where to write it, relative to the package. */
  constructor(what: string, file: string) {
    super(`not written yet: ${what} (${file})`);
    this.what = what;
    this.file = file;
  }
}
