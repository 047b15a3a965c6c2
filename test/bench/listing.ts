import { Agent, request } from 'node:http';
import { SeededRandom } from '@causeway/core/testing';
import { benchServer } from './ledger/child.js';
import { ledger } from './ledger/fill.js';
import { BENCH_KEY } from './ledger/messages.js';
import { ledgerRows } from './ledger/rows.js';
import { LISTING_CASES, type ListingCase, queryOf } from './listing-cases.js';
import { type Bench, type Figure, ms, percentile } from './report.js';

const REQUESTS = Number(process.env['BENCH_REQUESTS'] ?? 1_000_000);
const FIRST_PAGES = Number(process.env['BENCH_PAGES'] ?? 12);
const GOAL_MS = 30;
const SLOW_GOAL_MS = 500;
/** Statements time out after two seconds. */
const GIVEN_UP_MS = 2_300;

/** A page without its search: the cost of everything else. */
const BASELINE = '/intents/status/v3?requestId=0x00';

/**
 * Sequential pages of a ledger of a million requests. Deep pages start up to fifty thousand pages in: the first
 * page's cursor with another row in it.
 */
export const listingBench: Bench = {
  name: 'listing',
  about: `GET /requests/v3 among ${REQUESTS} requests on SQLite, first and deep pages`,
  async run() {
    const server = await benchServer({ file: await ledger(REQUESTS), websockets: 1 });
    const client = new Client(server.port);
    try {
      for (let n = 0; n < 200; n += 1) await client.get('/requests/v3');
      const baseline: number[] = [];
      for (let n = 0; n < 200; n += 1) baseline.push((await client.get(BASELINE)).ms);
      const measured: Measured[] = [];
      for (const one of LISTING_CASES) measured.push(await measure(client, one));
      return [{ name: 'an empty answer (baseline)', value: reported(baseline) }, ...figures(measured)];
    } finally {
      client.close();
      await server.close();
    }
  },
};

interface Page {
  readonly ms: number;
  readonly status: number;
  readonly body: { readonly requests?: readonly unknown[]; readonly continuation?: string; readonly message?: string };
}

interface Measured {
  readonly of: ListingCase;
  readonly first: readonly Page[];
  readonly deep: readonly Page[];
}

class Client {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(private readonly port: number) {}

  get(path: string): Promise<Page> {
    return new Promise((resolve, reject) => {
      const started = performance.now();
      const options = {
        host: '127.0.0.1',
        port: this.port,
        path,
        agent: this.agent,
        headers: { 'x-api-key': BENCH_KEY },
      };
      const asked = request(options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('end', () => {
          const took = performance.now() - started;
          const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Page['body'];
          resolve({ ms: took, status: response.statusCode ?? 0, body });
        });
      });
      asked.once('error', reject);
      asked.end();
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

async function measure(client: Client, one: ListingCase): Promise<Measured> {
  const random = new SeededRandom(`listing ${one.name}`);
  const [first, deep]: [Page[], Page[]] = [[], []];
  for (let n = 0; n < FIRST_PAGES; n += 1) {
    const query = queryOf(one, random, REQUESTS);
    const page = await client.get(`/requests/v3?${query}`);
    first.push(page);
    if (page.body.continuation === undefined) continue;
    const cursor = deepCursor(page.body.continuation, query, random);
    deep.push(await client.get(`/requests/v3?${query}&continuation=${cursor}`));
  }
  return { of: one, first, deep };
}

function deepCursor(continuation: string, query: string, random: SeededRandom): string {
  const [, , hash, ...asOf] = JSON.parse(Buffer.from(continuation, 'base64url').toString('utf8')) as unknown[];
  const { request: row } = ledgerRows(random.between(0, REQUESTS - 1), REQUESTS);
  const sort = new URLSearchParams(query).get('sortBy') ?? 'createdAt';
  const value = sort === 'amountUsd' ? row.amountUsd : sort === 'updatedAt' ? row.updatedAt : row.createdAt;
  return Buffer.from(JSON.stringify([value, row.id, hash, ...asOf])).toString('base64url');
}

const times = (pages: readonly Page[]) => pages.map((page) => page.ms);
const reported = (values: readonly number[]) =>
  values.length === 0 ? 'none' : `p50 ${ms(percentile(values, 0.5))}, p99 ${ms(percentile(values, 0.99))}`;

function figures(measured: readonly Measured[]): Figure[] {
  const each = measured.map(({ of, first, deep }): Figure => {
    const refused = [...first, ...deep].filter((page) => page.status === 503).length;
    const value = `first ${reported(times(first))}; deep ${reported(times(deep))}${refused > 0 ? `; ${refused} given up` : ''}`;
    return { name: `${of.kind === 'slow' ? '(slow) ' : ''}${of.name}`, value };
  });
  const pages = (kind: ListingCase['kind'], which: 'first' | 'deep') =>
    measured.filter(({ of }) => of.kind === kind).flatMap((one) => one[which]);
  const all = measured.flatMap(({ first, deep }) => [...first, ...deep]);
  const wrong = all.filter((page) => !(page.status === 200 || (page.status === 503 && hinted(page))));
  const slow = [...pages('slow', 'first'), ...pages('slow', 'deep')];
  const late = slow.filter((page) => page.ms > (page.status === 503 ? GIVEN_UP_MS : SLOW_GOAL_MS)).length;
  return [
    ...each,
    goal('equality, hashes, term, sorts, combinations: first pages', times(pages('fast', 'first'))),
    goal('the same, deep pages', times(pages('fast', 'deep'))),
    {
      name: 'ranges, negations, nulls',
      value: `${reported(times(slow))}, ${late} of ${slow.length} late`,
      goal: `<= ${SLOW_GOAL_MS} ms, or 503 with a hint`,
      ok: late === 0,
    },
    { name: 'answers that were neither', value: String(wrong.length), goal: '0', ok: wrong.length === 0 },
  ];
}

function goal(name: string, values: readonly number[]): Figure {
  const p99 = percentile(values, 0.99);
  return { name, value: `${reported(values)} of ${values.length}`, goal: `p99 <= ${GOAL_MS} ms`, ok: p99 <= GOAL_MS };
}

function hinted({ body }: Page): boolean {
  return (body.message?.length ?? 0) > 40;
}
