import { ConfigError } from '../config/problems.js';
import { runDev } from '../dev/run-dev.js';
import { configIn, readArguments } from './arguments.js';
import { type Command, EXIT } from './command.js';
import { complain, explain } from './output.js';
import { onStopSignals } from './signals.js';

export const dev: Command = {
  name: 'dev',
  help: `causeway dev [CONFIG] [--reset]

Starts a local chain for every chain of CONFIG with \`rpc: devnet\`, deploys contracts and test tokens, funds the solver and
some user accounts, and runs the service on them. If the service dies, it is restarted. All state is in .causeway/ of the
current folder; .causeway/devnet.json has addresses and keys for clients. Keys survive a restart, and so do chains whose node
stores its state. If a chain starts from scratch, the service does, too: its old database is renamed. Chains that this machine
cannot run are omitted. Ctrl-C stops everything. PORT overrides the port of the service.

  --reset   start with new chains and an empty database; keys stay`,

  async run(args) {
    const parsed = readArguments(args, { positionals: ['CONFIG'], optional: 1, flags: { reset: { type: 'boolean' } } });
    const stop = new AbortController();
    const force = new AbortController();
    onStopSignals(
      () => stop.abort(),
      () => force.abort(),
    );
    try {
      return await runDev({
        configPath: configIn(parsed),
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
