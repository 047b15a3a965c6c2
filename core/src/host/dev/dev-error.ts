/** `causeway dev` was given something that it must not or cannot run. */
export class DevError extends Error {
  override readonly name = 'DevError';
}
