import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadConfig } from '../../src/host/config/load-config.js';
import { bootChains } from '../../src/host/dev/boot-chains.js';
import { DevConsole } from '../../src/host/dev/console.js';
import { localState } from '../../src/host/dev/local-state.js';
import { freePort } from '../../src/host/dev/ports.js';
import { newHome, pluginSource } from './home.js';

/** A family with fresh chains. */
const DEVNET = `
import { createServer } from 'node:net';
let why;
export const devnet = {
  unavailable: () => why,
  plan: ({ chains, lacks }) => (why = lacks, chains).map(({ id, port, ports }) => ({
    chainId: id,
    preferredPort: port,
    ...(ports === undefined ? {} : { ports }),
    process: () => ({ name: 'chain-' + id, command: process.execPath, args: [] }),
    // As a process does: the port is taken a while after its choice.
    ready: (port) =>
      new Promise((resolve) => setTimeout(() => createServer().unref().listen(port, '127.0.0.1', resolve), 400)),
  })),
  seed: async (options, { chains }) => ({
    options,
    chains: chains.map(({ chainId, port }) =>
      ({ id: chainId, vmType: 'any', name: 'n', rpcUrl: 'http://127.0.0.1:' + port, currencies: [], contracts: {} })),
    accounts: [],
    fresh: options.fresh,
    leftOut: options.leftOut,
  }),
};
`;

interface Family {
  readonly fresh: boolean;
  /** Missing on the machine. */
  readonly lacks?: string;
  /** Unneeded parts. */
  readonly leftOut?: readonly string[];
  readonly chains: readonly { readonly id: number; readonly port: number; readonly ports?: number }[];
}

let said: string[];

beforeEach(() => {
  said = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    said.push(String(text));
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function boot(families: readonly Family[]) {
  const home = newHome();
  const uses = families.map((options, n) => {
    home.write(`family-${n}/index.mjs`, pluginSource({ id: `family-${n}` }));
    home.write(`family-${n}/devnet.mjs`, DEVNET);
    return `{ use: ./family-${n}/index.mjs, options: ${JSON.stringify(options)} }`;
  });
  const file = home.write('solver.yaml', `service: { network: local }\nplugins: [${uses.join(', ')}]\n`);
  const state = localState(home.path('.causeway'));
  writeFileSync(state.database, 'what was');
  const seeded = await bootChains({
    config: await loadConfig(file, { devnet: true, environment: {} }),
    // These chains have no process.
    keeper: { start: async () => {} },
    ...{ state, screen: new DevConsole(), signal: new AbortController().signal },
  });
  return { seeded, state, asides: readdirSync(state.folder).filter((name) => name.startsWith('stale-')) };
}

describe('what chains may not use', () => {
  it('is said, a line each, and they are served without it', async () => {
    const { seeded } = await boot([
      { fresh: false, chains: [{ id: 1, port: 0 }], leftOut: ['the pools of one: install them', 'its shop: open it'] },
    ]);
    expect(seeded.chains.map(({ id }) => id)).toEqual([1]);
    const lines = said.filter((line) => line.includes('OMITTED'));
    expect(lines).toEqual([
      expect.stringContaining('OMITTED: the pools of one: install them'),
      expect.stringContaining('OMITTED: its shop: open it'),
    ]);
  });
});

describe('the state of the service', () => {
  it('stays when all its chains are as they were', async () => {
    const { state, asides } = await boot([
      { fresh: false, chains: [] },
      { fresh: false, chains: [] },
    ]);
    expect(existsSync(state.database)).toBe(true);
    expect(asides).toEqual([]);
  });

  it.each([
    [true, false],
    [false, true],
  ])('is moved away when one family starts again and another does not (%s, %s)', async (first, second) => {
    const { state, asides } = await boot([
      { fresh: first, chains: [] },
      { fresh: second, chains: [] },
    ]);
    expect(existsSync(state.database)).toBe(false);
    expect(asides).toHaveLength(1);
    expect(said.join('')).toContain(`local chains of family-${first ? 0 : 1} start from scratch`);
  });
});

it('gives no port to two chains, however many each one takes', async () => {
  const port = await freePort(20_000 + Math.floor(Math.random() * 20_000), new Set(), 4);
  const { seeded } = await boot([
    { fresh: false, chains: [{ id: 1, port, ports: 2 }] },
    { fresh: false, chains: [{ id: 2, port: port + 1 }] },
  ]);
  expect(seeded.chains.map(({ rpcUrl }) => Number(new URL(rpcUrl).port))).toEqual([port, port + 2]);
});

it('refuses two chains with one id, and names the place', async () => {
  const chains = [
    { id: 7, port: 0 },
    { id: 7, port: 1 },
  ];
  await expect(boot([{ fresh: false, chains }])).rejects.toThrow(
    /solver\.yaml:2:\d+ \[family-0\].*chains: chain 7 is configured twice\n.*an id of its own/,
  );
});

it('gives no port to two builds that start at once', async () => {
  const port = await freePort(20_000 + Math.floor(Math.random() * 20_000), new Set(), 2);
  const both = await Promise.all([1, 2].map((id) => boot([{ fresh: false, chains: [{ id, port }] }])));
  const ports = both.flatMap(({ seeded }) => seeded.chains.map(({ rpcUrl }) => Number(new URL(rpcUrl).port)));
  expect(ports.sort()).toEqual([port, port + 1]);
});

it('leaves out chains that the machine cannot run, and says so', async () => {
  const { seeded, state } = await boot([
    { fresh: true, lacks: 'get it there', chains: [{ id: 1, port: 30_000 }] },
    { fresh: false, chains: [] },
    { fresh: false, lacks: 'no chain asks for it', chains: [] },
  ]);
  expect(seeded.leftOut).toEqual(['family-0']);
  expect([...seeded.options.keys()]).toEqual(['family-1', 'family-2']);
  expect(seeded.chains).toEqual([]);
  expect(said.join('')).toContain('OMITTED: the chains of family-0: get it there');
  expect(existsSync(state.database)).toBe(true);
});
