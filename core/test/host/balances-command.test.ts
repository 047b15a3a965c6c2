import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCli } from '../../src/host/cli/index.js';
import { insert } from '../../src/testing/store-fixtures.js';
import { ADMIN_KEY, type RunningApi, runningApi } from '../api/support/running-api.js';
import { cliOutput } from './cli-output.js';

let api: RunningApi;
const said = cliOutput();

beforeAll(async () => {
  api = await runningApi();
  const integrator = { id: 'integrator-1', version: 1, name: 'One', fundingAddress: null, createdAt: 1 };
  await api.store.apply({ name: 'test', changes: [insert('integrators', integrator)] });
});
afterAll(() => api.close());

beforeEach(() => {
  vi.stubEnv('CAUSEWAY_ADMIN_KEY', ADMIN_KEY);
});

async function balances(...args: readonly string[]): Promise<string> {
  said.forget();
  const code = await runCli(['balances', ...args, '--url', api.url]);
  return code === 0 ? said.text() : `${code} ${said.text()}`;
}

describe('causeway balances', () => {
  it('makes a change once, and refuses another one under its id', async () => {
    const credit = (usd: string) => balances('credit', 'One', usd, '--reason', 'paid', '--id', 'invoice-7');
    expect(await credit('5')).toContain('$5, $0 of it reserved');
    expect(await credit('5')).toContain('nothing to do, this change was made before');
    expect(await credit('6')).toMatch(/^1 .*answered 409: changeId: belongs to another credit: 5 US dollars/s);
  });

  it('writes the sign of what was taken before the dollars', async () => {
    await balances('debit', 'One', '2', '--reason', 'mistake');
    expect(await balances('show', 'One')).toMatch(/debit {2}-\$2 {2}mistake\n/);
  });
});
