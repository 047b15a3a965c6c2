import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Devnet } from '../../contract/devnet.js';
import { checkAccounts, DevnetFileError, namingAccounts } from '../demo/check-accounts.js';
import { DemoClient } from '../demo/client.js';
import { inPoolsAlone } from '../demo/in-pools-alone.js';
import { runScenario } from '../demo/run-scenario.js';
import { scenarios } from '../demo/scenarios.js';
import { accountsOf, type DevnetFile, readDevnetFile, stateFolder } from '../dev/devnet-file.js';
import { loadDevnet } from '../dev/devnets.js';
import type { DevnetSources } from '../dev/local-state.js';
import { readArguments } from './arguments.js';
import { type Command, EXIT } from './command.js';
import { complain, print } from './output.js';

export const demo: Command = {
  name: 'demo',
  help: `causeway demo

Uses the local build that runs in this folder (.causeway/devnet.json) through its public API alone: a native transfer, a
token, two different assets, a currency that is in pools alone, one that the solver does not take, swapping, wrapping and
sending within one chain, an exact output and a refund, then there, back and a refund between chains of different
families, then a plain transfer to a deposit address on one chain of each family. Prints a timeline; ends with 1 when anything went wrong.`,

  async run(args) {
    readArguments(args, {});
    const devnet = readDevnetFile();
    if (!devnet) {
      complain('no local build runs in this folder: start one with npm start, or causeway dev CONFIG');
      return EXIT.failed;
    }
    const client = new DemoClient(devnet);
    checkAccounts(devnet);
    const wallets = await loadWallets();
    const wallet = (chainId: number): Devnet => {
      const found = wallets.get(chainId);
      if (!found) throw new Error(`no wallet for chain ${chainId}`);
      return namingAccounts(found, devnet);
    };
    let failed = 0;
    const plan = scenarios(devnet, await client.chains(), await inPoolsAlone(client, devnet));
    for (const [index, scenario] of plan.entries()) {
      const { from, to } = scenario;
      const payer = pick(devnet, from, index);
      const { address: refundTo } = pick(devnet, from, index + 1);
      const { address: recipient } = pick(devnet, to, index + 1);
      const outcome = await runScenario(scenario, { client, wallet, payer, recipient, refundTo, say: print });
      if (!outcome.ok) failed += 1;
    }
    print(failed === 0 ? `\nall ${plan.length} went as they should` : `\n${failed} of ${plan.length} went wrong`);
    return failed === 0 ? EXIT.ok : EXIT.failed;
  },
};

/** Payers and recipients differ and rotate, so that no balance changes for two reasons at once. */
function pick(devnet: DevnetFile, chain: DevnetFile['chains'][number], index: number): DevnetFile['accounts'][number] {
  const there = accountsOf(devnet, chain);
  const account = there[index % there.length];
  if (!account) throw new DevnetFileError('accounts', `chain ${chain.id} has none`);
  return account;
}

async function loadWallets(): Promise<ReadonlyMap<number, Devnet>> {
  const sources = JSON.parse(readFileSync(join(stateFolder(), 'sources.json'), 'utf8')) as DevnetSources;
  const wallets = new Map<number, Devnet>();
  for (const { use, chainIds } of sources.devnets) {
    const devnet = await loadDevnet(use, sources.directory);
    if (devnet) for (const id of chainIds) wallets.set(id, devnet);
  }
  return wallets;
}
