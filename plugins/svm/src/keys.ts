/**
 * A single-use key of this family is a message: exactly these bytes, which the chain takes once, and never after the
 * height that comes first in the key's text.
 */
export interface MessageKey {
  readonly lastValidHeight: number;
  /** sha256 of the message, hex. */
  readonly message: string;
}

const TEXT = /^(\d+):([0-9a-f]{64})$/;

export function writeKey({ lastValidHeight, message }: MessageKey): string {
  return `${lastValidHeight}:${message}`;
}

/** @throws on what is no key of this family. */
export function readKey(text: string): MessageKey {
  const [, height, message] = TEXT.exec(text) ?? [];
  if (height === undefined || message === undefined) throw new Error(`no key of a message: ${text}`);
  return { lastValidHeight: Number(height), message };
}
