/**
 * A single-use key is a message: its exact bytes can be included once, and never above the height at the start of the
 * key's text.
 */
export interface MessageKey {
  readonly lastValidHeight: number;
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
