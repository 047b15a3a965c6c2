import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@causeway/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lacks } from '../../plugins/bvm/test/support/have-node.js';
import { ROOT } from '../support/repository.js';
import { until } from '../support/until.js';
import { BareBitcoin, BareSolana } from './support/bare-families.js';
import {
  type Asked,
  ask,
  BareNode,
  balanceOfUser,
  becomes,
  isUp,
  pay,
  standIn,
  Terminal,
  typed,
  USER,
} from './support/deployer.js';
import { type Answer, pack } from './support/plugin-bench.js';

const { Connection, Keypair, PublicKey, SystemProgram, Transaction } = createRequire(`${ROOT}plugins/svm/package.json`)(
  '@solana/web3.js',
) as typeof import('@solana/web3.js');

const INSTALL_MS = 900_000;
const STEP_MS = 300_000;
const PACKAGES = ['core', 'plugin-evm', 'plugin-svm', 'plugin-bvm'] as const;
const REGTEST = '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206';
/** A tenth of a coin. All coins have one price. */
const TENTH = { sats: 10_000_000, lamports: 100_000_000, wei: 10n ** 17n } as const;

const tools = mkdtempSync(join(tmpdir(), 'causeway-families-'));
const solver = join(tools, 'solver');
const wallet = Keypair.generate();
let evm: BareNode;
let bitcoin: BareBitcoin;
let solana: BareSolana;
let port: number;
let service: Terminal | undefined;

const run = (lines: string): Promise<Answer> => typed(lines, { cwd: solver, ms: STEP_MS, env: { PORT: String(port) } });

/** With the native part of this checkout, which takes minutes to compile. */
async function install(what: string, cwd: string): Promise<Answer> {
  const installed = await typed(`npm install --ignore-scripts --omit=optional --omit=peer ${what}`, {
    cwd,
    ms: INSTALL_MS,
  });
  const part = 'node_modules/sqlite3/build';
  cpSync(join(ROOT, part), join(cwd, part), { recursive: true });
  return installed;
}
const said = () => service?.said;

/** Regtest, under the name of a test network; its node is the operator's own. */
function asRegtest(text: string): string {
  const network = `{ base: bitcoin-testnet4, name: bitcoin-own, genesis: "${REGTEST}", bech32: bcrt }`;
  return text
    .replace(/^( *)network: bitcoin-testnet4$/m, `$1network: ${network}\n$1blockTimeMs: 1000`)
    .replace(/^ *payers: .*\n/m, '');
}

/** Quote between the chains' own coins. */
async function quoted(from: { readonly id: number }, to: { readonly id: number }, more: object): Promise<Asked> {
  const { chains } = (await (await fetch(`http://127.0.0.1:${port}/chains`)).json()) as {
    readonly chains: readonly { readonly id: number; readonly currency: { readonly address: string } }[];
  };
  const coin = ({ id }: { readonly id: number }) => chains.find((chain) => chain.id === id)?.currency.address;
  return ask(port, from, to, { originCurrency: coin(from), destinationCurrency: coin(to), ...more });
}

async function settled(asked: Asked): Promise<void> {
  await becomes(port, asked, 'success', { ms: 120_000, seen: said });
}

