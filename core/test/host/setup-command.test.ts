import { mkdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCli } from '../../src/host/cli/index.js';
import { lockSetUp } from '../../src/host/lock-set-up.js';
import { type Home, newHome, pluginSource, SECRET } from './home.js';

let said = '';
let home: Home;

beforeEach(() => {
  said = '';
  home = newHome();
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      said += String(text);
      return true;
    });
  }
  vi.stubEnv('CHAIN_KEY', SECRET);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** A chain that lists what was made on it. */
const chain = (id: number, setUp: string) => `context.chains.add({
  facts: { id: ${id}, name: 'c${id}', vmType: 'any', network: 'local', currency: { symbol: 'COIN', decimals: 9 } },
  lanes: [], currencies: () => [], ${setUp} });`;

const MAKES = `async *setUp({ dryRun, payer, signal }) {
  globalThis.setUpAsked.push({ dryRun, payer: payer && context.keys.secret(payer) });
  const made = globalThis.setUpMade;
  const item = (name, state, message, cost) => ({ name, state, message, ...(cost === undefined ? {} : { cost }) });
  for (const name of ['a', 'b'])
    yield made.has(name) ? item(name, 'there', 'is there') : item(name, 'missing', 'is not there', 1500000000n);
  if (dryRun) return;
  for (const name of ['a', 'b']) {
    if (made.has(name) || signal.aborted) continue;
    yield item(name, 'sent', 'as x');
    made.add(name);
    yield item(name, 'made', 'by ' + payer, 1000000n);
  }
}`;

declare global {
  var setUpMade: Set<string>;
  var setUpAsked: { readonly dryRun: boolean; readonly payer?: string }[];
}

function config(...chains: readonly string[]): string {
  globalThis.setUpMade = new Set();
  globalThis.setUpAsked = [];
  home.write('chain.mjs', pluginSource({ id: 'chain', register: chains.join('\n') }));
  const text = 'service:\n  network: local\nplugins:\n  - use: ./chain.mjs\n    options: { ids: [1, 2] }\n';
  return home.write('solver.yaml', text);
}

describe('causeway setup', () => {
  it('says what is missing and what it takes, and makes nothing on a dry run', async () => {
    const file = config(chain(1, MAKES), chain(2, ''));
    expect(await runCli(['setup', file, '--dry-run'])).toBe(1);
    expect(said.split('\n')).toEqual([
      'missing  c1: a: is not there (costs about 1.5 COIN)',
      'missing  c1: b: is not there (costs about 1.5 COIN)',
      'ok       c2: requires nothing',
      '',
      '0 there, 0 made, 2 missing, 0 failed',
      '',
    ]);
    expect(globalThis.setUpMade.size).toBe(0);
  });

  it('makes it, and nothing when it runs again', async () => {
    const file = config(chain(1, MAKES));
    expect(await runCli(['setup', file])).toBe(0);
    expect(said).toContain('sent     c1: a: as x\nmade     c1: a: by undefined (cost 0.001 COIN)\n');
    expect(said).toContain('0 there, 2 made, 0 missing, 0 failed');
    said = '';
    expect(await runCli(['setup', file])).toBe(0);
    expect(said).toBe('ok       c1: a: is there\nok       c1: b: is there\n\n2 there, 0 made, 0 missing, 0 failed\n');
  });

  it('lets another key pay, named from where the command was typed, and shows no key', async () => {
    const file = config(chain(1, MAKES.replace("'by ' + payer", "'by ' + context.keys.secret(payer)")));
    expect(await runCli(['setup', file, '--payer', 'env:CHAIN_KEY'])).toBe(0);
    expect(globalThis.setUpAsked).toEqual([{ dryRun: false, payer: SECRET }]);
    expect(said).not.toContain(SECRET);
    const here = vi.spyOn(process, 'cwd').mockReturnValue(home.path('keys'));
    home.write('keys/payer.key', `${SECRET}\n`);
    expect(await runCli(['setup', file, '--payer', 'file:payer.key'])).toBe(0);
    here.mockRestore();
    expect(globalThis.setUpAsked).toHaveLength(2);
    expect(globalThis.setUpAsked[1]?.payer).toBe(SECRET);
    expect(await runCli(['setup', file, '--payer', SECRET])).toBe(2);
    expect(said).toContain('--payer takes a key reference');
    expect(said).not.toContain(SECRET);
  });

  it('asks one chain alone', async () => {
    const file = config(chain(1, MAKES), chain(2, ''));
    expect(await runCli(['setup', file, '--chain', '2'])).toBe(0);
    expect(said).toBe('ok       c2: requires nothing\n\n0 there, 0 made, 0 missing, 0 failed\n');
    expect(await runCli(['setup', file, '--chain', '3'])).toBe(2);
    expect(said).toContain('chain 3 is not configured; configured: 1, 2');
    expect(await runCli(['setup', file, '--chain', 'one'])).toBe(2);
  });

  it('goes on with the next chain where one fails, and ends with 1', async () => {
    const fails =
      "async *setUp() { yield { name: 'a', state: 'failed', message: 'refused' }; throw new Error('gone'); }";
    const file = config(chain(1, fails), chain(2, MAKES));
    expect(await runCli(['setup', file])).toBe(1);
    expect(said).toContain('FAILED   c1: a: refused\nFAILED   c1: the chain: Error: gone');
    expect(said).toContain('0 there, 2 made, 0 missing, 2 failed');
  });

  it('names the config line of an option that is wrong, and ends with 78', async () => {
    const wrong = "async *setUp() { throw new OptionError('ids[1]', 'is another chain'); }";
    expect(await runCli(['setup', config(chain(1, wrong))])).toBe(78);
    expect(said).toContain('solver.yaml:5:25 [chain] options.ids[1]: is another chain');
  });

  it('signs nothing new once it is asked to stop', async () => {
    // Ctrl-C during the first step.
    const file = config(chain(1, MAKES.replace('made.add(name);', "made.add(name); process.emit('SIGINT');")));
    expect(await runCli(['setup', file])).toBe(1);
    expect(said).toContain('stopping after the result');
    expect(said).toContain('made     c1: a');
    expect(globalThis.setUpMade).toEqual(new Set(['a']));
    expect(said).toContain('0 there, 1 made, 1 missing, 0 failed');
  });

  it('sends nothing while another one runs for the same config, and nothing of it stays behind', async () => {
    const file = config(chain(1, MAKES));
    const unlock = await lockSetUp(file);
    expect(await runCli(['setup', file])).toBe(1);
    expect(said).toMatch(
      /^another set-up of .*solver\.yaml runs: nothing was sent; run it again once that one ended\n$/,
    );
    expect(globalThis.setUpAsked).toEqual([]);
    expect(await runCli(['setup', file, '--dry-run'])).toBe(1);
    expect(globalThis.setUpAsked).toHaveLength(1);
    unlock();
    expect(await runCli(['setup', file])).toBe(0);
  });

  it('sends nothing where what it finds could not be written', async () => {
    const file = config(chain(1, MAKES));
    const before = readFileSync(file, 'utf8');
    // In the place of its lock, which also root cannot write then.
    mkdirSync(home.path('.causeway-setup.sock'));
    expect(await runCli(['setup', file, '--write'])).toBe(1);
    expect(said).toMatch(/cannot be written \(\w+\): nothing was sent; make it writable, or see what is missing/);
    expect(globalThis.setUpAsked).toEqual([]);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });
});
