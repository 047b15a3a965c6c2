import { describe, expect, it } from 'vitest';
import { SealError, Sealer } from '../../src/events/endpoints/sealer.js';
import { SeededRandom } from '../../src/testing/seeded-random.js';

const sealer = (...keys: readonly string[]) => new Sealer(keys, new SeededRandom(1));

describe('secrets of endpoints', () => {
  it('are opened by any client that has the key, for the endpoint that they were sealed for', () => {
    const one = sealer('a key of the operator, thirty-two long');
    const sealed = one.seal('we_1', 'whsec_hush');
    expect(sealed).not.toContain('hush');
    expect(one.open('we_1', sealed)).toBe('whsec_hush');
    expect(one.seal('we_1', 'whsec_hush')).not.toBe(sealed);
    expect(() => one.open('we_2', sealed)).toThrow(SealError);
  });

  it('cannot be opened with another key, or once something of them changed', () => {
    const sealed = sealer('first').seal('we_1', 'whsec_hush');
    expect(() => sealer('second').open('we_1', sealed)).toThrow(/not configured/);
    const [name, rest = ''] = sealed.split('.');
    const bytes = Buffer.from(rest, 'base64url');
    for (const at of [0, 12, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      const text = `${name}.${changed.toString('base64url')}`;
      expect(() => sealer('first').open('we_1', text)).toThrow(SealError);
    }
    for (const text of ['', name ?? '', `${name}.`, `${name}.x`])
      expect(() => sealer('first').open('we_1', text)).toThrow(SealError);
  });

  it('are sealed with the newest key, and known to be older', () => {
    const old = sealer('old').seal('we_1', 'hush');
    const both = sealer('new', 'old');
    expect([both.open('we_1', old), both.isOld(old)]).toEqual(['hush', true]);
    expect(both.isOld(both.seal('we_1', 'hush'))).toBe(false);
    expect(sealer().canSeal).toBe(false);
    expect(() => sealer().seal('we_1', 'hush')).toThrow(/no key/);
  });
});
