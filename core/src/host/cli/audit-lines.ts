import type { AuditPot, AuditReport } from '../../engine/index.js';
import { section } from './section.js';

export interface AuditText {
  readonly lines: readonly string[];
  readonly sound: boolean;
}

export function auditLines(report: AuditReport): AuditText {
  const { requests, holds, lanes, orphans } = report;
  const halted = lanes.filter((lane) => lane.halted !== null);
  const sound = report.covered && holds.length === 0 && halted.length === 0 && orphans.length === 0;
  const lines = [
    ...section('pots', ['account', 'ledger', 'chain', 'difference', 'drift'], report.pots.map(potCells)),
    ...section(
      'deposit addresses with money that is not swept',
      ['chain', 'address', 'currency', 'ledger', 'balance', 'difference', 'drift'],
      report.addresses.map(({ chainId, address, currency, ledger, chain, difference, drift }) => [
        ...[String(chainId), address, currency, ledger, chain ?? '-', difference ?? '-'],
        drift === 'inFlight' ? 'in flight: its sweep is not final' : driftText(drift),
      ]),
    ),
    ...section(
      'app balances that differ from reserved plus available, micro-USD',
      ['integrator', 'balance', 'reserved', 'available'],
      report.appBalances.wrong.map((one) => [one.integratorId, one.balance, one.reserved, one.available]),
    ),
    ...section('currencies whose accounts do not sum to zero', ['currency', 'sum'], unbalanced(report)),
    ...section(
      'lanes',
      ['lane', 'position', 'open keys', 'state'],
      lanes.map(({ id, position, openKeys, halted: why }) => [
        id,
        position,
        String(openKeys),
        why === null ? 'runs' : `HALTED: ${why}`,
      ]),
    ),
    ...section(
      'not settled',
      ['request', 'status', 'since', 'route', 'why'],
      requests.map((request) => [
        request.id,
        request.status,
        new Date(request.since).toISOString(),
        `${request.originChainId} -> ${request.destinationChainId}`,
        request.why,
      ]),
    ),
    ...(report.unsettled > requests.length ? [`  … and ${report.unsettled - requests.length} more`, ''] : []),
    ...section(
      'held for an operator',
      ['hold', 'chain', 'currency', 'amount', 'transaction', 'reason'],
      holds.map((hold) => [
        ...[hold.id, String(hold.chainId), hold.currency, hold.amount, hold.transactionHash],
        hold.payable ? hold.reason : `${hold.reason}: in no book, its release pays no one`,
      ]),
    ),
    ...section(
      'not served by this config',
      ['what', 'count'],
      orphans.map(({ what, count }) => [what, String(count)]),
    ),
    summary(report, halted.length),
  ];
  return { lines, sound };
}

export const DRIFTS: Readonly<Record<string, string>> = {
  unrecordedInflow: 'arrived, not booked yet',
  unrecordedOutflow: 'MISSING: left without a record',
  inFlight: 'in flight: transactions of the lane are open',
  laneHalted: 'a lane of the chain is halted',
  chainUnreachable: 'its chain did not answer',
  chainNotConfigured: 'its chain is not configured',
  currencyNotConfigured: 'its currency is not configured',
};

function potCells({ account, ledger, chain, difference, drift }: AuditPot): readonly string[] {
  return [account, ledger, chain ?? '-', difference ?? '-', driftText(drift)];
}

function driftText(drift: string | null): string {
  return drift === null ? '' : (DRIFTS[drift] ?? drift);
}

function unbalanced({ sums }: AuditReport): readonly (readonly string[])[] {
  return sums.filter(({ sum }) => sum !== '0').map(({ currency, sum }) => [currency, sum]);
}

function summary(report: AuditReport, halted: number): string {
  const { pots, unsettled, holds, addresses } = report;
  const drifting = pots.filter(({ drift }) => drift !== null && drift !== 'chainNotConfigured').length;
  const short = pots.filter(({ difference }) => difference?.startsWith('-')).length;
  const removed = pots.filter(({ drift }) => drift === 'chainNotConfigured').length;
  const counts =
    `${pots.length} pots, ${drifting} with drift${short > 0 ? `, ${short} of them short` : ''}` +
    (removed > 0 ? `, ${removed} not compared because their chain is not configured` : '');
  const missing = addresses.filter(({ drift }) => drift === 'unrecordedOutflow').length;
  const paid =
    addresses.length === 0
      ? ''
      : `, ${addresses.length} paid deposit addresses${missing > 0 ? `, ${missing} of them short` : ''}`;
  return `${verdict(report)}: ${counts}${paid}; ${unsettled} requests not settled, ${holds.length} holds, ${halted} halted lanes`;
}

function verdict({ balanced, covered }: AuditReport): string {
  if (!covered) return 'THE BOOKS DO NOT BALANCE';
  return balanced ? 'the books balance' : 'the books balance, except for funds that arrived and are not booked yet';
}
