// `node scripts/compile.mjs` writes devnet/jettons.json and src/deposit-addresses/code.ts, which are committed. Tests compare
// them with a fresh build.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runTolkCompiler } from '@ton/tolk-js';

const CONTRACTS = new URL('../contracts/', import.meta.url);
const TRANSFER_FEE_BPS = 100;

export async function compileAll() {
  const keeping = { 'terms.tolk': `const TRANSFER_FEE_BPS = ${TRANSFER_FEE_BPS};` };
  return {
    minter: await compile('minter'),
    wallet: await compile('wallet'),
    keepingWallet: await compile('wallet', keeping),
  };
}

/**
 * @param {string} name path below `contracts`, without its ending
 * @param {Readonly<Record<string, string>>} instead replaced source texts, for tests of foreign code
 * @returns {Promise<string>} base64 of a bag of cells
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
  const code = await compile('deposit-address');
  writeFileSync(
    new URL('../src/deposit-addresses/code.ts', import.meta.url),
    `/** Of \`contracts/deposit-address.tolk\`, base64. Addresses are derived from it: another code loses all issued ones. */\nexport const CODE =\n  '${code}';\n`,
  );
}
