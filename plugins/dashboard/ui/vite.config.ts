import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  build: {
    outDir: '../dist/ui',
    emptyOutDir: true,
    target: 'es2022',
    // The content security policy allows no data but images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
