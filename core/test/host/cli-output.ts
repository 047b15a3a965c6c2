import { afterEach, beforeEach, vi } from 'vitest';

/** Captured output per test. */
export function cliOutput(): { text(): string; forget(): void } {
  let said = '';
  beforeEach(() => {
    said = '';
    for (const stream of [process.stdout, process.stderr]) {
      vi.spyOn(stream, 'write').mockImplementation((text) => {
        said += String(text);
        return true;
      });
    }
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });
  return {
    text: () => said,
    forget: () => {
      said = '';
    },
  };
}
