import { existsSync, rmSync } from 'node:fs';
import type { ProbeResult } from '../../contract/probes.js';
import { DatabaseInUseError } from '../../store/index.js';
import type { Assembly } from '../assemble.js';
import { composeStore, databaseFile } from '../compose-store.js';
import { CORE } from '../core-tokens.js';
import { unusedOf } from '../plugins/consumers.js';
import { priceBook } from '../price-book.js';
import { strandedProblems } from '../stranded.js';
import { bad, type Finding, good } from './findings.js';
import { probeSpace, probeStore } from './probe-store.js';

const PROBE_TIMEOUT_MS = 20_000;

function threw(name: string, error: unknown): Finding {
  return bad('error', name, `a plugin threw: ${error instanceof Error ? error.message : String(error)}`);
}

function reported(name: string, find: () => readonly Finding[]): readonly Finding[] {
  try {
    return find();
  } catch (error) {
    return [threw(name, error)];
  }
}

/** Checks all dependencies of the service concurrently; starts nothing. */
export async function examine(assembly: Assembly): Promise<readonly Finding[]> {
  const parts = await Promise.all([chains(assembly), database(assembly)]);
  return [
    ...reported('plugins', () => unused(assembly)),
    ...reported('prices', () => prices(assembly)),
    ...parts.flat(),
  ];
}

/** Plugin contributions that nothing uses, contrary to the operator's expectation. */
function unused(assembly: Assembly): readonly Finding[] {
  const { config } = assembly;
  return unusedOf(assembly).map(({ owner, what, why, elsewhere }) => {
    const name = `plugin ${owner}`;
    const message = `${what} is not used: ${why}`;
    if (elsewhere) return good(name, message);
    const place = ['plugins', config.plugins.find(({ id }) => id === owner)?.index ?? 0, 'use'];
    return bad('warning', name, message, config.problem(place, message));
  });
}

function prices({ container, config }: Assembly): readonly Finding[] {
  const { chains, prices: sources } = container.resolve(CORE.registries);
  const book = priceBook(sources.all());
  const all = chains.all().flatMap((chain) =>
    chain.currencies().map((currency) => ({
      name: `${currency.symbol} on ${chain.facts.name}`,
      price: book.price(currency),
    })),
  );
  const unpriced = all.filter(({ price }) => !price.ok && price.why === 'unknown').map(({ name }) => name);
  // Not started: sources that query others have no prices yet.
  const later = all.filter(({ price }) => !price.ok && price.why === 'stale').length;
  if (unpriced.length === 0) {
    const asked = later === 0 ? '' : `; the running service will query ${later} of them`;
    return [good('prices', `every currency has a price source${asked}`)];
  }
  const message = `no price source knows ${unpriced.join(', ')}: quotes for them are refused with UNSUPPORTED_CURRENCY or 503; add a price source`;
  return [bad('warning', 'prices', message, config.problem(['plugins'], message))];
}

async function chains({ container, config }: Assembly): Promise<readonly Finding[]> {
  const registered = container.resolve(CORE.registries).chains.owned();
  const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
  const all = await Promise.all(
    registered.map(async ({ item: chain, owner }) => {
      if (!chain.probe) return [good(chain.facts.name, 'its plugin has no checks')];
      const plugin = config.plugins.find(({ id }) => id === owner);
      let results: readonly ProbeResult[];
      try {
        results = await chain.probe(signal);
      } catch (error) {
        return [threw(chain.facts.name, error)];
      }
      const rehearses = config.service.mode === 'rehearsal';
      // Keys, contracts and funds are not needed.
      const needed = rehearses ? results.filter(({ remedy }) => remedy === 'provider') : results;
      return needed.map(({ name, ok, level, message, optionPath, remedy }): Finding => {
        const placed =
          plugin && optionPath !== undefined ? { place: config.optionProblem(plugin, optionPath, message) } : {};
        return { ok, level, name, message, ...placed, ...(remedy === undefined ? {} : { remedy }) };
      });
    }),
  );
  return all.flat();
}

/** A new database is tested under another name, because only the first start creates it. */
async function database(assembly: Assembly): Promise<readonly Finding[]> {
  const { config, container } = assembly;
  const owner = container.resolve(CORE.registries).stores.all()[0]?.owner;
  const plugin = config.plugins.find(({ id }) => id === owner);
  const place = (message: string) =>
    plugin
      ? config.problem(['plugins', plugin.index, 'options'], message)
      : config.problem(['service', 'database', 'file'], message);
  const file = databaseFile(config);
  const embedded = owner === undefined;
  const trial = embedded && !existsSync(file) ? `${file}.doctor-${process.pid}` : undefined;
  const store = composeStore(assembly, trial);
  try {
    await store.open();
    const { leastFreeMb } = config.service.database;
    const findings = [...(await probeStore(store)), ...(await probeSpace(store, leastFreeMb))];
    const left = await strandedProblems(assembly, store);
    await store.close();
    return [
      ...findings.map((finding) => (finding.ok ? finding : { ...finding, place: place(finding.message) })),
      ...left.map((problem) => bad('error', 'owed', `${problem.message}: ${problem.advice ?? ''}`, problem)),
    ];
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof DatabaseInUseError) {
      const found = good('database', 'in use by a running service; not checked');
      return [found, ...(await probeSpace(store, config.service.database.leastFreeMb))];
    }
    return [bad('error', 'database', message, place(message))];
  } finally {
    if (trial !== undefined) for (const end of ['', '-wal', '-shm', '.lock']) rmSync(trial + end, { force: true });
  }
}
