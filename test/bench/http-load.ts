import { connect, type Socket } from 'node:net';

export interface LoadPlan {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  /** Sent in turn; an empty one is a GET. */
  readonly bodies: readonly string[];
  /** Appended to `path`, in turn with the bodies. */
  readonly queries?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly connections: number;
  /** Requests per second on a fixed schedule; absent: as fast as the server responds. */
  readonly rate?: number;
  readonly warmupSeconds: number;
  readonly seconds: number;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly ok: number;
  readonly notOk: number;
  /** Start of the first response that was not 200. */
  readonly refusal?: string;
  readonly served: number;
}

const HEADER_END = Buffer.from('\r\n\r\n');

const REPORTED = 200;

interface Answer {
  readonly status: number;
  readonly refusal?: string;
}

type Take = (ms: number, answer: Answer) => void;

class Connection {
  private readonly socket: Socket;
  private buffer: Buffer = Buffer.alloc(0);
  private settle: ((answer: Answer) => void) | undefined;

  constructor(plan: LoadPlan) {
    this.socket = connect({ host: plan.host, port: plan.port, noDelay: true });
    this.socket.on('data', (chunk) => this.read(chunk));
    this.socket.on('error', (error) => {
      throw error;
    });
  }

  request(bytes: Buffer): Promise<Answer> {
    return new Promise((resolve) => {
      this.settle = resolve;
      this.socket.write(bytes);
    });
  }

  close(): void {
    this.socket.destroy();
  }

  private read(chunk: Buffer): void {
    this.buffer = this.buffer.length === 0 ? chunk : Buffer.concat([this.buffer, chunk]);
    const end = this.buffer.indexOf(HEADER_END);
    if (end < 0) return;
    const head = this.buffer.toString('latin1', 0, end);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
    if (Number.isNaN(length)) throw new Error(`an answer without a length: ${head}`);
    if (this.buffer.length < end + 4 + length) return;
    const status = Number(head.slice(9, 12));
    const refusal = status === 200 ? {} : { refusal: this.buffer.toString('utf8', end + 4, end + 4 + REPORTED) };
    this.buffer = this.buffer.subarray(end + 4 + length);
    this.settle?.({ status, ...refusal });
  }
}

function requestsOf({ host, port, path, bodies, queries = [''], headers = {} }: LoadPlan): Buffer[] {
  const own = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Array.from({ length: Math.max(bodies.length, queries.length) }, (_, at) => {
    const body = bodies[at % bodies.length] ?? '';
    const target = `${path}${queries[at % queries.length] ?? ''}`;
    const head = `${target} HTTP/1.1\r\nhost: ${host}:${port}\r\n${own.join('')}`;
    if (body === '') return Buffer.from(`GET ${head}\r\n`);
    const content = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
    return Buffer.from(`POST ${head}${content}\r\n${body}`);
  });
}

async function closedLoop(plan: LoadPlan, connections: readonly Connection[], record: Take, until: number) {
  const requests = requestsOf(plan);
  let next = 0;
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < until) {
        const bytes = requests[next++ % requests.length] as Buffer;
        const start = performance.now();
        const status = await connection.request(bytes);
        record(performance.now() - start, status);
      }
    }),
  );
}

/** Open loop: requests start on schedule regardless of earlier responses; latency counts from the schedule. */
async function openLoop(plan: LoadPlan, rate: number, connections: readonly Connection[], record: Take, until: number) {
  const requests = requestsOf(plan);
  const idle = [...connections];
  const queue: number[] = [];
  const busy = new Set<Promise<void>>();
  let sent = 0;
  const start = performance.now();
  const serve = (connection: Connection, due: number): void => {
    const bytes = requests[sent++ % requests.length] as Buffer;
    const task = connection.request(bytes).then((answer) => {
      record(performance.now() - due, answer);
      busy.delete(task);
      const waiting = queue.shift();
      if (waiting === undefined) idle.push(connection);
      else serve(connection, waiting);
    });
    busy.add(task);
  };
  let scheduled = 0;
  while (performance.now() < until) {
    const target = Math.floor(((performance.now() - start) / 1000) * rate);
    for (; scheduled < target; scheduled += 1) {
      const due = start + (scheduled / rate) * 1000;
      const connection = idle.shift();
      if (connection) serve(connection, due);
      else queue.push(due);
    }
    // Sleeping leaves the core to the chains; lateness here counts as latency, never as a lower rate.
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  queue.length = 0;
  await Promise.all(busy);
}

export async function load(plan: LoadPlan): Promise<LoadResult> {
  const connections = Array.from({ length: plan.connections }, () => new Connection(plan));
  const latencies: number[] = [];
  let notOk = 0;
  let first: string | undefined;
  const record: Take = (ms, { status, refusal }) => {
    latencies.push(ms);
    if (status === 200) return;
    notOk += 1;
    first ??= `${status} ${refusal}`;
  };
  const phase = (seconds: number, sink: Take) => {
    const until = performance.now() + seconds * 1000;
    return plan.rate === undefined
      ? closedLoop(plan, connections, sink, until)
      : openLoop(plan, plan.rate, connections, sink, until);
  };
  let warmed = 0;
  await phase(plan.warmupSeconds, () => {
    warmed += 1;
  });
  const began = performance.now();
  await phase(plan.seconds, record);
  const elapsed = (performance.now() - began) / 1000;
  for (const connection of connections) connection.close();
  latencies.sort((a, b) => a - b);
  const at = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? Number.NaN;
  return {
    perSecond: latencies.length / elapsed,
    p50: at(0.5),
    p99: at(0.99),
    max: at(1),
    ok: latencies.length - notOk,
    notOk,
    ...(first === undefined ? {} : { refusal: first }),
    served: latencies.length + warmed,
  };
}

if (process.argv[2] !== undefined && import.meta.url.endsWith(process.argv[1]?.split('/').at(-1) ?? '\0')) {
  process.stdout.write(`${JSON.stringify(await load(JSON.parse(process.argv[2]) as LoadPlan))}\n`);
}
