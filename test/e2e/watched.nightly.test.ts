import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@causeway/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { Prometheus } from '../support/prometheus.js';
import { ROOT } from '../support/repository.js';
import { endAll, Running } from '../support/service.js';
import { until } from '../support/until.js';
import { ALERTS_FILE, alertRules, metricsIn, panels } from '../support/watched.js';

/** Of plugins that a local build does not have. */
const ELSEWHERE = /^causeway_(prices_http|swaps_http|screening|storage_pg|bvm|svm|tonvm)_/;

const home = mkdtempSync(join(tmpdir(), 'causeway-watched-'));
let dev: Running;
let prometheus: Prometheus | undefined;

/** The local build of the checkout with one family, which is enough to have every kind of number. */
function localConfig(): string {
  const config = parse(readFileSync(`${ROOT}config/local.yaml`, 'utf8')) as {
    readonly service: { readonly limits: object };
    readonly plugins: readonly { use: string }[];
  };
  const plugins = config.plugins.filter(({ use }) => /plugin-(evm|webhooks)$|static-prices$/.test(use));
  expect(plugins).toHaveLength(3);
  // An endpoint that refuses, so that events wait for it.
  const endpoints = [{ name: 'deaf', url: 'http://127.0.0.1:9/', secrets: ['env:DEAF_SECRET'] }];
  const withEndpoint = plugins.map((each) =>
    each.use.endsWith('webhooks') ? { ...each, options: { endpoints } } : each,
  );
  const limits = { ...config.service.limits, maxUnfinalUsd: 1_000_000, maxDailyUsd: 10_000_000 };
  return stringify({ ...config, service: { ...config.service, limits }, plugins: withEndpoint });
}

beforeAll(async () => {
  mkdirSync(join(home, 'config'));
  writeFileSync(join(home, 'config/local.yaml'), localConfig());
  symlinkSync(join(ROOT, 'node_modules'), join(home, 'node_modules'));
  const port = await freePorts();
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  dev = new Running(['dev', 'config/local.yaml'], { PORT: String(port), DEAF_SECRET: secret }, home);
  const file = join(home, '.causeway/devnet.json');
  const isUp = async () => existsSync(file) && (await fetch(`http://127.0.0.1:${port}/lives`)).ok;
  await until('the local build is up', isUp, { ms: 120_000, seen: () => dev.output.slice(-2_000) });
  const { adminKey } = JSON.parse(readFileSync(file, 'utf8')) as { readonly adminKey: string };
  prometheus = await Prometheus.start(home, `127.0.0.1:${port}`, adminKey, ALERTS_FILE);
  const demo = new Running(['demo'], {}, home);
  const exit = await demo.exited;
  expect(exit.code, demo.output).toBe(0);
}, 300_000);

afterAll(async () => {
  await prometheus?.stop();
  if (dev?.alive === true) {
    dev.signalGroup('SIGINT');
    await dev.end('after the tests').catch(() => {});
  }
  await endAll();
  rmSync(home, { recursive: true, force: true });
});

const query = (expression: string) => prometheus?.query(expression) ?? [];

describe('a real Prometheus that watches the local build', () => {
  it('has data for every query of the dashboard', async () => {
    const all = panels().flatMap(({ title, queries }) => queries.map((expr) => ({ title, expr })));
    const samples = async ({ title, expr }: (typeof all)[number]) => {
      // Of what was not used lately, there is no quantile.
      const known = async () => (await query(expr)).filter(({ value }) => value[1] !== 'NaN');
      const found = await until(title, async () => ((await known()).length > 0 ? known() : undefined), { ms: 45_000 });
      console.log(`${title}: ${found.length} series, e.g. ${JSON.stringify(found[0]?.metric)} ${found[0]?.value[1]}`);
    };
    const ends = await Promise.allSettled(all.map(samples));
    expect(all.filter((_, n) => ends[n]?.status === 'rejected')).toEqual([]);
  }, 120_000);

  it('evaluates every alert, and has every gauge and histogram that they ask for', async () => {
    const rules = await until('all rules were evaluated', async () => {
      const all = (await prometheus?.rules()) ?? [];
      return all.every(({ health }) => health !== 'unknown') && all.length > 0 ? all : undefined;
    });
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
    expect(rules.map(({ name }) => name).sort()).toEqual(
      alertRules()
        .map(({ alert }) => alert)
        .sort(),
    );
    const asked = new Set(alertRules().flatMap(({ expr }) => metricsIn(expr)));
    const lasting = [...asked].filter((name) => !name.endsWith('_total') && !ELSEWHERE.test(name));
    expect(lasting.length).toBeGreaterThan(10);
    for (const name of lasting)
      await until(name, async () => (await query(`{__name__=~"${name}(_count)?"}`)).length > 0, { ms: 45_000 });
  }, 120_000);

  it('sees no alert where all is well, and one where the service is gone', async () => {
    const firing = async () => (await query('ALERTS{severity="page"}')).map(({ metric }) => metric['alertname']);
    expect(await firing()).toEqual([]);
    dev.signalGroup('SIGINT');
    await dev.end('on Ctrl-C');
    await until('the alert', async () => (await firing()).includes('CausewayDown'));
  }, 60_000);
});
