import type { Devnet } from '../../contract/devnet.js';
import { checkAccounts, DevnetFileError, namingAccounts } from '../demo/check-accounts.js';
import { DemoClient } from '../demo/client.js';
import { inPoolsAlone } from '../demo/in-pools-alone.js';
import { runScenario } from '../demo/run-scenario.js';
import { scenarios } from '../demo/scenarios.js';
import { accountsOf, type DevnetFile, readDevnetFile, stateFolder } from '../dev/devnet-file.js';
import { loadWallets } from '../dev/wallets.js';
import { readArguments } from './arguments.js';
import { type Command, EXIT } from './command.js';
import { complain, print } from './output.js';

export const demo: Command = {
  name: 'demo',
  help: `causeway demo

Makes transfers on the local build that runs in this folder (.causeway/devnet.json), through its public API only:
- of a native coin, of a token, and between two assets;
- to a currency that only pools have, and from one that the solver does not accept;
- a swap, a wrap and a payment within one chain;
- one with an exact output, and one that is refunded;
- between chains of different families: there, back, and refunded;
- to a deposit address on one chain of each family.
Prints a timeline of each. Exit code 1 if one of them failed.`,

  async run(args) {
    readArguments(args, {});
    const devnet = readDevnetFile();
    if (!devnet) {
      complain('no local build runs in this folder: start one with npm start, or causeway dev CONFIG');
      return EXIT.failed;
    }
    const client = new DemoClient(devnet);
    checkAccounts(devnet);
    const wallets = await loadWallets(stateFolder());
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
    print(failed === 0 ? `\nall ${plan.length} succeeded` : `\n${failed} of ${plan.length} failed`);
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
