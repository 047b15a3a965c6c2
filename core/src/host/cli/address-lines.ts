import type {
  AddressDetail,
  AddressSweep,
  AddressTransfer,
} from '../../capabilities/deposit-addresses/address-detail.js';
import type { ListedAddress } from '../../capabilities/deposit-addresses/list-addresses.js';
import { section } from './section.js';

const time = (at: number): string => new Date(at).toISOString();

/** `8453  0x5b…  open  hot  key_1  request 0x3c…  2 transfers  unswept 5000000 0x83…`. */
export function addressLine(address: ListedAddress): string {
  const { chainId, type, keyId, requestId, transfers, unswept, createdAt } = address;
  const parts = [
    ...[String(chainId), address.address, type, address.hot ? 'hot' : 'hourly', keyId ?? 'no key', time(createdAt)],
    ...[`request ${requestId}`, `${transfers} ${transfers === 1 ? 'transfer' : 'transfers'}`],
    ...unswept.map(({ currency, amount }) => `unswept ${amount} ${currency}`),
  ];
  return parts.join('  ');
}

export function detailLines(detail: AddressDetail): readonly string[] {
  const { chainId, address, type, keyId, requestId, createdAt, hotUntil, hot, transferCount, transfers } = detail;
  const left = transferCount - transfers.length;
  return [
    `${address} on chain ${chainId}: ${type}, made ${time(createdAt)} for request ${requestId} with ${keyId ?? 'no key'}`,
    hot
      ? `polled with every block until ${time(hotUntil)}`
      : 'polled hourly; with every block again: `causeway addresses reindex`',
    '',
    ...section(
      'requests',
      ['request', 'status', 'fail reason', 'refund fail reason', 'made'],
      detail.requests.map((one) => [
        ...[one.id, one.status, one.failReason ?? '-', one.refundFailReason ?? '-', time(one.createdAt)],
      ]),
    ),
    ...section(
      left > 0 ? `transfers, without the ${left} oldest` : 'transfers',
      ['transfer', 'transaction', 'currency', 'amount', 'state', 'decision', 'sweep'],
      transfers.map((one) => [
        ...[one.fundingKey, one.transactionHash === '' ? '-' : one.transactionHash, one.currency, one.amount],
        ...[one.state, one.decision, sweepText(one)],
      ]),
    ),
    ...section(
      'balances now',
      ['currency', 'symbol', 'balance', 'ledger'],
      detail.balances.map(({ currency, symbol, balance, ledger }) => [currency, symbol, balance ?? 'unknown', ledger]),
    ),
    ...section(
      'held for an operator',
      ['hold', 'currency', 'amount', 'reason'],
      detail.holds.map(({ id, currency, amount, reason }) => [id, currency, amount, reason]),
    ),
  ];
}

function sweepText({ sweep, sweptAt }: AddressTransfer): string {
  if (sweptAt !== null) return `swept ${time(sweptAt)}`;
  if (sweep === null) return '-';
  const { state, reason, reverts, closings, releasedBy, attempts } = sweep;
  const parts = [
    state === 'owed' ? `owed, next attempt ${time(sweep.dueAt)}` : state,
    ...(releasedBy === 'operator' ? ['requested'] : []),
    ...(reason === null ? [] : [`refused: ${reason}`]),
    ...(reverts + closings > 0 ? [triesText(sweep)] : []),
    ...attempts.map(({ hash, state: its }) => `${hash} ${its}`),
  ];
  return parts.join(', ');
}

function triesText({ reverts, closings, spent }: AddressSweep): string {
  return `${reverts} reverted and ${closings} unincluded for ${spent} of gas`;
}
