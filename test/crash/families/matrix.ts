import type { Side } from '../../support/families/side.js';
import type { Summary } from '../matrix.js';
import { bvmFlows, openBvm } from './bvm.js';
import type { FamilyFlow } from './flow.js';
import { type Pair, Run, type RunOptions } from './run.js';
import type { FamiliesStage } from './stage.js';
import { STAGE_NAMES, type StageName } from './stage-names.js';
import { openSvm, SVM_FLOWS } from './svm.js';
import { openTon, TON_FLOWS } from './ton.js';

export interface FamilyOptions extends RunOptions {
  readonly stage?: string;
  readonly flow?: string;
  readonly point?: string;
  readonly pairs?: number;
  readonly ms?: number;
}

interface StageOf {
  readonly name: StageName;
  play(options: FamilyOptions, until: number): Promise<Summary>;
}

function stageOf<S extends Side>(
  name: StageName,
  open: () => Promise<FamiliesStage<S>>,
  all: readonly FamilyFlow<S>[],
): StageOf {
  const play = async (options: FamilyOptions, until: number): Promise<Summary> => {
    const flows = all
      .filter(({ name }) => name.includes(options.flow ?? ''))
      .filter(({ collects }) => !options.restored || !collects);
    if (flows.length === 0) return EMPTY_SUMMARY;
    const stage = await open();
    const run = new Run(name, stage, options);
    try {
      const found: Pair<S>[] = [];
      for (const flow of flows) found.push(...(await run.reachedBy(flow)));
      options.say(`${name}: ${flows.length} flows reach ${found.length} pairs`);
      const wanted = found.filter(({ point }) => point.includes(options.point ?? ''));
      await run.playAll(run.inTurn(wanted).slice(0, options.pairs), until);
      await run.judgeAll();
      return run.summary(found);
    } finally {
      await run.close();
    }
  };
  return { name, play };
}

const BY_NAME: Readonly<Record<StageName, StageOf>> = {
  svm: stageOf('svm', openSvm, SVM_FLOWS),
  bitcoin: stageOf('bitcoin', () => openBvm('bitcoin'), bvmFlows('bitcoin')),
  litecoin: stageOf('litecoin', () => openBvm('litecoin'), bvmFlows('litecoin')),
  ton: stageOf('ton', openTon, TON_FLOWS),
};
const STAGES = STAGE_NAMES.map((name) => BY_NAME[name]);

/** Kills at every point of `OF_FAMILY` that a flow reaches, and judges by the chains. */
export async function killFamilies(options: FamilyOptions): Promise<Summary> {
  const until = performance.now() + (options.ms ?? Number.POSITIVE_INFINITY);
  const stages = STAGES.filter(({ name }) => options.stage === undefined || name === options.stage);
  if (stages.length === 0) throw new Error(`no stage ${options.stage}; there are ${STAGE_NAMES.join(', ')}`);
  let summary = EMPTY_SUMMARY;
  for (const [index, stage] of stages.entries()) {
    const now = performance.now();
    // Each stage gets an equal share of the remaining time: the first has pairs enough for all of it.
    const share = now + (until - now) / (stages.length - index);
    summary = both(summary, await stage.play(options, share));
  }
  return summary;
}

const EMPTY_SUMMARY: Summary = {
  ...{ reached: 0, pairs: 0, kills: 0, second: 0, meanMs: 0 },
  ...{ missed: [], violations: [], unknown: [], unreached: [] },
};

function both(a: Summary, b: Summary): Summary {
  const pairs = a.pairs + b.pairs;
  return {
    ...{ reached: a.reached + b.reached, pairs, kills: a.kills + b.kills, second: a.second + b.second },
    ...{ missed: [...a.missed, ...b.missed], violations: [...a.violations, ...b.violations] },
    ...{ unknown: [...a.unknown, ...b.unknown], unreached: [...a.unreached, ...b.unreached] },
    meanMs: pairs === 0 ? 0 : (a.meanMs * a.pairs + b.meanMs * b.pairs) / pairs,
  };
}
