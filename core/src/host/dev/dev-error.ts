export class DevError extends Error {
  override readonly name = 'DevError';
}
