import { parseArgs } from 'node:util';
import { orUsage, UsageError, wholeOption } from '../support/script-options.js';
import { STAGE_NAMES } from './families/stage-names.js';
import { summaryLines } from './report.js';

const HELP = `npm run test:crash -- [options]

Kills the service at every crash point of every flow, starts it again and holds the chains against what was promised.
Pairs that failed last come first, then those that never ran, then those that ran longest ago.

  --shard i/n     the i-th of n parts
  --flow TEXT     only flows with TEXT in their names
  --point TEXT    only points with TEXT in their names
  --pairs N       at most N pairs
  --minutes M     starts no play after M minutes
  --workers N     plays that go on at once (default 2)
  --families      the matrices of flows between chain families instead; takes --flow, --point, --pairs, --minutes
  --stage NAME    of these, only the one between evm and NAME: ${STAGE_NAMES.join(', ')}
  --restored      of these: what was durable at the kill is put back once all is done, as an old backup would be
  --second N      pairs drawn to be killed again at every point of their recovery (default 4)
  --help
`;

const OPTIONS = {
  shard: { type: 'string' },
  flow: { type: 'string' },
  point: { type: 'string' },
  pairs: { type: 'string' },
  minutes: { type: 'string' },
  second: { type: 'string' },
  workers: { type: 'string' },
  families: { type: 'boolean', default: false },
  stage: { type: 'string' },
  restored: { type: 'boolean', default: false },
} as const;

const options = orUsage(HELP, () => {
  const { values } = parseArgs({ options: OPTIONS });
  const [part, parts] = (values.shard ?? '1/1').split('/').map(Number);
  if (!part || !parts || part > parts) throw new UsageError('--shard takes i/n, e.g. 2/4');
  if (values.stage !== undefined && !STAGE_NAMES.some((name) => name === values.stage))
    throw new UsageError(`--stage takes one of ${STAGE_NAMES.join(', ')}, not ${values.stage}`);
  const whole = (name: 'pairs' | 'minutes' | 'second' | 'workers') => {
    const text = values[name];
    return text === undefined ? undefined : wholeOption(name, text);
  };
  const [pairs, minutes] = [whole('pairs'), whole('minutes')];
  return {
    ...{ families: values.families, stage: values.stage, restored: values.restored },
    common: {
      say: (line: string) => void process.stdout.write(`${line}\n`),
      ...(values.flow === undefined ? {} : { flow: values.flow }),
      ...(values.point === undefined ? {} : { point: values.point }),
      ...(pairs === undefined ? {} : { pairs }),
      ...(minutes === undefined ? {} : { ms: minutes * 60_000 }),
    },
    matrix: { shard: [part, parts] as const, drawn: whole('second') ?? 4, workers: whole('workers') ?? 2 },
  };
});

// After the options, so that a wrong one is refused at once: chains take seconds to load.
const { common } = options;
const summary = options.families
  ? await (await import('./families/matrix.js')).killFamilies({
      ...{ ...common, restored: options.restored },
      ...(options.stage === undefined ? {} : { stage: options.stage }),
    })
  : await (await import('./matrix.js')).killMatrix({ ...common, ...options.matrix });
process.stdout.write(`${summaryLines(summary).join('\n')}\n`);
const wrong = summary.violations.length + summary.unknown.length + summary.unreached.length;
process.exitCode = wrong === 0 ? 0 : 1;
