import { afterEach, beforeEach, vi } from 'vitest';

/** What a test's commands print, from the beginning of each test or since it was forgotten; environment and streams are put back. */
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
