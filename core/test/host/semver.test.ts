import { describe, expect, it } from 'vitest';
import { satisfies } from '../../src/host/plugins/semver.js';

describe('satisfies', () => {
  it.each([
    ['0.1.5', '^0.1.0', true],
    ['0.2.0', '^0.1.0', false],
    ['1.9.0', '^1.2.3', true],
    ['1.2.2', '^1.2.3', false],
    ['2.0.0', '^1.2.3', false],
    ['0.0.3', '^0.0.3', true],
    ['0.0.4', '^0.0.3', false],
    ['1.2.9', '~1.2.3', true],
    ['1.3.0', '~1.2.3', false],
    ['1.9.9', '~1', true],
    ['1.2.3', '1.2.3', true],
    ['1.2.4', '1.2.3', false],
    ['1.2.4', '1.2', true],
    ['1.2.4', '1.x', true],
    ['3.0.0', '>=1.0.0 <2.0.0 || 3.x', true],
    ['2.5.0', '>= 1.0.0 <2.0.0 || 3.x', false],
    ['1.9.9', '>1', false],
    ['2.0.0', '>1', true],
    ['1.2.3', '>1.2.3', false],
    ['1.2.4', '>1.2.3', true],
    ['1.9.9', '<=1', true],
    ['2.0.0', '<=1', false],
    ['1.2.3', '<=1.2.3', true],
    ['1.2.4', '<=1.2.3', false],
    ['0.1.0', '*', true],
    ['0.1.0-beta.1', '^0.1.0', true],
  ])('%s within %s: %s', (version, range, expected) => {
    expect(satisfies(version, range)).toBe(expected);
  });

  it('does not guess at what it cannot read', () => {
    expect(satisfies('1.0.0', 'latest')).toBeUndefined();
    expect(satisfies('1.0.0', '')).toBeUndefined();
    expect(satisfies('1.0.0', '0.9.0 - 1.1.0')).toBeUndefined();
  });
});
