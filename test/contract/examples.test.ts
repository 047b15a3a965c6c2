import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ConfigError, loadConfig } from '@causeway/core/host';
import { afterAll, describe, expect, it } from 'vitest';
import { codeBlocks } from '../support/documents.js';
import { ROOT, repositoryFiles } from '../support/repository.js';

const run = promisify(execFile);
/** Templates are not documents: `test/e2e/plugin-new.nightly.test.ts` loads what they generate. */
const documents = repositoryFiles(/\.md$/).filter(({ path }) => !path.startsWith('core/templates/'));
const folder = mkdtempSync(join(tmpdir(), 'causeway-examples-'));
cpSync(`${ROOT}test/fixtures/example-price-plugin/index.js`, join(folder, 'my-prices/index.js'));
// Imports of plugins are resolved by the test runner, not the host.
symlinkSync(`${ROOT}node_modules`, join(folder, 'node_modules'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const configs = documents.flatMap(({ path, text }) =>
  codeBlocks(text, 'yaml')
    .filter((block) => /^(service|plugins):/m.test(block))
    .map((block, index) => ({ path, index, text: whole(block) })),
);

function whole(block: string): string {
  const service = /^service:/m.test(block) ? block : `service:\n${block}`;
  const network = /^ {2}network:/m.test(service)
    ? service
    : service.replace('service:\n', 'service:\n  network: mainnet\n');
  return /^plugins:/m.test(network) ? network : `${network}\nplugins: []\n`;
}

describe('a config that a document shows', () => {
  it('is there', () => {
    expect(configs.length).toBeGreaterThan(9);
  });

  it.each(configs)('is one, in $path ($index)', async ({ text }) => {
    const file = join(folder, 'shown.yaml');
    writeFileSync(file, text);
    const environment = { RPC_KEY: 'k', RPC_PASSWORD: 'p' };
    const loaded = await loadConfig(file, { environment, checkKeys: false, devnet: true }).catch((error: unknown) =>
      error instanceof ConfigError ? error.message : Promise.reject(error),
    );
    expect(loaded).not.toBeTypeOf('string');
  });
});

/** By document: the test that runs each program or compares it with what it runs. Unlisted blocks are not run. */
const PROGRAMS: Readonly<Record<string, { readonly blocks: number; readonly by: string }>> = {
  'README.md': { blocks: 1, by: 'test/contract/readme.test.ts' },
  'core/docs/conformance.md': { blocks: 2, by: 'test/contract/conformance-docs.test.ts' },
  'core/docs/fault-proxies.md': { blocks: 3, by: 'test/contract/examples.test.ts' },
  'core/docs/integrate.md': { blocks: 1, by: 'test/e2e/guide.test.ts' },
  'core/docs/interface/events.md': { blocks: 1, by: 'test/contract/examples.test.ts' },
  'core/docs/plugins/chain.md': { blocks: 3, by: 'test/contract/examples.test.ts' },
  'core/docs/sdk.md': { blocks: 1, by: 'test/sdk/document.test.ts' },
  'plugins/webhooks/README.md': { blocks: 1, by: 'plugins/webhooks/test/readme.test.ts' },
};

describe('a program that a document shows', () => {
  it('is run by a test', () => {
    const shown = documents
      .filter(({ path }) => path !== 'test/README.md' && !path.startsWith('core/api/'))
      .map(({ path, text }) => [path, codeBlocks(text, '(?:js|ts)').length] as const)
      .filter(([, blocks]) => blocks > 0);
    expect(Object.fromEntries(shown)).toEqual(
      Object.fromEntries(Object.entries(PROGRAMS).map(([path, { blocks }]) => [path, blocks])),
    );
    for (const [path, { by }] of Object.entries(PROGRAMS)) {
      const name = path.split('/').at(-1) ?? '';
      expect(readFileSync(`${ROOT}${by}`, 'utf8'), by).toContain(name);
    }
  });

  it('runs: core/docs/fault-proxies.md', async () => {
    const page = readFileSync(`${ROOT}core/docs/fault-proxies.md`, 'utf8');
    for (const code of codeBlocks(page, '(?:js|ts)')) await execute(code);
  });

  it('runs: core/docs/plugins/chain.md', async () => {
    const page = readFileSync(`${ROOT}core/docs/plugins/chain.md`, 'utf8');
    const [lanes = '', jsonRpc = '', rest = ''] = codeBlocks(page, 'js');
    const { stdout } = await execute(`
      import { createServer } from 'node:http';
      import { Providers, RestProviders } from '@causeway/core/rpc';
      const [filler, vault] = ['f', 'v'];
      ${lanes}
      console.log(lanes.map(({ sends }) => sends.length));
      const server = createServer(async (request, response) => {
        let body = '';
        for await (const chunk of request) body += chunk;
        const asked = JSON.parse(body || '{}');
        response.end(JSON.stringify(asked.id ? { id: asked.id, result: 7 } : { path: request.url }));
      });
      await new Promise((done) => server.listen(0, '127.0.0.1', done));
      const [chainId, address] = [1, 'ex1'];
      const endpoints = [{ http: 'http://127.0.0.1:' + server.address().port }];
      const identify = async () => ({ is: 'right' });
      const [quiet, clock] = [() => undefined, { sleep: (ms) => new Promise((done) => setTimeout(done, ms).unref()) }];
      const services = {
        ...{ clock, log: { info: quiet, warn: quiet, error: quiet }, alerts: { raise: quiet, clear: quiet } },
        metrics: { count: quiet, observe: quiet },
      };
      { ${jsonRpc}
        console.log(height); }
      { ${rest.replace(/^const account/m, 'await providers.start(); const account')}
        console.log(account); }
      process.exit(0);`);
    expect(stdout).toBe("[ 1, 3 ]\n7\n{ path: '/accounts/ex1' }\n");
  });

  it('runs: core/docs/interface/events.md', async () => {
    const page = readFileSync(`${ROOT}core/docs/interface/events.md`, 'utf8');
    const [code = ''] = codeBlocks(page, 'js');
    const { stdout } = await execute(`
      import { createServer } from 'node:http';
      import { EventSource } from 'undici';
      const server = createServer((request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('data: {"sequence":1}\\n\\nevent: gap\\ndata: {"missing":2}\\n\\n');
        setTimeout(() => process.exit(0), 300);
      });
      await new Promise((done) => server.listen(0, '127.0.0.1', done));
      const service = 'http://127.0.0.1:' + server.address().port;
      const key = 'k';
      ${code}`);
    expect(stdout).toBe('{ sequence: 1 }\nlist the requests { missing: 2 }\n');
  });
});

function execute(code: string): Promise<{ stdout: string }> {
  const flags = ['--conditions=@causeway/source', '--import', 'tsx', '--input-type=module', '-e', code];
  return run(process.execPath, flags, { cwd: ROOT, env: { ...process.env, NODE_OPTIONS: '' }, timeout: 50_000 });
}
