#!/usr/bin/env node
// Committed as it is, so that `npx causeway` is this program right after `npm ci`, before anything is built.
import { existsSync } from 'node:fs';

const main = new URL('../dist/host/main.js', import.meta.url);

if (existsSync(main)) {
  await import(main.href);
} else {
  process.stderr.write(
    'causeway is not built yet. Run this first, in the folder of the checkout:\n\n  npm run build\n\n',
  );
  process.exitCode = 1;
}
