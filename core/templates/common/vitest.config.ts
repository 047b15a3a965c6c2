import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Core is taken as it is also where it is linked from a folder: there is nothing in it to compile.
  test: { include: ['test/**/*.test.ts'], server: { deps: { external: [/\/core\/dist\//] } } },
});
