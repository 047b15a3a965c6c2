import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCli } from '../../src/host/cli/index.js';
import { ADMIN_KEY, type RunningApi, runningApi } from '../api/support/running-api.js';
import { cliOutput } from './cli-output.js';

let api: RunningApi;
const said = cliOutput();

beforeAll(async () => {
  api = await runningApi();
});
afterAll(() => api.close());

beforeEach(() => {
  vi.stubEnv('CAUSEWAY_ADMIN_KEY', ADMIN_KEY);
});

afterEach(() => {
  api.reset();
});

async function keys(...args: readonly string[]): Promise<string> {
  said.forget();
  const code = await runCli(['api-keys', ...args, '--url', api.url]);
  return code === 0 ? said.text() : `${code} ${said.text()}`;
}

const idIn = (text: string) => /key_\w+/.exec(text)?.[0] ?? '';
const secretIn = (text: string) => /^cw_local_\w+$/m.exec(text)?.[0] ?? '';
const listing = async (key: string) =>
  (await api.call('GET', '/requests/v3', { headers: { 'x-api-key': key } })).status;

describe('causeway api-keys', () => {
  it('makes a key that works, for an integrator that the first key adds, and shows it once', async () => {
    const created = await keys('create', '--integrator', 'shop', '--name', 'laptop', '--tier', 'elevated');
    expect(created).toContain('shop / laptop  active  scopes *  elevated rates');
    expect(created).toContain('only time');
    expect(await listing(secretIn(created))).toBe(200);
    const second = await keys('create', '--integrator', 'shop', '--scopes', 'quote,requests', '--expires', '90d');
    expect(second).toMatch(/shop {2}active until \d{4}-.*scopes quote,requests {2}default rates/);
    const listed = await keys('list', '--integrator', 'shop');
    expect(listed.trim().split('\n')).toHaveLength(2);
    expect(listed).not.toContain(secretIn(created));
    expect((await keys('integrators')).match(/shop/g)).toHaveLength(1);
  });

  it('rotates, grants and revokes', async () => {
    const created = await keys('create', '--integrator', 'bank', '--scopes', 'quote');
    const rotated = await keys('rotate', idIn(created), '--overlap', '1h');
    expect(rotated).toMatch(/active until .*replaced by key_/);
    const [old, key] = [secretIn(created), secretIn(rotated)];
    const id = /replaced by (key_\w+)/.exec(rotated)?.[1] ?? '';
    expect(await keys('grant', id, '--scopes', 'requests', '--tier', 'elevated')).toContain(
      'scopes requests  elevated',
    );
    expect(await listing(key)).toBe(200);
    expect(await keys('revoke', id)).toContain('is revoked');
    expect(await keys('revoke', id)).toContain('nothing to do');
    api.clock.offset = 3_601_000;
    expect([await listing(key), await listing(old)]).toEqual([401, 401]);
    expect(await keys('list', '--integrator', 'bank')).toMatch(/expired(.|\n)*revoked/);
  });

  it('links the funding address of an integrator, and takes it back', async () => {
    const address = `0x${'5'.repeat(40)}`;
    await keys('create', '--integrator', 'funded', '--funding', address);
    expect(await keys('integrators')).toContain(`funded  ${address}`);
    expect(await keys('link', 'funded', 'none')).toContain('funded  no funding address');
    expect(await keys('link', 'funded', address)).toContain(`funded  ${address}`);
  });

  it('answers as JSON where it is asked to', async () => {
    const { key, secret } = JSON.parse(await keys('create', '--integrator', 'robot', '--json'));
    expect(JSON.parse(await keys('list', '--integrator', 'robot', '--json'))).toEqual({ keys: [key] });
    expect(secret.startsWith(key.prefix)).toBe(true);
  });

  it.each([
    [[], 'VERB is missing'],
    [['destroy'], 'api-keys destroy is not known'],
    [['constructor'], 'api-keys constructor is not known'],
    [['create'], 'use --integrator NAME'],
    [['create', '--integrator', 'int_0'], 'no integrator has the id int_0'],
    [['create', '--integrator', 'x', '--expires', 'soon'], '--expires takes a duration'],
    [['list', '--integrator', 'nobody'], 'no integrator is called nobody'],
    [['list', '--tier', 'elevated'], 'api-keys list has no option --tier'],
    [['list', 'key_0'], 'unexpected argument key_0'],
    [['rotate'], 'KEY_ID is missing'],
    [['grant', 'key_0'], 'grant what?'],
    [['link', 'x'], 'ADDRESS is missing'],
  ])('%j is not understood: %s', async (args, why) => {
    const answer = await keys(...args);
    expect(answer).toMatch(/^2 /);
    expect(answer).toContain(why);
  });

  it('says what the service refused', async () => {
    expect(await keys('revoke', 'key_0')).toMatch(/^1 .*answered 404: keyId: no key has this id/);
    expect(await keys('create', '--integrator', 'y', '--tier', 'golden')).toMatch(/^1 .*tier: must be one of/);
  });
});
