import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Exit } from '../support/service.js';
import { tail } from '../support/service.js';
import { sleep } from '../support/until.js';
import type { Flow } from './flow.js';
import { Scene, TIMEOUT_MS } from './scene.js';
import type { Stage } from './stage.js';
import type { WarmService } from './warm-service.js';

const LOOK_EVERY_MS = 50;
const QUIET_BLOCKS = 4;
/** sysexits' EX_CONFIG: the service refuses its config. */
const REFUSED = 78;
const RESTART_MS = 200;
/** For what a broken play is doing at its end, e.g. making a block. */
const LAST_STEPS_MS = 500;

export type Reached = ReadonlyMap<string, number>;

export interface Played {
  readonly violations: readonly string[];
  readonly died: readonly string[];
  readonly reached: readonly Reached[];
  readonly ms: number;
  readonly said: string;
}

/**
 * The n-th process ends itself at `kills[n]` and the next one starts; the last runs until every party has what it is
 * owed and the chains are quiet. Then the oracle judges.
 */
export async function play(stage: Stage, flow: Flow, kills: readonly string[]): Promise<Played> {
  const began = performance.now();
  await stage.reset(flow);
  const { world } = stage;
  await stage.script(flow).before?.((life) => stage.forgotten(flow, life));
  const troupe = new Troupe(stage, flow, kills);
  const scene = new Scene(world, () => troupe.stop());
  const violations: string[] = [];
  try {
    await inTime(perform(stage, flow, scene, troupe), troupe.broken);
    violations.push(...(await world.judgeNow()), ...((await stage.script(flow).judge?.()) ?? []));
  } catch (error) {
    violations.push((error as Error).message);
  }
  scene.isOver = true;
  await troupe.end();
  await sleep(violations.length > 0 ? LAST_STEPS_MS : 0);
  return {
    violations,
    died: troupe.died,
    reached: troupe.logs.map(readLog),
    ms: performance.now() - began,
    said: troupe.said(),
  };
}

async function perform(stage: Stage, flow: Flow, scene: Scene, troupe: Troupe): Promise<void> {
  const script = stage.script(flow);
  await script.act(scene);
  await lookUntil('everybody has what they are owed', scene, () => script.done(scene));
  await quiet(scene, troupe);
  await booksBalance(scene, flow.shortOf !== undefined);
}

/** Polls, with a block on each chain in between: finality needs blocks. */
async function lookUntil(what: string, scene: Scene, look: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  let failure: unknown;
  while (performance.now() < deadline && !scene.isOver) {
    try {
      if (await look()) return;
    } catch (error) {
      failure = error;
    }
    await Promise.all(scene.world.chains.map((chain) => chain.mine()));
    await sleep(LOOK_EVERY_MS);
  }
  throw new Error(`never: ${what}${failure === undefined ? '' : ` (${(failure as Error).message})`}`);
}

async function quiet(scene: Scene, troupe: Troupe): Promise<void> {
  const { world } = scene;
  const senders = [world.keys.fill, world.keys.sweeper, world.keys.executor].map(({ address }) => address);
  let before = '';
  let same = 0;
  await lookUntil('the chains are quiet', scene, async () => {
    const counts = await Promise.all(
      world.chains.flatMap(({ client }) =>
        senders.map(async (address) => {
          const sent = await client.getTransactionCount({ address, blockTag: 'latest' });
          return { sent, all: await client.getTransactionCount({ address, blockTag: 'pending' }) };
        }),
      ),
    );
    const now = `${counts.map(({ all }) => all).join()} ${troupe.died.length}`;
    same = now === before && counts.every(({ sent, all }) => sent === all) ? same + 1 : 0;
    before = now;
    return same >= QUIET_BLOCKS;
  });
}

async function booksBalance(scene: Scene, short: boolean): Promise<void> {
  let newest = 'no answer';
  try {
    await lookUntil('the books balance', scene, async () => {
      const audit = await scene.audit();
      const drifting = audit.pots.filter(({ drift }) => drift !== null);
      newest = JSON.stringify({ balanced: audit.balanced, unsettled: audit.unsettled, drifting });
      return (audit.balanced || short) && audit.unsettled === 0;
    });
  } catch (error) {
    throw new Error(`${(error as Error).message}; the audit says ${newest}`);
  }
}

/** Aborts the play when a process ends other than at its crash point. */
async function inTime(playing: Promise<void>, broken: Promise<never>): Promise<void> {
  playing.catch(() => {});
  await Promise.race([playing, broken]);
}

class Troupe {
  readonly died: string[] = [];
  readonly logs: string[] = [];
  readonly broken: Promise<never>;
  readonly #stage: Stage;
  readonly #flow: Flow;
  readonly #kills: readonly string[];
  readonly #all: WarmService[] = [];
  #break: (error: Error) => void = () => {};
  #ended = false;
  #asked = false;

  constructor(stage: Stage, flow: Flow, kills: readonly string[]) {
    this.#stage = stage;
    this.#flow = flow;
    this.#kills = kills;
    this.broken = new Promise((_, reject) => {
      this.#break = reject;
    });
    this.broken.catch(() => {});
    this.#next();
  }

  said(): string {
    return this.#all.map(({ output }, index) => `--- process ${index + 1}\n${tail(output, 40)}`).join('\n');
  }

  async stop(): Promise<void> {
    this.#asked = true;
    const present = this.#all.at(-1);
    present?.stop();
    await present?.exited;
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.#all.at(-1)?.kill();
  }

  #next(): void {
    const index = this.logs.length;
    const log = join(this.#stage.world.home.dir, `reached-${index}`);
    rmSync(log, { force: true });
    this.logs.push(log);
    this.#start(log, this.#kills[index]);
  }

  #start(log: string, kill: string | undefined): void {
    const service = this.#stage.services.start({ CAUSEWAY_CRASH_LOG: log, CAUSEWAY_CRASH_AT: kill ?? '' });
    this.#all.push(service);
    void service.exited.then((exit) => this.#ending(log, kill, exit));
  }

  #ending(log: string, kill: string | undefined, { code, signal }: Exit): void {
    if (this.#ended) return;
    if (signal === 'SIGKILL' && kill !== undefined) {
      this.died.push(kill);
      this.#next();
      return;
    }
    if (this.#asked && (code === 0 || signal === 'SIGTERM')) {
      this.#asked = false;
      this.#next();
      return;
    }
    if (code === REFUSED && this.#flow.mayRefuseToStart) {
      setTimeout(() => this.#ended || this.#start(log, kill), RESTART_MS);
      return;
    }
    this.#break(new Error(`the service ended by itself with ${signal ?? `code ${code}`}`));
  }
}

function readLog(path: string): Reached {
  const reached = new Map<string, number>();
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch {}
  for (const line of text.split('\n')) {
    const name = line.slice(line.indexOf(' ') + 1);
    if (name !== '') reached.set(name, (reached.get(name) ?? 0) + 1);
  }
  return reached;
}
