import type { CaseReport, ConformanceCase, ConformanceReport, KitHarness } from './report-types.js';

/** Cases about one port, run on the implementer's harness. */
export interface ConformanceKit<H extends KitHarness> {
  /** E.g. `chain adapter`. */
  readonly title: string;
  /** Everything a harness may lack. Any other word fails the run. */
  readonly abilities: readonly string[];
  readonly cases: readonly ConformanceCase<H>[];
}

export interface RunOptions<H extends KitHarness> {
  /** Implementation under test, for the report's first line. */
  readonly on?: string;
  /** Default all. */
  readonly only?: (check: ConformanceCase<H>) => boolean;
  /** A slower case fails. Default a minute. */
  readonly caseTimeoutMs?: number;
  /** Stops at the first failure. Default: every case runs. */
  readonly untilFailed?: boolean;
  readonly onCase?: (report: CaseReport) => void;
}

const CASE_TIMEOUT_MS = 60_000;

/**
 * Runs a kit's cases one after the other, each on a separate harness. Needs no test runner:
 *
 *     const report = await runConformance(chainConformance, makeHarness, { on: 'my chain' });
 *     console.log(report.text);
 *     process.exitCode = report.ok ? 0 : 1;
 */
export async function runConformance<H extends KitHarness>(
  kit: ConformanceKit<H>,
  make: () => Promise<H>,
  options: RunOptions<H> = {},
): Promise<ConformanceReport> {
  const cases: CaseReport[] = [];
  for (const check of kit.cases.filter(options.only ?? (() => true))) {
    const report = await runCase(kit, check, make, options.caseTimeoutMs ?? CASE_TIMEOUT_MS);
    cases.push(report);
    options.onCase?.(report);
    if (options.untilFailed === true && report.outcome === 'failed') break;
  }
  const ok = cases.length > 0 && cases.every(({ outcome }) => outcome !== 'failed');
  const title = options.on === undefined ? kit.title : `${kit.title}: ${options.on}`;
  return { title, ok, cases, text: reportText(title, cases) };
}

/** Runs one case, for test runners with a test per case. Never rejects. */
export async function runCase<H extends KitHarness>(
  kit: ConformanceKit<H>,
  check: ConformanceCase<H>,
  make: () => Promise<H>,
  timeoutMs = CASE_TIMEOUT_MS,
): Promise<CaseReport> {
  const { subject, name, guarantees } = check;
  const from = performance.now();
  const done = (outcome: CaseReport['outcome'], reason: string, error?: unknown): CaseReport => {
    const ms = Math.round(performance.now() - from);
    return { subject, name, guarantees, outcome, ms, reason, ...(error === undefined ? {} : { error }) };
  };
  let harness: H | undefined;
  const errors: unknown[] = [];
  let lacking: string | undefined;
  try {
    harness = await make();
    lacking = missing(kit, check, harness);
    if (lacking === undefined) await inTime(check.run(harness), timeoutMs, check.read);
  } catch (error) {
    errors.push(error);
  }
  try {
    if (harness !== undefined) await inTime(harness.dispose(), timeoutMs);
  } catch (error) {
    errors.push(error);
  }
  if (errors.length > 0) return done('failed', errors.map(reasonOf).join('; then '), errors[0]);
  return lacking === undefined ? done('passed', '') : done('notApplicable', lacking);
}

/** Why a case does not apply. @throws when a harness declares an unknown ability. */
function missing<H extends KitHarness>(
  kit: ConformanceKit<H>,
  check: ConformanceCase<H>,
  harness: H,
): string | undefined {
  for (const [ability, why] of Object.entries(harness.lacks ?? {})) {
    if (!kit.abilities.includes(ability)) throw new Error(`the ${kit.title} kit knows no ability "${ability}"`);
    if (why === undefined || why.trim() === '') throw new Error(`lacking "${ability}" needs a reason`);
  }
  for (const ability of check.needs ?? []) {
    const why = harness.lacks?.[ability];
    if (why !== undefined) return `no ${ability}: ${why}`;
  }
  return undefined;
}

async function inTime(work: Promise<void>, ms: number, read?: string): Promise<void> {
  const where = read === undefined ? '' : `; read ${read}`;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${ms} ms${where}`)), ms);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim() === '' ? 'failed without a message' : text;
}

const MARKS = { passed: 'ok', failed: 'FAILED', notApplicable: 'n/a' } as const;

function reportText(title: string, cases: readonly CaseReport[]): string {
  const count = (outcome: CaseReport['outcome']): number => cases.filter((one) => one.outcome === outcome).length;
  const total = cases.reduce((sum, { ms }) => sum + ms, 0);
  const rows = cases.map((one) => [one.subject, one.name, MARKS[one.outcome], `${one.ms}`, firstLine(one.reason)]);
  const head = ['subject', 'case', 'outcome', 'ms', 'reason'];
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => (row[at] ?? '').length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) => (at === 3 ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd();
  const failed = cases.filter(({ outcome }) => outcome === 'failed');
  return [
    title,
    '',
    line(head),
    line(widths.map((width) => '-'.repeat(width))),
    ...rows.map(line),
    '',
    `${count('passed')} passed, ${count('failed')} failed, ${count('notApplicable')} not applicable; ${total} ms`,
    ...failed.flatMap((one) => ['', `FAILED ${one.subject}: ${one.name}`, one.reason]),
  ].join('\n');
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}
