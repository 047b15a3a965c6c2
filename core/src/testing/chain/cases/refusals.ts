import assert from 'node:assert/strict';
import type { ChainAdapter } from '../../../contract/chain-adapter.js';
import type { OrderId } from '../../../contract/ids.js';
import { KitBook } from '../book.js';
import { type ChainStage, chainCases } from '../chain-case.js';
import type { ChainHarness, RefusedProcess } from '../chain-harness.js';
import { able, amountOf, firstCurrency, freshOrder, until } from '../chain-tools.js';
import { jsonOf, signerOf } from '../lane.js';
import type { Watch } from '../watch.js';
import { freshAddress, payTo } from './deposit-addresses.js';

const MANUAL = 'read "A refused question" in docs/conformance.md';
const WORDS = 'the moon is in the wrong house';
const HOUR_MS = 3_600_000;
/** Clock skip per block, so that cases need few real blocks. */
const STEP_MS = 2_000;
/** Accounts that anyone pays are read again after longer pauses. */
const ADDRESS_STEP_MS = 6_000;
const ROUNDS = 80;
/** After this many rounds blocks come slower: some reads need a head that stays for several calls. */
const QUICK_ROUNDS = 20;
/** Consecutive unhealthy looks; one alone may be a provider probe. */
const LOOKS_PER_STEP = 3;
const DEPOSITS = 'deposits';
const POSITION = 'position of the lane';

/** A solver process whose provider refuses one question. */
interface Trial {
  readonly question: string;
  readonly process: RefusedProcess;
  readonly watch: Watch;
  /** Read times of fees and balances from before the refusal, by name. */
  readonly before: ReadonlyMap<string, number>;
  readonly fresh: Set<string>;
  /** Consecutive looks that report it unhealthy in its provider's words. */
  reported: number;
  asking: boolean;
}

interface Truth {
  readonly orderId: OrderId;
  readonly balances: ReadonlyMap<string, bigint>;
}

export const refusalCases = chainCases('providers', '"A refused question" in docs/conformance.md', [
  {
    name: 'reads all that it lives on, or is unhealthy in the words of its provider, whichever question that refuses',
    read: 'ChainState.status',
    guarantees: ['G2', 'G13'],
    needs: ['refusedQuestions'],
    async run(stage) {
      const { harness } = stage;
      const sound = await opened(stage);
      const { adapter } = sound;
      const watch = await stage.watch(adapter);
      const currency = firstCurrency(harness);
      const paid = async (): Promise<OrderId> => {
        const orderId = freshOrder();
        await stage.deposit(adapter, { currency, amount: amountOf(harness, currency, 3), orderId });
        await harness.include();
        return orderId;
      };
      await watch.deposit(await paid());
      await adapter.keys.lanePosition(signerOf(adapter, 'fill'));
      const questions = sound.asked();
      assert.ok(questions.length > 1, 'harness: it names no questions; read RefusedProcess.asked');
      const trials = await Promise.all(questions.map((question) => trialOf(stage, question)));
      for (const { process, question } of trials) process.refuse(question, WORDS);
      // Drains requests in flight; earlier answers are then too old to count as fresh.
      await harness.pass(50);
      await harness.skip(HOUR_MS);
      await harness.mine(1);
      await warm(harness, adapter);
      await harness.touch(1);
      const truth = { orderId: await paid(), balances: await balancesOf(harness, adapter) };
      for (let round = 0; round < ROUNDS; round += 1) {
        await harness.mine(1);
        await harness.skip(STEP_MS);
        await harness.pass(round < QUICK_ROUNDS ? 50 : 150);
        for (const trial of trials) look(harness, trial, truth);
        for (const trial of trials.filter((one) => missing(one).length === 0 || one.reported >= LOOKS_PER_STEP))
          trials.splice(trials.indexOf(trial), 1);
        if (trials.length === 0) return;
      }
      const lines = trials.map(
        (one) => `${one.question}: not read: ${missing(one).join(', ')}; ${jsonOf(one.process.adapter.status())}`,
      );
      assert.fail(
        `adapter: status does not say in the provider's words what it refuses; ${MANUAL}\n${lines.join('\n')}`,
      );
    },
  },
  {
    name: 'sees what deposit addresses are paid, or is unhealthy in the words of its provider, whichever question that refuses',
    read: 'ChainState.status',
    guarantees: ['G2', 'G13'],
    needs: ['refusedQuestions', 'depositAddresses'],
    async run(stage) {
      const { harness } = stage;
      const book = new KitBook();
      const sound = await opened(stage);
      const first = await stage.watch(sound.adapter, undefined, book);
      const paid = async (): Promise<string> => {
        const ref = freshAddress(sound.adapter);
        book.add(ref);
        await harness.mine(1);
        await first.caughtUp();
        const currency = firstCurrency(harness);
        await payTo(stage, { address: ref.address, currency, amount: amountOf(harness, currency, 3) });
        await harness.include();
        await first.until('a transfer to a deposit address', () => first.at(ref.address).length > 0);
        return ref.address;
      };
      await paid();
      const trials: AddressTrial[] = [];
      for (const question of sound.asked()) {
        const process = await opened(stage);
        trials.push({ question, process, watch: await stage.watch(process.adapter, undefined, book), reported: 0 });
      }
      for (const { process, question } of trials) process.refuse(question, WORDS);
      // The depository is paid nothing, so nothing but the address can show the refusal.
      const address = await paid();
      for (let round = 0; round < ROUNDS && trials.length > 0; round += 1) {
        await harness.mine(1);
        await harness.skip(ADDRESS_STEP_MS);
        await harness.pass(round < QUICK_ROUNDS ? 50 : 150);
        for (const trial of trials.filter((one) => isDone(one, address))) trials.splice(trials.indexOf(trial), 1);
      }
      const lines = trials.map(({ question, process }) => `${question}: ${jsonOf(process.adapter.status())}`);
      assert.deepEqual(
        lines,
        [],
        `adapter: it sees no transfer to a deposit address, and status does not say what its provider refuses; ${MANUAL}`,
      );
    },
  },
]);

