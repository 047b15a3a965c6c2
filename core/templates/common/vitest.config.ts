import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Core is already compiled: do not transform it, even if it is linked from a folder.
  test: { include: ['test/**/*.test.ts'], server: { deps: { external: [/\/core\/dist\//] } } },
});
