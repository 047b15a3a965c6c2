import { mkdtempSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Party } from '@causeway/core';
import { registerAlone } from '@causeway/core/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { plugin } from '../src/index.js';
import { ListError, parseList } from '../src/parse-list.js';

describe('a list', () => {
  it('names addresses of one chain or of all, with a reason or none', () => {
    const list = parseList('\uFEFF# remark\r\n\n1 0xAB court order  12/345\r\n  * bc1qar0 \n7 Tx9\n');
    expect(list.size).toBe(3);
    expect(list.reasonOf(1, '0xab')).toBe('court order 12/345');
    expect(list.reasonOf(1, '0xAb')).toBe('court order 12/345');
    expect(list.reasonOf(2, '0xab')).toBeUndefined();
    expect([list.reasonOf(1, 'bc1qar0'), list.reasonOf(2, 'bc1qar0')]).toEqual(['listed', 'listed']);
    expect([list.reasonOf(7, 'Tx9'), list.reasonOf(7, 'tx9')]).toEqual(['listed', undefined]);
  });

  it('takes the first of two lines for one address, and may be empty', () => {
    expect(parseList('1 a one\n1 a two').reasonOf(1, 'a')).toBe('one');
    expect(parseList('').size).toBe(0);
  });

  it.each([
    ['ethereum 0xab', 'line 1: begins with "ethereum", neither a chain id nor *'],
    ['# fine\n\n0 0xab', 'line 3: begins with "0", neither a chain id nor *'],
    ['0xab', 'line 1: begins with "0xab", neither a chain id nor *'],
    ['1 a\n1', 'line 2: names no address'],
    ['1 a\n* caf\u00e9 x', 'line 2: "caf\u00e9" is no address'],
    [`1 a ${'x'.repeat(201)}`, 'line 1: a reason has at most 200 characters'],
    ['1,0xab,why', 'line 1: begins with "1,0xab,why", neither a chain id nor *'],
  ])('%j is refused with its line', (text, message) => {
    expect(() => parseList(text)).toThrow(ListError);
    expect(() => parseList(text)).toThrow(message);
  });
});

describe('the plugin', () => {
  let folder: string;
  let file: string;
  const party = (address: string, chainId = 1): Party => ({ chainId, address, role: 'user' });
  const over = new AbortController().signal;
  const replace = (text: string) => {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  };
  const screener = () => {
    const [one] = registerAlone(plugin, { file }).screeners;
    if (!one) throw new Error('no screener was added');
    return one;
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'causeway-screening-'));
    file = join(folder, 'blocked.txt');
    writeFileSync(file, '1 0xBAD sanctioned\n');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('blocks who is listed, and says why', async () => {
    expect(await screener().screen([party('0xok'), party('0xbad'), party('0xbad', 2)], over)).toEqual([
      { blocked: false },
      { blocked: true, reason: 'sanctioned' },
      { blocked: false },
    ]);
  });

  it('follows the file from one question to the next, whole or not at all', async () => {
    const one = screener();
    replace('1 0xother\n');
    expect(await one.screen([party('0xother'), party('0xbad')], over)).toMatchObject([
      { blocked: true },
      { blocked: false },
    ]);
    replace('1 0xother\nnonsense\n');
    await expect(one.screen([party('0xother')], over)).rejects.toThrow('line 2');
    unlinkSync(file);
    await expect(one.screen([party('0xok')], over)).rejects.toThrow('ENOENT');
    replace('* 0xok\n');
    expect(await one.screen([party('0xok', 5)], over)).toMatchObject([{ blocked: true }]);
  });

  it('answers any number of questions at once about the file as it is when they are asked', async () => {
    const one = screener();
    for (let n = 0; n < 20; n += 1) {
      replace(`1 0x${n}\n`);
      const answers = await Promise.all(Array.from({ length: 20 }, () => one.screen([party(`0x${n}`)], over)));
      for (const answer of answers) expect(answer).toMatchObject([{ blocked: true }]);
    }
  });

  it('is a wrong option where the file is not there or has a line that says nothing', () => {
    writeFileSync(file, '1 0xbad\nnonsense here\n');
    expect(() => registerAlone(plugin, { file })).toThrow(/blocked\.txt: line 2: begins with "nonsense"/);
    unlinkSync(file);
    expect(() => registerAlone(plugin, { file })).toThrow(/ENOENT/);
    expect(() => registerAlone(plugin, {})).toThrow(/file/);
  });
});
