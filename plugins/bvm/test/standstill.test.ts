import { RpcError } from '@causeway/core/rpc';
import { expect, it } from 'vitest';
import { chainConfig } from '../src/chain-config.js';
import { Standstill } from '../src/watch/standstill.js';
import { services } from './support/services.js';

const HOUR_MS = 3_600_000;
const NOON_MS = 1_700_000_000_000;

interface Node {
  blocks: number;
  headers: number;
  peers: number | undefined;
  /** Unix milliseconds. */
  minedAt: number;
}

function scene(needsPeers = true, silenceMs = 2.5 * HOUR_MS) {
  const node: Node = { blocks: 100, headers: 100, peers: 8, minedAt: NOON_MS };
  let now = NOON_MS;
  const noted: string[] = [];
  const request = async (method: string) => {
    const { blocks, headers, peers, minedAt } = node;
    if (method === 'getblockchaininfo')
      return { blocks, headers, bestblockhash: `block ${blocks}`, time: minedAt / 1_000, mediantime: 0 };
    if (peers === undefined) throw new RpcError('not served', -32_601, null);
    return peers;
  };
  const provider = { index: 0, name: 'node', rpc: { request } };
  const providers = {
    active: () => provider,
    read: () => void noted.push('read'),
    unread: (_: string, __: unknown, { message }: Error) => void noted.push(message),
  };
  const clock = { ...services().clock, now: () => now };
  const standstill = new Standstill({ providers, needsPeers, silenceMs, clock } as never);
  const look = async () => {
    await standstill.look();
    return noted.at(-1);
  };
  return {
    node,
    look,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

it('finds a node that does not validate the blocks that exist', async () => {
  const { node, look } = scene();
  expect(await look()).toBe('read');
  node.headers += 3;
  expect(await look()).toBe('read');
  node.headers += 1;
  expect(await look()).toBe('is catching up, at block 100 of 104');
  node.blocks = node.headers;
  expect(await look()).toBe('read');
});

it('finds a node without peers, where it needs some and reports how many it has', async () => {
  const { node, look } = scene();
  node.peers = 0;
  expect(await look()).toBe('has no peers');
  node.peers = undefined;
  expect(await look()).toBe('read');
  const local = scene(false, 0);
  local.node.peers = 0;
  local.pass(1_000 * HOUR_MS);
  expect(await local.look()).toBe('read');
});

it('finds a chain without blocks, also from before the start', async () => {
  const { node, look, pass } = scene();
  pass(2 * HOUR_MS);
  expect(await look()).toBe('read');
  pass(HOUR_MS);
  expect(await look()).toBe('no new block for 180 minutes');
  node.blocks = 101;
  node.headers = 101;
  expect(await look()).toBe('read');
  pass(2 * HOUR_MS);
  expect(await look()).toBe('read');
});

it('limits the time without blocks on main networks only, unless one is set', () => {
  const silenceOf = (network: 'bitcoin' | 'bitcoin-testnet4' | 'bitcoin-regtest', more: object = {}) => {
    const options = { id: 1, name: 'one', displayName: 'One', network, rpc: [{ http: 'http://127.0.0.1:1' }] };
    const environment = { bitcoin: 'mainnet', 'bitcoin-testnet4': 'testnet', 'bitcoin-regtest': 'local' } as const;
    return chainConfig({ ...options, watch: more }, environment[network], 0).watch.silenceMs;
  };
  expect(silenceOf('bitcoin')).toBe(2.5 * HOUR_MS);
  expect(silenceOf('bitcoin-testnet4')).toBe(0);
  expect(silenceOf('bitcoin-regtest')).toBe(0);
  expect(silenceOf('bitcoin-regtest', { silenceHours: 1 })).toBe(HOUR_MS);
});
