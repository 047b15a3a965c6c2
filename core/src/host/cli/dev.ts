import { ConfigError } from '../config/problems.js';
import { runDev } from '../dev/run-dev.js';
import { readArguments } from './arguments.js';
import { type Command, EXIT } from './command.js';
import { complain, explain } from './output.js';
import { onStopSignals } from './signals.js';

export const dev: Command = {
  name: 'dev',
  help: `causeway dev CONFIG [--reset]

Starts a local chain for every chain of CONFIG that says \`rpc: devnet\`, deploys contracts and test tokens, funds the solver
and a set of user accounts, and runs the service on them. When the service dies, it is started again. Everything is kept in
.causeway/ of the current folder; .causeway/devnet.json has all that clients need. Keys survive a restart, and so do chains
whose node keeps its state. Where a chain starts from scratch, so does the service: its old database is renamed. Chains that this
machine cannot run are left out. Ctrl-C stops everything. PORT overrides the port of the service.

  --reset   start with fresh chains and an empty database; keys stay`,

  async run(args) {
    const parsed = readArguments(args, { positionals: ['CONFIG'], flags: { reset: { type: 'boolean' } } });
    const stop = new AbortController();
    const force = new AbortController();
    onStopSignals(
      () => stop.abort(),
      () => force.abort(),
    );
    try {
      return await runDev({
        configPath: parsed.positionals[0] ?? '',
        reset: parsed.flags['reset'] === true,
        stop: stop.signal,
        force: force.signal,
      });
    } catch (error) {
      complain(`causeway dev: ${explain(error)}`);
      return error instanceof ConfigError ? EXIT.config : EXIT.failed;
    }
  },
};
