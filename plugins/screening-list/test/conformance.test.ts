import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Party } from '@causeway/core';
import { registerAlone, runConformance, type ScreenerHarness, screenerConformance } from '@causeway/core/testing';
import { expect, it } from 'vitest';
import { plugin } from '../src/index.js';

const party = (address: string, chainId = 1): Party => ({ chainId, address, role: 'user' });
const lineOf = ({ chainId, address }: Party): string => `${chainId} ${address} for a reason`;

async function harness(): Promise<ScreenerHarness> {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-screening-'));
  const file = join(folder, 'blocked.txt');
  const lines = new Set(['1 0xAB01', '1 bc1qxy', '7 TXyz', '* 0xee # of any chain']);
  const write = (text = [...lines].join('\n')) => {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  };
  write();
  const [screener] = registerAlone(plugin, { file }).screeners;
  if (screener === undefined) throw new Error('no screener was added');
  let asked = 0;
  return {
    lacks: {},
    screener,
    blocked: [party('0xab01'), party('bc1qxy'), party('TXyz', 7), party('0xee', 3)],
    clear: [party('0xab01', 7), party('TXyz'), party('txyz', 7), party('0xab0'), party('constructor')],
    fresh: () => {
      asked += 1;
      return party(`0xf${asked}`);
    },
    block: async (one) => {
      lines.add(lineOf(one));
      write();
    },
    unblock: async (one) => {
      lines.delete(lineOf(one));
      write();
    },
    away: async (on) => {
      if (!on) write();
      else if (asked % 2 === 0) rmSync(file);
      else write(`${[...lines].join('\n')}\nnonsense`);
    },
    dispose: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

it('keeps the contract of screeners on a real file', async () => {
  const report = await runConformance(screenerConformance, harness, { on: 'screening-list' });
  expect(report.cases.filter(({ outcome }) => outcome !== 'passed').map(({ name, reason }) => [name, reason])).toEqual(
    [],
  );
  expect(report.cases.length).toBeGreaterThan(6);
});
