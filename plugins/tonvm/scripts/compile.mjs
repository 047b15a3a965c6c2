// Compiles the jettons of the local chain: `node scripts/compile.mjs` writes devnet/jettons.json, which is kept so that nobody needs the
// compiler to run a local chain. A test compiles them again and compares.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runTolkCompiler } from '@ton/tolk-js';

const CONTRACTS = new URL('../contracts/', import.meta.url);
/** Of the jetton that keeps a part of each transfer: one per cent. */
const KEPT_BPS = 100;

/** Code of minters and wallets, base64 of a bag of cells, by what they are. */
export async function compileAll() {
  const keeping = { 'terms.tolk': `const KEPT_BPS = ${KEPT_BPS};` };
  return {
    minter: await compile('minter'),
    wallet: await compile('wallet'),
    /** Of a jetton that keeps a part of each transfer. */
    keepingWallet: await compile('wallet', keeping),
  };
}

/**
 * Of one contract, for tests of what others may write: base64 of a bag of cells.
 *
 * @param {string} name path below `contracts`, without its ending
 * @param {Readonly<Record<string, string>>} instead texts that are taken for files
 * @returns {Promise<string>}
 */
export async function compile(name, instead = {}) {
  const result = await runTolkCompiler({
    entrypointFileName: `${name}.tolk`,
    fsReadCallback: (path) => {
      const file = path.endsWith('.tolk') ? path : `${path}.tolk`;
      return instead[file] ?? readFileSync(new URL(file, CONTRACTS), 'utf8');
    },
  });
  if (result.status === 'error') throw new Error(`${name}.tolk: ${result.message}`);
  return result.codeBoc64;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const out = new URL('../devnet/jettons.json', import.meta.url);
  writeFileSync(out, `${JSON.stringify(await compileAll(), null, 2)}\n`);
}
