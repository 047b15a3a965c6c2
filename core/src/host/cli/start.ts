import { resolve } from 'node:path';
import { DatabaseWentBackError } from '../../contract/store.js';
import { ConfigError } from '../config/problems.js';
import { startService } from '../service.js';
import { readArguments, textFlag } from './arguments.js';
import { type Command, EXIT } from './command.js';
import { complain, explain } from './output.js';
import { untilStopped } from './signals.js';

const WENT_BACK =
  'the database lost commits that this process relied on, or may have: it ends (exit code 75), and a restart compares every lane with its chain';

export const start: Command = {
  name: 'start',
  help: `causeway start CONFIG

Runs the service that CONFIG describes until it gets SIGINT or SIGTERM, then drains and ends; a second signal forces it.
A config error, a wrong chain id behind an RPC, a missing contract or a loose key file ends it at once with exit code 78;
a dead RPC does not: the service starts without that chain. A database that lost commits while the service ran, as where a
standby that lagged was promoted, ends it with exit code 75: let a supervisor start it again.

  --base DIR   folder that paths in CONFIG are relative to (default: the folder of CONFIG)`,

  async run(args) {
    const parsed = readArguments(args, { positionals: ['CONFIG'], flags: { base: { type: 'string' } } });
    const base = textFlag(parsed, 'base');
    const stopped = untilStopped();
    try {
      const service = await startService(parsed.positionals[0] ?? '', {
        processMetrics: true,
        ...(base === undefined ? {} : { directory: resolve(base) }),
      });
      process.send?.({ type: 'ready', url: service.url });
      const why = await Promise.race([stopped.then(() => 'asked'), service.wentBack.then(() => 'wentBack')]);
      const clean = await service.stop();
      if (why === 'wentBack') {
        complain(WENT_BACK);
        return EXIT.wentBack;
      }
      return clean ? EXIT.ok : EXIT.failed;
    } catch (error) {
      if (error instanceof DatabaseWentBackError) {
        complain(`${explain(error)}\n${WENT_BACK}`);
        return EXIT.wentBack;
      }
      complain(explain(error));
      return error instanceof ConfigError ? EXIT.config : EXIT.failed;
    }
  },
};
