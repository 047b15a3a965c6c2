import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ChainAdapter, ChangeSet, Store } from '../../src/contract/index.js';
import { crashPoints } from '../../src/host/crash-points.js';
import { createLogger } from '../../src/observability/logger.js';
import { Redactor } from '../../src/observability/redactor.js';

const log = createLogger({ level: 'silent', redactor: new Redactor() });
const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
const set = (name: string): ChangeSet => ({ name, changes: [] });

afterEach(() => void kill.mockClear());

/** Reports the kills so far at each call. */
function store(seen: number[] = []): Store {
  const report = async () => void seen.push(kill.mock.calls.length);
  const apply = () => report().then(() => ({ ok: true }));
  return { apply, prune: report, lanes: report } as unknown as Store;
}

const at = (point: string, network: 'local' | 'mainnet' | 'testnet' = 'local') =>
  crashPoints({ at: point, log: undefined }, network, log);

describe('crash points', () => {
  it('end the process at the n-th reach of the named point and nowhere else', async () => {
    const port = at('store.engine.sign.before:2')('stores', store());
    await port.apply(set('engine.send'));
    await port.apply(set('engine.sign'));
    expect(kill).not.toHaveBeenCalled();
    await port.apply(set('engine.sign'));
    expect(kill).toHaveBeenCalledExactlyOnceWith(process.pid, 'SIGKILL');
    await port.apply(set('engine.sign'));
    expect(kill).toHaveBeenCalledOnce();
  });

  it.each([
    ['before', 1],
    ['after', 0],
  ])('lie %s the call', async (side, endedByThen) => {
    const seen: number[] = [];
    await at(`store.engine.sign.${side}`)('stores', store(seen)).apply(set('engine.sign'));
    expect(seen).toEqual([endedByThen]);
    expect(kill).toHaveBeenCalledOnce();
  });

  it('lie after calls that fail too: what they did may have been done', async () => {
    const failing = { send: () => Promise.reject(new Error('no line')) } as unknown as ChainAdapter;
    const port = at('chain.send.after')('chains', failing);
    await expect(port.send({ bytes: '0x', hash: '0x' })).rejects.toThrow('no line');
    expect(kill).toHaveBeenCalledOnce();
  });

  it('are written down in order, reads of our own store left out', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'causeway-points-'));
    const file = join(folder, 'reached');
    const port = crashPoints({ at: undefined, log: file }, 'local', log)('stores', store());
    await port.lanes();
    await port.apply(set('engine.sign'));
    await port.prune(0);
    const names = readFileSync(file, 'utf8').replaceAll(/^\d+ /gm, '').trimEnd().split('\n');
    expect(names).toEqual([
      'store.engine.sign.before',
      'store.engine.sign.after',
      'store.prune.before',
      'store.prune.after',
    ]);
    rmSync(folder, { recursive: true });
  });

  it.each(['mainnet', 'testnet'] as const)('are ignored on %s', (network) => {
    const port = store();
    expect(at('store.engine.sign.before', network)('stores', port)).toBe(port);
  });

  it('cost nothing where none is asked for', () => {
    const port = store();
    expect(crashPoints({ at: '', log: undefined }, 'local', log)('stores', port)).toBe(port);
  });
});
