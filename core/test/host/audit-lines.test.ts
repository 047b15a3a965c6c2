import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { account } from '../../src/domain/accounts.js';
import type { AuditPot, AuditReport } from '../../src/engine/index.js';
import { auditLines, DRIFTS } from '../../src/host/cli/audit-lines.js';

const POT: AuditPot = { account: 'depository:1:coin', ledger: '5', chain: '5', difference: '0', drift: null };
const MORE: AuditPot = { ...POT, chain: '7', difference: '2', drift: 'unrecordedInflow' };
const LESS: AuditPot = { ...POT, chain: '3', difference: '-2', drift: 'unrecordedOutflow' };

function report(pots: readonly AuditPot[], over: Partial<AuditReport> = {}): AuditReport {
  const nothing = {
    unsettled: 0,
    openHolds: 0,
    appBalances: { balance: '0', reserved: '0', available: '0', wrong: [] },
    addresses: [],
    requests: [],
    holds: [],
    lanes: [],
    orphans: [],
    sums: [],
  };
  const balanced = pots.every(({ difference }) => difference === '0');
  const covered = pots.every(({ difference }) => difference !== null && !difference.startsWith('-'));
  return { at: 1, balanced, covered, pots, ...nothing, ...over };
}

describe('what an operator reads of an audit', () => {
  it('is that the books balance', () => {
    const { lines, sound } = auditLines(report([POT]));
    expect(sound).toBe(true);
    expect(lines.at(-1)).toContain('the books balance: 1 pots, 0 with drift');
  });

  it('is of a surplus that it arrived and is not booked yet, which no one has to do anything about', () => {
    const { lines, sound } = auditLines(report([POT, MORE]));
    expect(sound).toBe(true);
    expect(lines.join('\n')).toMatch(/depository:1:coin +5 +7 +2 +arrived, not booked yet/);
    expect(lines.at(-1)).toContain(
      'the books balance, except for funds that arrived and are not booked yet: 2 pots, 1 with drift',
    );
  });

  it('is of a chain that was removed that its pots were not compared', () => {
    const removed = { ...POT, chain: null, difference: null, drift: 'chainNotConfigured' };
    const { lines, sound } = auditLines(report([POT, removed], { covered: true, balanced: true }));
    expect(sound).toBe(true);
    expect(lines.at(-1)).toContain(
      'the books balance: 2 pots, 0 with drift, 1 not compared because their chain is not configured',
    );
  });

  it('is of a deficit that something is missing, whatever arrived elsewhere', () => {
    const { lines, sound } = auditLines(report([MORE, LESS]));
    expect(sound).toBe(false);
    expect(lines.join('\n')).toMatch(/depository:1:coin +5 +3 +-2 +MISSING: left without a record/);
    expect(lines.at(-1)).toContain('THE BOOKS DO NOT BALANCE: 2 pots, 2 with drift, 1 of them short');
  });

  it('is of a deposit address that money is missing there, though its depository has enough', () => {
    const at = { chainId: 1, address: 'address-1', currency: 'coin', ledger: '5' };
    const moving = { ...at, chain: '0', difference: '-5', drift: 'inFlight' };
    const sound = auditLines(report([POT], { addresses: [moving] }));
    expect(sound.sound).toBe(true);
    expect(sound.lines.join('\n')).toMatch(/address-1 +coin +5 +0 +-5 +in flight: its sweep is not final/);
    const gone = { ...moving, drift: 'unrecordedOutflow' };
    const { lines, sound: isSound } = auditLines(report([POT], { covered: false, addresses: [gone] }));
    expect(isSound).toBe(false);
    expect(lines.join('\n')).toMatch(/address-1 +coin +5 +0 +-5 +MISSING: left without a record/);
    expect(lines.at(-1)).toContain(
      'THE BOOKS DO NOT BALANCE: 1 pots, 0 with drift, 1 paid deposit addresses, 1 of them short',
    );
  });

  it('is no verdict while a chain does not answer', () => {
    const silent: AuditPot = { ...POT, chain: null, difference: null, drift: 'chainUnreachable' };
    const { lines, sound } = auditLines(report([silent]));
    expect(sound).toBe(false);
    expect(lines.at(-1)).toContain('THE BOOKS DO NOT BALANCE');
    expect(lines.join('\n')).toContain('its chain did not answer');
  });

  it('is that accounts which do not sum to zero are no surplus', () => {
    const { sound } = auditLines(report([MORE], { covered: false, sums: [{ currency: '1:coin', sum: '1' }] }));
    expect(sound).toBe(false);
  });
});

describe('core/docs/audit.md', () => {
  const page = readFileSync(new URL('../../docs/audit.md', import.meta.url), 'utf8');

  it.each(Object.keys(DRIFTS))('explains the drift %s', (drift) => {
    expect(page).toContain(`\`${drift}\``);
  });

  it.each(Object.keys(account))('explains the account %s', (name) => {
    expect(page).toMatch(new RegExp(`^\\|[^|]*\`${name}\``, 'm'));
  });

  it('names the transaction of each hold, and what is in no book', () => {
    const place = {
      requestId: '0x1' as const,
      fundingKey: '1:0xabc:0',
      transactionHash: '0xabc',
      chainId: 1,
      currency: 'coin',
    };
    const one = { ...place, amount: '7', createdAt: 1 } as const;
    const paid = { ...one, id: 'hold:1', reason: 'MANUAL_REFUND_REQUIRED', payable: true } as const;
    const stray = { ...one, id: 'stray:1', reason: 'NOT_IN_A_POT', payable: false } as const;
    const text = auditLines(report([POT], { openHolds: 2, holds: [paid, stray] })).lines.join('\n');
    expect(text).toMatch(/hold:1 +1 +coin +7 +0xabc +MANUAL_REFUND_REQUIRED$/m);
    expect(text).toMatch(/stray:1 +1 +coin +7 +0xabc +NOT_IN_A_POT: in no book, its release pays no one$/m);
  });

  it('names no drift that the engine does not know', () => {
    const engine = readFileSync(new URL('../../src/engine/operator/audit.ts', import.meta.url), 'utf8');
    for (const drift of Object.keys(DRIFTS)) expect(engine).toContain(`'${drift}'`);
  });
});
