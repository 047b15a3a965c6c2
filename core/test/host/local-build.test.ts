import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/host/config/load-config.js';
import { localState, resetState, retireDatabase } from '../../src/host/dev/local-state.js';
import { lockFolder } from '../../src/host/dev/lock.js';
import { freePort, isFree } from '../../src/host/dev/ports.js';
import { keepSecret } from '../../src/host/dev/private-files.js';
import { writeResolvedConfig } from '../../src/host/dev/resolved-config.js';
import { newHome, pluginSource, SECRET } from './home.js';

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('the local build', () => {
  it('allows one supervisor per folder, and one after a killed one', async () => {
    const home = newHome();
    const unlock = await lockFolder(home.dir);
    await expect(lockFolder(home.dir)).rejects.toThrow('a local build already runs in this folder');
    unlock();
    const again = await lockFolder(home.dir);
    again();
    // The stale socket file of a killed process.
    writeFileSync(home.path('dev.sock'), '');
    const third = await lockFolder(home.dir);
    third();
  });

  it('takes the next free port', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    expect(await isFree(port)).toBe(false);
    expect(await freePort(port, new Set())).toBeGreaterThan(port);
    expect(await freePort(port, new Set([port + 1, port + 2]))).toBeGreaterThan(port + 2);
    // Two in a row: neither the taken port nor its predecessor fits.
    expect(await freePort(port - 1, new Set(), 2)).toBeGreaterThan(port);
    expect(await freePort(port + 1, new Set([port + 2, port + 4]), 2)).toBeGreaterThan(port + 4);
    await new Promise((resolve) => server.close(resolve));
  });

  it('makes secrets once, for no one else to read', () => {
    const home = newHome();
    const made = keepSecret(home.path('keys/api.key'), 'cw_');
    expect(made).toMatch(/^cw_[0-9a-f]{64}$/);
    expect(keepSecret(home.path('keys/api.key'), 'cw_')).toBe(made);
    expect([mode(home.path('keys')), mode(home.path('keys/api.key'))]).toEqual(['700', '600']);
  });

  it('moves a database away as a whole, and resets chains and database but no keys', () => {
    const state = localState(newHome().path('.causeway'));
    expect(retireDatabase(state, new Date(0))).toBeUndefined();
    for (const end of ['', '-wal', '.lock']) writeFileSync(state.database + end, end);
    const onHold = retireDatabase(state, new Date(0)) ?? '';
    expect(existsSync(state.database)).toBe(false);
    expect(readFileSync(`${onHold}/service.db-wal`, 'utf8')).toBe('-wal');
    for (let n = 1; n < 6; n += 1) {
      writeFileSync(state.database, '');
      retireDatabase(state, new Date(n));
    }
    const kept = readdirSync(state.folder).filter((name) => name.startsWith('stale-'));
    expect(kept.sort()).toEqual([3, 4, 5].map((n) => `stale-1970-01-01T00-00-00-00${n}Z`));
    writeFileSync(state.database, '');
    mkdirSync(state.chain(1), { recursive: true });
    keepSecret(`${state.keys}/api.key`, '');
    resetState(state.folder);
    expect([
      existsSync(state.database),
      existsSync(`${state.folder}/chains`),
      existsSync(`${state.keys}/api.key`),
      readdirSync(state.folder).some((name) => name.startsWith('stale-')),
    ]).toEqual([false, false, true, false]);
    expect(() => resetState(state.folder)).not.toThrow();
  });

  it('writes a config that means the same from another folder', async () => {
    const home = newHome();
    home.write(
      'config/echo.mjs',
      pluginSource({
        id: 'echo',
        options: { type: 'object', properties: { n: { default: 4, description: 'A number.' } } },
      }),
    );
    home.write('config/k.key', SECRET);
    home.write('config/other.mjs', pluginSource({ id: 'other' }));
    const file = home.write(
      'config/solver.yaml',
      `service: { network: local, orderSigner: "file:k.key" }
plugins:
  - use: ./echo.mjs
    as: loud
    options: { a: "$\${NOT}", b: "\${WHAT}", address: 0x5FbDB2315678afecb367f032d93F642f64180aa3 }
  - use: ./other.mjs
    as: quiet
`,
    );
    const config = await loadConfig(file, { environment: { WHAT: 'it: is' } });
    for (const name of ['api', 'admin', 'order', 'endpoint']) home.write(`${name}.key`, SECRET);
    const resolved = writeResolvedConfig({
      config,
      folder: home.dir,
      port: 4321,
      orderKeyFile: home.path('order.key'),
      adminKeyFile: home.path('admin.key'),
      apiKeyFile: home.path('api.key'),
      endpointKeyFile: home.path('endpoint.key'),
      databaseFile: home.path('service.db'),
      options: new Map(),
      leftOut: ['quiet'],
    });
    expect(mode(resolved)).toBe('600');
    const again = await loadConfig(resolved, { environment: {}, directory: config.directory });
    expect(again.plugins.map(({ id }) => id)).toEqual(['loud']);
    expect(again.plugins[0]).toMatchObject({ id: 'loud', options: config.plugins[0]?.options });
    expect(again.service).toMatchObject({
      port: 4321,
      orderSigner: 'file:k.key',
      database: { file: home.path('service.db') },
    });
    expect(again.keys.secret(again.service.apiKeys[0]?.key ?? '')).toBe(SECRET);
  });
});