describe.skipIf(lacks('bitcoin'))('a deployer of three families, with nodes of its own', () => {
  beforeAll(async () => {
    [evm, bitcoin, solana] = [await BareNode.start(84_532), await BareBitcoin.start(), await BareSolana.start()];
    port = await freePorts();
    await solana.fund(wallet.publicKey.toBase58(), 50 * TENTH.lamports);
  }, INSTALL_MS);

  afterAll(async () => {
    await service?.interrupt();
    for (const node of [evm, bitcoin, solana]) await node?.stop();
    rmSync(tools, { recursive: true, force: true });
  }, INSTALL_MS);

  it(
    'begins a folder, makes and funds the keys, and sets the chains up until the doctor is content',
    async () => {
      mkdirSync(tools, { recursive: true });
      const packed = pack(
        ROOT,
        tools,
        PACKAGES.flatMap((name) => ['--workspace', `@causeway/${name}`]),
      );
      writeFileSync(join(tools, 'package.json'), JSON.stringify({ private: true, allowScripts: { sqlite3: true } }));
      const installed = await install(packed.join(' '), tools);
      expect(installed, installed.text).toMatchObject({ code: 0 });
      const urls = [`base-sepolia=${evm.url}`, `solana-devnet=${solana.url}`, `bitcoin-testnet4=${bitcoin.url}`];
      const chains = urls.map((url) => url.split('=')[0]).join(',');
      const options = `--chains ${chains} --currencies native --prices static`;
      const begun = await typed(`npx causeway init solver ${options} ${urls.map((url) => `--rpc ${url}`).join(' ')}`, {
        cwd: tools,
      });
      expect(begun, begun.text).toMatchObject({ code: 0 });
      standIn(solver);
      const config = join(solver, 'causeway.yaml');
      const genesis = await solana.rpc<string>('getGenesisHash');
      const text = asRegtest(readFileSync(config, 'utf8'))
        .replace(/genesisHash: .*/, `genesisHash: ${genesis}`)
        .replaceAll('"SET"', '"2000"');
      writeFileSync(config, text);
      const folder = await install('', solver);
      expect(folder, folder.text).toMatchObject({ code: 0 });

      const made = await run('npx causeway keys new');
      expect(made, made.text).toMatchObject({ code: 0 });
      for (const [, chain, account = ''] of made.text.matchAll(/^ {2}([\w-]+): (\w+): /gm)) {
        if (chain === 'base-sepolia') await evm.fund(account, '100');
        else if (chain === bitcoin.name) await bitcoin.fund(account, '2');
        else await solana.fund(account, 100 * TENTH.lamports);
      }
      await until('the coins are in a block', async () => (await bitcoin.rpc<string[]>('getrawmempool')).length === 0);
      const first = await run('npx causeway setup --write\nnpx causeway doctor');
      const [, vault = ''] = /the vault (\w+) holds less than an account must; send it/.exec(first.text) ?? [];
      await solana.fund(vault, TENTH.lamports);
      const ready = await run('npx causeway doctor');
      expect(ready.text.trimEnd().split('\n').at(-1), ready.text).toBe('ready');
    },
    INSTALL_MS,
  );

  it(
    'serves transfers between them, and its books are clean',
    async () => {
      service = new Terminal('npx causeway start', solver, { PORT: String(port) });
      await until('the service answers', isUp(port), { ms: 60_000, seen: said });

      const payee = await bitcoin.address();
      const toBitcoin = await quoted(evm, bitcoin, { recipient: payee });
      await pay(toBitcoin, evm);
      await settled(toBitcoin);
      expect(await bitcoin.received(payee)).toBeGreaterThan(0.9 * TENTH.sats);

      const account = Keypair.generate().publicKey.toBase58();
      const toSolana = await quoted(evm, solana, { recipient: account });
      await pay(toSolana, evm);
      await settled(toSolana);
      expect(await solana.balance(account)).toBeGreaterThan(0.9 * TENTH.lamports);

      const before = await balanceOfUser(evm);
      const money = { recipient: USER.address, useDepositAddress: true, strict: true };
      const refundTo = await bitcoin.address();
      const fromBitcoin = await quoted(bitcoin, evm, {
        ...{ ...money, user: refundTo, refundTo, amount: String(TENTH.sats) },
      });
      await bitcoin.fund(fromBitcoin.steps[0]?.depositAddress ?? '', '0.1');
      await settled(fromBitcoin);
      const between = await balanceOfUser(evm);
      expect(between - before).toBeGreaterThan((TENTH.wei * 9n) / 10n);

      const user = wallet.publicKey.toBase58();
      const fromSolana = await quoted(solana, evm, {
        ...{ ...money, user, refundTo: user, amount: String(TENTH.lamports) },
      });
      const connection = new Connection(solana.url, 'confirmed');
      const toPubkey = new PublicKey(fromSolana.steps[0]?.depositAddress ?? '');
      const transfer = SystemProgram.transfer({ fromPubkey: wallet.publicKey, toPubkey, lamports: TENTH.lamports });
      await connection.sendTransaction(new Transaction().add(transfer), [wallet]);
      await settled(fromSolana);
      expect((await balanceOfUser(evm)) - between).toBeGreaterThan((TENTH.wei * 9n) / 10n);

      let last = '';
      const clean = async () => {
        const { code, text } = await run('npx causeway audit');
        last = text;
        return code === 0;
      };
      await until('the audit is clean', clean, { ms: 120_000, every: 2_000, seen: () => last });
    },
    STEP_MS * 2,
  );
});