interface AddressTrial {
  readonly question: string;
  readonly process: RefusedProcess;
  readonly watch: Watch;
  reported: number;
}

function isDone(trial: AddressTrial, address: string): boolean {
  trial.reported = isReported(trial.process) ? trial.reported + 1 : 0;
  return trial.watch.at(address).length > 0 || trial.reported >= LOOKS_PER_STEP;
}

function isReported({ adapter }: RefusedProcess): boolean {
  const { healthy, reason } = adapter.status();
  return !healthy && reason?.includes(WORDS) === true;
}

async function opened(stage: ChainStage): Promise<RefusedProcess> {
  const process = await able(stage.harness.openRefusing, 'refusedQuestions').call(stage.harness);
  await stage.opened(Promise.resolve(process));
  return process;
}

async function trialOf(stage: ChainStage, question: string): Promise<Trial> {
  const { harness } = stage;
  const process = await opened(stage);
  const watch = await stage.watch(process.adapter);
  await warm(harness, process.adapter);
  return {
    question,
    process,
    watch,
    before: agesOf(harness, process.adapter),
    fresh: new Set(),
    reported: 0,
    asking: false,
  };
}

async function warm(harness: ChainHarness, adapter: ChainAdapter): Promise<void> {
  const all = 2 * harness.currencies.length;
  await until(harness, 'adapter: fees and balances to be known', () => agesOf(harness, adapter).size === all);
}

function agesOf(harness: ChainHarness, adapter: ChainAdapter): Map<string, number> {
  const signer = signerOf(adapter, 'fill');
  const ages = new Map<string, number>();
  for (const currency of harness.currencies) {
    const [cost, held] = [adapter.legCost('fill', currency), adapter.laneBalance(signer, currency)];
    if (cost !== undefined) ages.set(`fees for ${currency}`, cost.at);
    if (held !== undefined) ages.set(balanceOf(currency), held.at);
  }
  return ages;
}

const balanceOf = (currency: string): string => `balance of ${currency}`;

async function balancesOf(harness: ChainHarness, adapter: ChainAdapter): Promise<Truth['balances']> {
  const signer = signerOf(adapter, 'fill');
  const balances = new Map<string, bigint>();
  for (const currency of harness.currencies) balances.set(currency, await harness.balance(signer, currency));
  return balances;
}

function look(harness: ChainHarness, trial: Trial, { orderId, balances }: Truth): void {
  const { process, watch, before, fresh } = trial;
  const { adapter } = process;
  const signer = signerOf(adapter, 'fill');
  if (watch.of(orderId).length > 0) fresh.add(DEPOSITS);
  const wrong = new Set(
    harness.currencies
      .filter((one) => adapter.laneBalance(signer, one)?.value !== balances.get(one))
      .map((one) => balanceOf(one)),
  );
  for (const [name, at] of agesOf(harness, adapter))
    if (at - (before.get(name) ?? 0) >= HOUR_MS && !wrong.has(name)) fresh.add(name);
  trial.reported = isReported(process) ? trial.reported + 1 : 0;
  void askPosition(trial, signer);
}

async function askPosition(trial: Trial, signer: string): Promise<void> {
  if (trial.asking) return;
  trial.asking = true;
  try {
    await trial.process.adapter.keys.lanePosition(signer);
    trial.fresh.add(POSITION);
  } catch {
    // Refused, or the head moved meanwhile: the next look asks again.
  }
  trial.asking = false;
}

function missing({ before, fresh }: Trial): readonly string[] {
  return [DEPOSITS, POSITION, ...before.keys()].filter((name) => !fresh.has(name));
}
