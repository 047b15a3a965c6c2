import { describe, expect, it } from 'vitest';
import { REQUEST_STATUSES } from '../../src/domain/transitions.js';
import {
  publicFailReason,
  type StatusEventData,
  statusEvent,
  transactionHashes,
} from '../../src/events/status-event.js';
import { requestRow, transactionRow } from '../../src/testing/store-fixtures.js';

const FAILING = ['failure', 'fallback', 'refund'];

describe('the reason of a failure', () => {
  it.each(REQUEST_STATUSES.map((status) => [status]))('is shown for %s if it is a failing one', (status) => {
    const failing = FAILING.includes(status);
    expect(publicFailReason(status, 'SLIPPAGE')).toBe(failing ? 'SLIPPAGE' : 'N/A');
    expect(publicFailReason(status, null)).toBe(failing ? 'UNKNOWN' : 'N/A');
  });
});

describe('a status event', () => {
  const request = requestRow(1, { status: 'refund', failReason: 'DOUBLE_SPEND', details: 'why', referrer: 'me' });
  const rows = [
    transactionRow(1, { role: 'deposit', hash: '0xin' }),
    transactionRow(2, { role: 'failed', hash: '0xfailed' }),
    transactionRow(3, { role: 'fill', hash: '0xfill' }),
    transactionRow(4, { role: 'refund', hash: '0xrefund' }),
  ];
  const event = statusEvent(request, rows, 3, 77);
  const payload = JSON.parse(event.payload) as { event: string; timestamp: number; data: StatusEventData };

  it('is named by its request and its number', () => {
    expect(event).toMatchObject({ id: `${request.id}:3`, requestId: request.id, sequence: 3, createdAt: 77 });
  });

  it('reports hashes by side, without failed fills', () => {
    expect(payload).toMatchObject({ event: 'request.status.updated', timestamp: 77 });
    expect(payload.data).toMatchObject({
      requestId: request.id,
      parentRequestId: null,
      status: 'refund',
      inTxHashes: ['0xin'],
      txHashes: ['0xfill', '0xrefund'],
      updatedAt: 77,
      originChainId: 901,
      destinationChainId: 902,
      failReason: 'DOUBLE_SPEND',
      refundFailReason: 'N/A',
      details: 'why',
      depositAddress: null,
      referrer: 'me',
    });
  });

  it('names the deposit address, who paid it and by which transaction', () => {
    const depositAddress = { address: '0xaddress', type: 'open', salt: request.id, recoveryAddress: '0xrecovery' };
    const paid = requestRow(1, {
      ...{ status: 'pending', depositor: '0xpayer', depositAddress: '0xaddress' },
      body: JSON.stringify({ depositAddress }),
    });
    const viewOf = (some: typeof rows) => (JSON.parse(statusEvent(paid, some, 3, 77).payload) as typeof payload).data;
    const address = { address: '0xaddress', depositAddressType: 'open', depositor: '0xpayer' };
    expect(viewOf(rows).depositAddress).toEqual({ ...address, depositTxHash: '0xin' });
    expect(viewOf([]).depositAddress).toEqual({ ...address, depositTxHash: null });
  });

  it('leaves out deposits that were replaced once another stands, and names them where none does', () => {
    const replaced = transactionRow(5, { role: 'deposit', hash: '0xreplaced', status: 'failure' });
    expect(transactionHashes([replaced, ...rows]).in).toEqual(['0xin']);
    expect(transactionHashes([replaced]).in).toEqual(['0xreplaced']);
  });

  it('reports why a refund failed when it did', () => {
    const held = requestRow(1, { status: 'failure', refundFailReason: 'AMOUNT_TOO_LOW_TO_REFUND' });
    const { data } = JSON.parse(statusEvent(held, [], 1, 1).payload) as { data: StatusEventData };
    expect(data).toMatchObject({ failReason: 'UNKNOWN', refundFailReason: 'AMOUNT_TOO_LOW_TO_REFUND' });
  });
});
