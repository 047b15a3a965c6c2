import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCli } from '../../src/host/cli/index.js';
import { holdRow, insert } from '../../src/testing/store-fixtures.js';
import { ADMIN_KEY, type RunningApi, runningApi } from '../api/support/running-api.js';
import { cliOutput } from './cli-output.js';

const TRANSACTION = `0x${'5e'.repeat(32)}`;

let api: RunningApi;
const said = cliOutput();

beforeAll(async () => {
  api = await runningApi();
  const row = holdRow(1, {
    id: 'stray:1',
    transactionHash: TRANSACTION,
    reason: 'NOT_IN_A_POT',
    amount: 7n,
    chainId: 5_005,
  });
  await api.store.apply({ name: 'test', changes: [insert('holds', row)] });
});
afterAll(() => api.close());

beforeEach(() => {
  api.reset();
  vi.stubEnv('CAUSEWAY_ADMIN_KEY', ADMIN_KEY);
});

async function hold(...args: readonly string[]): Promise<string> {
  said.forget();
  const code = await runCli(['hold', ...args, '--url', api.url]);
  return code === 0 ? said.text() : `${code} ${said.text()}`;
}

describe('causeway hold', () => {
  it('shows what is held of a transaction', async () => {
    expect(await hold('show', TRANSACTION)).toMatch(/^held\n.*\n +stray:1 .* 7 +NOT_IN_A_POT +open\n/);
    expect(await hold('show', `0x${'6f'.repeat(32)}`)).toMatch(/^nothing is held of transaction 0x6f/);
  });

  it('pays a hold out, and takes one off the list without a payment only by a flag', async () => {
    await hold('release', 'hold:1');
    await hold('release', 'hold:1', '--to', 'somewhere');
    await hold('release', 'stray:1', '--unpaid');
    expect(await hold('release', 'stray:1', '--unpaid', '--to', 'somewhere')).toMatch(/^2 .*pays no one/s);
    expect(await hold('list', 'stray:1')).toMatch(/^2 .*hold list is not known/s);
    expect(api.engine.commands).toEqual(['release hold:1', 'release hold:1 to somewhere', 'release stray:1 unpaid']);
  });

  it('prints why a release is refused', async () => {
    api.engine.outcome = { ok: false, code: 'notSafe', message: 'its release pays no one' };
    expect(await hold('release', 'stray:1')).toMatch(/^1 .*409.*its release pays no one/s);
  });
});
