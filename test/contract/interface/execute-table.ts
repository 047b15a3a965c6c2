import { expect } from 'vitest';
import { hashKey } from '../../../core/src/api/key-format.js';
import { apiKeyRow } from '../../../core/src/testing/store-fixtures.js';
import { address } from '../../../core/test/api/support/chain-double.js';
import { hash } from '../../../core/test/api/support/rows.js';
import { withKey } from '../../../core/test/api/support/running-api.js';
import type { Ask, Table } from './table.js';

const EXECUTE = 'POST /execute';
type Body = Readonly<Record<string, unknown>>;
const DATA = { chainId: 1, to: address('1'), data: '0xab', value: '0' };
const GOOD: Body = { executionKind: 'rawCalls', data: DATA };
const AUTHORIZATION = { chainId: 1, address: address('9'), nonce: 0, yParity: 0, r: '0x1', s: '0x2' };

/** Valid, and so refused only because gasless execution comes later. */
const notServed = (change: Body = {}): Ask => ({
  call: EXECUTE,
  body: { ...GOOD, ...change },
  status: 400,
  has: { errorCode: 'UNSUPPORTED_EXECUTION_TYPE', message: 'Gasless execution is not served', retriable: false },
});
const wrong = (change: Body, field: string): Ask => ({
  call: EXECUTE,
  body: { ...GOOD, ...change },
  status: 400,
  has: { errorCode: 'INVALID_REQUEST', errorData: { field } },
});

export const EXECUTE_HEADERS: Table = {
  title: 'POST /execute, headers',
  endpoint: EXECUTE,
  where: 'header',
  rows: [
    {
      name: 'x-api-key',
      rule: 'required',
      asks: [
        { call: EXECUTE, as: 'noOne', body: GOOD, status: 401, has: { errorCode: 'UNAUTHORIZED' } },
        { call: EXECUTE, as: 'noOne', headers: { 'x-api-key': 'guess' }, body: GOOD, status: 401 },
        notServed(),
      ],
      shows: async ({ open }) => {
        const api = await open({});
        const secret = 'a-key-that-may-quote-0123456789';
        const row = apiKeyRow(3, { hash: hashKey(secret), scopes: '["quote"]' });
        await api.store.apply({ name: 'test.key', changes: [{ op: 'insert', table: 'apiKeys', row }] });
        const reply = await api.call('POST', '/execute', { body: GOOD, headers: { 'x-api-key': secret } });
        expect(reply).toMatchObject({ status: 403, body: { errorCode: 'FORBIDDEN' } });
      },
    },
    {
      name: 'Content-Type',
      rule: 'application/json; the body is read as JSON',
      asks: [{ ...notServed(), headers: { 'content-type': 'application/json' } }],
      shows: async ({ api }) => {
        const reply = await api.call('POST', '/execute', { raw: '{"executionKind": ', ...withKey });
        expect(reply).toMatchObject({ status: 400, body: { errorCode: 'INVALID_REQUEST' } });
      },
    },
  ],
};

export const EXECUTE_BODY: Table = {
  title: 'POST /execute, body',
  endpoint: EXECUTE,
  where: 'body',
  rows: [
    {
      name: 'requestId',
      type: 'string',
      rule: 'optional',
      asks: [notServed({ requestId: hash(1) }), wrong({ requestId: 5 }, 'requestId')],
    },
    {
      name: 'executionKind',
      type: 'string',
      rule: 'rawCalls',
      asks: [
        notServed(),
        wrong({ executionKind: 'calls' }, 'executionKind'),
        wrong({ executionKind: undefined }, 'executionKind'),
      ],
    },
    {
      name: 'data',
      type: 'object',
      rule: 'chainId, to, data, value; authorizationList optional and not empty',
      asks: [
        notServed({ data: { ...DATA, authorizationList: [AUTHORIZATION] } }),
        wrong({ data: undefined }, 'data'),
        wrong({ data: { ...DATA, chainId: '1' } }, 'data.chainId'),
        wrong({ data: { ...DATA, to: undefined } }, 'data.to'),
        wrong({ data: { ...DATA, data: '0xa' } }, 'data.data'),
        wrong({ data: { ...DATA, value: '1.5' } }, 'data.value'),
        wrong({ data: { ...DATA, authorizationList: [] } }, 'data.authorizationList'),
      ],
    },
    {
      name: 'executionOptions',
      type: 'object',
      rule: 'optional',
      asks: [
        notServed({ executionOptions: { referrer: 'shop', subsidizeFees: true, more: 1 } }),
        wrong({ executionOptions: 'all' }, 'executionOptions'),
      ],
    },
  ],
};

/** Not served yet: every valid call is refused with that. */
export const EXECUTE_RULES: Table = {
  title: 'POST /execute, answers and rules',
  endpoint: EXECUTE,
  where: 'rule',
  rows: [
    '200: message, requestId',
    '400 of a reverting simulation: error, message, requestId, details',
    'details: topLevel, innermost, path, revert',
    'UNKNOWN_CUSTOM_ERROR_<selector> for an unmapped selector',
    'sponsoring needs a linked funding address and a funded app balance',
    'no dependence on tx.origin; a msg.sender that matters is a smart wallet',
    'a user operation as handleOps has zero maxFeePerGas and maxPriorityFeePerGas',
  ].map((name) => ({ name, rule: 'gasless execution is not served yet, and says so', asks: [notServed()] })),
};
