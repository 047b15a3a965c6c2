import { resolve } from 'node:path';
import { DatabaseWentBackError } from '../../contract/store.js';
import { ConfigError } from '../config/problems.js';
import { keepCompiledCode } from '../plugins/bundle.js';
import { type RunningService, startService } from '../service.js';
import { configIn, readArguments, textFlag } from './arguments.js';
import { type Command, EXIT } from './command.js';
import { complain, explain, print } from './output.js';
import { untilStopped } from './signals.js';

const WENT_BACK =
  'the database lost, or may have lost, commits that this process relied on. The process ends with exit code 75; after a restart every lane is compared with its chain';

export const start: Command = {
  name: 'start',
  help: `causeway start [CONFIG] [--drain]

Runs the service that CONFIG describes. On SIGINT or SIGTERM it drains and ends; a second signal ends it at once.

Exit code 78: a config error, an RPC provider of another chain, a missing contract, or a key file that other users can read.
If an RPC provider does not answer, the service starts without that chain. Exit code 75: the database lost commits while the
service ran, for example because a lagging standby was promoted; a supervisor should restart the service.

With --drain it gives no new quotes, completes what it promised, and ends with exit code 0 once no earlier quote can be paid
any more, every deposit is filled or refunded and collected, and all transactions are final. Then a chain can be removed
from CONFIG, or a signer changed. Holds and app fees stay open; \`causeway audit\` lists them.

  --drain      accept no new quotes, complete what is owed, and end
  --base DIR   base folder of relative paths in CONFIG (default: the folder of CONFIG)`,

  async run(args) {
    const parsed = readArguments(args, {
      positionals: ['CONFIG'],
      optional: 1,
      flags: { base: { type: 'string' }, drain: { type: 'boolean' } },
    });
    const base = textFlag(parsed, 'base');
    const stopped = untilStopped();
    try {
      const service = await startService(configIn(parsed), {
        processMetrics: true,
        draining: parsed.flags['drain'] === true,
        ...(base === undefined ? {} : { directory: resolve(base) }),
      });
      process.send?.({ type: 'ready', url: service.url });
      keepCompiledCode();
      const ends = [stopped.then(() => 'asked'), service.wentBack.then(() => 'wentBack')];
      const over = new AbortController();
      if (parsed.flags['drain'] === true) ends.push(drained(service, over.signal).then(() => 'drained'));
      const why = await Promise.race(ends);
      over.abort();
      const clean = await service.stop();
      if (why === 'wentBack') {
        complain(WENT_BACK);
        return EXIT.wentBack;
      }
      if (why === 'drained') print('drained: nothing is left to do');
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

const DRAIN_POLL_MS = 1_000;

/** Resolves once nothing is left to do, and no quote from before the start can be paid any more; or when aborted. */
async function drained(service: RunningService, over: AbortSignal): Promise<void> {
  const until = performance.now() + service.quoteLifeMs;
  let said: number | undefined;
  while (!over.aborted) {
    // A store that does not answer now proves nothing.
    const left = await service.openWork().catch(() => undefined);
    if (left === 0 && performance.now() >= until) return;
    if (left !== undefined && left !== said)
      print(left === 0 ? 'draining: earlier quotes can still be paid' : `draining: ${left} left to complete`);
    said = left ?? said;
    await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS));
  }
}
