import { describe, expect, it } from 'vitest';
import { REASONS } from '../crash/unreached.js';
import { discoverPoints, discoverSets } from '../support/crash-discovery.js';
import { occurrences, repositoryFiles } from '../support/repository.js';

const product = repositoryFiles(/^(core|plugins\/[^/]+)\/src\/.*\.ts$/);
/** Where `ports.test.ts` allows opening sockets, by purpose. */
const HOST_SOCKETS = /^core\/src\/host\/(http-server|socket-lock|cli\/admin-client|demo\/|dev\/|doctor\/)/;

describe('crash points are found in the code', () => {
  it('knows the durable steps and the external calls', () => {
    const points = discoverPoints();
    expect(points).toContain('store.engine.settle.sign.before');
    expect(points).toContain('store.quoting.persist.after');
    expect(points).toContain('chain.send.after');
    expect(points).toContain('chain.watchDeposits.after');
    expect(points).not.toContain('store.views.before');
    expect(points.length).toBeGreaterThan(60);
  });

  it('every reason for a point that no flow reaches is about a point, and every alternative of it', () => {
    const points = discoverPoints();
    const matches = (pattern: RegExp) => points.some((point) => pattern.test(point));
    const lost = REASONS.flatMap(([{ source }]) => {
      const [, before, list, after] = /^(.*?)\(([^()]*)\)(.*)$/.exec(source) ?? [];
      const each = list === undefined ? [source] : list.split('|').map((one) => `${before}${one}${after}`);
      return each.filter((one) => !matches(new RegExp(one)));
    });
    expect(lost).toEqual([]);
  });

  it('every change set is named by a literal, so that discovery sees it', () => {
    expect(discoverSets().nameless).toEqual([]);
  });

  it('a name made up at run time is reported', () => {
    const text = "commit(context, `engine.${what}`, unit); store.apply({ name, changes: [] }); commit(c, 'a.b', u);";
    expect(discoverSets([{ path: 'core/src/x.ts', text }])).toEqual({
      names: ['a.b'],
      nameless: [
        { where: 'core/src/x.ts', name: '`engine.${what}`' },
        { where: 'core/src/x.ts', name: 'name' },
      ],
    });
  });

  it('a name that a function of the same file hands on is followed to its callers', () => {
    const text = "const apply = (name, part) => commit(context, name, part); apply('a.b', 1); apply(other, 2);";
    expect(discoverSets([{ path: 'core/src/x.ts', text }])).toEqual({
      names: ['a.b'],
      nameless: [{ where: 'core/src/x.ts', name: 'other' }],
    });
  });

  it('and from caller to caller, if it is passed on', () => {
    const text =
      'const again = (name) => { store.apply({ name, changes: [] }); again(name); }; ' +
      "const first = (name) => again(name); first('a.b'); first('c.d');";
    expect(discoverSets([{ path: 'core/src/x.ts', text }])).toEqual({ names: ['a.b', 'c.d'], nameless: [] });
  });

  it('change sets are applied only where they are named', () => {
    const applied = occurrences(product, /\bstore\.apply\((?!\{( name: '|$))/).map((line) => line.split(':')[0]);
    expect(applied.filter((path) => !path?.startsWith('core/src/testing/'))).toEqual([
      // Each command under the name that it gives; discovery follows it there.
      'core/src/api/key-directory.ts',
      // One row under the name that it is given.
      'core/src/domain/meta-rows.ts',
      // A unit of work under the name given to `commit`; the lease keeper adds its fence.
      'core/src/engine/operator/operator.ts',
      'core/src/leases/lease-keeper.ts',
    ]);
  });
});

describe('the outside is reached through ports alone', () => {
  it('transactions leave a chain plugin through the submitter, behind `send`', () => {
    const files = product.filter((file) => !file.path.includes('/devnet/'));
    const sends = occurrences(files, /eth_send(Raw)?Transaction/).map((line) => line.split(':')[0]);
    expect(new Set(sends)).toEqual(new Set(['plugins/evm/src/submitter.ts']));
  });

  it('the host opens sockets only to serve, to command a service, to lock a folder and for local chains', () => {
    const host = product.filter((file) => file.path.startsWith('core/src/host/') && !HOST_SOCKETS.test(file.path));
    const sockets = /^import (?!type\b).*from ['"](node:)?(net|tls|http|https|http2|dgram|dns)['"]|\bfetch\(/;
    expect(occurrences(host, sockets)).toEqual([]);
  });

  it('a port enters the host through a registry or the embedded store, where its crash points are made', () => {
    const host = product.filter((file) => file.path.startsWith('core/src/'));
    const made = occurrences(host, /\bsqliteStore\(/).map((line) => line.split(':')[0]);
    const elsewhere = made.filter((path) => !/^core\/src\/(testing|store)\//.test(path ?? ''));
    expect(elsewhere).toEqual(['core/src/host/compose-store.ts']);
  });
});
