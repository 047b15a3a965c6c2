import { setImmediate } from 'node:timers/promises';
import { type Documented, documented } from '../../core/test/api/support/documented.js';
import { Connection } from './connection.js';
import { createDraw } from './draw.js';
import { createJudge, type Verdict, type Violation } from './judge.js';
import { grown, type Memory } from './memory.js';
import { type Operation, operationsOf } from './operations.js';
import { bytesOf, type FuzzRequest, isProper, type Words } from './request.js';
import { shrink } from './shrink.js';

export interface Target {
  readonly host: string;
  readonly port: number;
  readonly document: Parameters<typeof operationsOf>[0] & Parameters<typeof documented>[0];
  readonly words: Words;
  /** After garbage collections; absent where not measurable. */
  readonly memory?: () => Promise<Memory>;
  /** Restores what requests may have switched off. */
  readonly settle?: () => Promise<void>;
}

export interface Plan {
  readonly seed: number;
  readonly from: number;
  readonly requests: number;
  readonly connections: number;
  /** After this many requests only those for these operations, until each is done. */
  readonly seek?: { readonly after: number; readonly operations: ReadonlySet<string> };
  /** Longer counts as never. */
  readonly withinMs: number;
  readonly untilMs?: number;
  /** Played first. */
  readonly kept?: readonly FuzzRequest[];
  /** Minimises findings, which takes more requests. */
  readonly shrinks?: boolean;
}

export interface Finding extends Violation {
  readonly seed: number;
  /** Number of the request; null for a stored one. */
  readonly at: number | null;
  readonly request: FuzzRequest;
  /** The smallest that still breaks the rule. */
  least: FuzzRequest;
  /** Requests that broke the same rule on the same operation. */
  times: number;
}

export interface Report {
  readonly requests: number;
  readonly seconds: number;
  readonly findings: readonly Finding[];
  /** By operation and status. */
  readonly answers: ReadonlyMap<string, ReadonlyMap<number, number>>;
  readonly refused: number;
  /** Invalid HTTP, closed without a response. */
  readonly dropped: number;
  readonly memory: { readonly before: Memory; readonly after: Memory; readonly grown: string | undefined } | undefined;
}

/** Share of requests before the first memory measurement. */
const WARM_UP = 0.25;
const SETTLE_EVERY = 500;
const PAUSE_EVERY = 50;

/** Sends and judges a request. */
export type Try = (request: FuzzRequest) => Promise<{ readonly verdict: Verdict; readonly status: number | undefined }>;

export function createTry(
  target: Target,
  connection: Connection,
  withinMs: number,
  judges: Documented,
  operations: readonly Operation[],
): Try {
  const judge = createJudge(judges, operations);
  return async (request) => {
    const outcome = await connection.exchange(bytesOf(request, target.words), {
      expected: request.wire === 'pipelined' ? 2 : 1,
      bodiless: request.method === 'HEAD',
      thenEnd: request.wire === 'short',
      withinMs,
    });
    const verdict = judge(request, outcome);
    if (!isProper(request)) connection.close();
    return { verdict, status: outcome.answers[0]?.status };
  };
}

/** Over keep-alive connections, each with one request in flight. */
export async function fuzz(target: Target, plan: Plan): Promise<Report> {
  const operations = operationsOf(target.document);
  const draw = createDraw(operations);
  const judges = documented(target.document);
  const connections = Array.from({ length: plan.connections }, () => new Connection(target));
  const found = new Map<string, Finding>();
  const answers = new Map<string, Map<number, number>>();
  const began = performance.now();
  let [done, refused, dropped] = [0, 0, 0];

  const note = ({ operation }: FuzzRequest, status: number | undefined) => {
    const statuses = answers.get(operation) ?? new Map<number, number>();
    answers.set(operation, statuses.set(status ?? 0, (statuses.get(status ?? 0) ?? 0) + 1));
  };
  const play = async (once: Try, request: FuzzRequest, at: number | null) => {
    const { verdict, status } = await once(request);
    done += 1;
    note(request, status);
    if (verdict === 'refused') refused += 1;
    else if (verdict === 'dropped') dropped += 1;
    else if (verdict !== 'fine') {
      const name = `${verdict.rule} ${request.operation} ${status}`;
      const known = found.get(name);
      if (known) known.times += 1;
      else {
        const finding: Finding = { ...verdict, seed: plan.seed, at, request, least: request, times: 1 };
        found.set(name, finding);
        if (plan.shrinks !== false) finding.least = await shrink(request, verdict.rule, once);
      }
    }
  };

  const tries = connections.map((connection) => createTry(target, connection, plan.withinMs, judges, operations));
  const [first] = tries;
  for (const request of first ? (plan.kept ?? []) : []) await play(first as Try, request, null);

  const { after = plan.requests, operations: sought } = plan.seek ?? {};
  const isSent = ({ operation }: FuzzRequest, at: number): boolean =>
    at < plan.from + after || (sought?.has(operation) === true && answers.get(operation)?.has(200) !== true);
  let next = plan.from;
  const share = async (to: number) => {
    await Promise.all(
      tries.map(async (once) => {
        while (next < to && performance.now() - began < (plan.untilMs ?? Infinity)) {
          const at = next++;
          if (at % SETTLE_EVERY === 0) await target.settle?.();
          const request = draw(plan.seed, at);
          if (isSent(request, at)) await play(once, request, at);
          // Drawing blocks the event loop: lets responses in.
          else if (at % PAUSE_EVERY === 0) await setImmediate();
        }
      }),
    );
  };
  await share(plan.from + Math.floor(Math.min(plan.requests, after) * WARM_UP));
  const before = await target.memory?.();
  await share(plan.from + plan.requests);
  const last = await target.memory?.();
  for (const connection of connections) connection.close();
  return {
    requests: done,
    seconds: (performance.now() - began) / 1_000,
    findings: [...found.values()],
    answers,
    refused,
    dropped,
    memory: before && last ? { before, after: last, grown: grown(before, last) } : undefined,
  };
}
