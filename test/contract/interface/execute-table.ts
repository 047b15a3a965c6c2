import { expect } from 'vitest';
import { hashKey } from '../../../core/src/api/key-format.js';
import type { CallRevert } from '../../../core/src/contract/call-revert.js';
import { apiKeyRow } from '../../../core/src/testing/store-fixtures.js';
import { address, EXECUTOR } from '../../../core/test/api/support/chain-double.js';
import { hash } from '../../../core/test/api/support/rows.js';
import { withKey } from '../../../core/test/api/support/running-api.js';
import { callsDouble, revertOf } from '../../../core/test/api/support/sponsor.js';
import { type Ask, type Table, test } from './table.js';
import type { World } from './world.js';

const EXECUTE = 'POST /execute';
type Body = Readonly<Record<string, unknown>>;
const DATA = { chainId: 1, to: address('1'), data: '0xab', value: '0' };
const GOOD: Body = { executionKind: 'rawCalls', data: DATA };
const AUTHORIZATION = {
  chainId: 1,
  address: address('9'),
  nonce: 0,
  yParity: 0,
  r: `0x${'0'.repeat(24)}${'9'.repeat(40)}`,
  s: '0x2',
};

type Trial = Parameters<typeof callsDouble>[0];

const serves =
  (trial?: Trial) =>
  ({ api }: World): void =>
    void Object.assign(api.a.state, { rawCalls: callsDouble(trial) });

const accepted = (change: Body = {}): Ask => ({
  call: EXECUTE,
  given: serves(),
  body: { ...GOOD, ...change },
  status: 200,
  has: { message: expect.any(String), requestId: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
});
const refused = (change: Body, code: string, more: Partial<Ask> = {}): Ask => ({
  call: EXECUTE,
  given: serves(),
  body: { ...GOOD, ...change },
  status: 400,
  has: { error: code, errorCode: code, message: expect.any(String), statusCode: more.status ?? 400 },
  ...more,
});
const wrong = (change: Body, field: string): Ask => ({
  call: EXECUTE,
  given: serves(),
  body: { ...GOOD, ...change },
  status: 400,
  has: { error: 'INVALID_REQUEST', errorCode: 'INVALID_REQUEST', errorData: { field } },
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
        {
          call: EXECUTE,
          as: 'noOne',
          body: GOOD,
          status: 401,
          has: { error: 'UNAUTHORIZED', errorCode: 'UNAUTHORIZED' },
        },
        { call: EXECUTE, as: 'noOne', headers: { 'x-api-key': 'guess' }, body: GOOD, status: 401 },
        accepted(),
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
      asks: [{ ...accepted(), headers: { 'content-type': 'application/json' } }],
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
      asks: [wrong({ requestId: hash(1) }, 'requestId'), wrong({ requestId: 5 }, 'requestId')],
      shownBy: [test('core/test/api/execute.test.ts', 'makes the deposit of a quote, whose status it then has')],
    },
    {
      name: 'executionKind',
      type: 'string',
      rule: 'rawCalls',
      asks: [
        accepted(),
        wrong({ executionKind: 'calls' }, 'executionKind'),
        wrong({ executionKind: undefined }, 'executionKind'),
      ],
    },
    {
      name: 'data',
      type: 'object',
      rule: 'chainId, to, data, value; authorizationList optional and not empty',
      asks: [
        accepted({ data: { ...DATA, authorizationList: [AUTHORIZATION] } }),
        accepted({ data: { ...DATA, authorizationList: [{ ...AUTHORIZATION, chainId: 0 }], value: '0x0' } }),
        wrong({ data: undefined }, 'data'),
        wrong({ data: { ...DATA, chainId: '1' } }, 'data.chainId'),
        wrong({ data: { ...DATA, to: undefined } }, 'data.to'),
        wrong({ data: { ...DATA, data: '0xa' } }, 'data.data'),
        wrong({ data: { ...DATA, value: '1.5' } }, 'data.value'),
        wrong({ data: { ...DATA, authorizationList: [] } }, 'data.authorizationList'),
        wrong(
          { data: { ...DATA, authorizationList: [{ ...AUTHORIZATION, chainId: 2 }] } },
          'data.authorizationList[0].chainId',
        ),
        wrong(
          { data: { ...DATA, authorizationList: [{ ...AUTHORIZATION, r: '0x1' }] } },
          'data.authorizationList[0].r',
        ),
        wrong({ data: { ...DATA, authorizationList: [AUTHORIZATION, AUTHORIZATION] } }, 'data.authorizationList[1]'),
        wrong({ data: { ...DATA, authorizationList: Array(3).fill(AUTHORIZATION) } }, 'data.authorizationList'),
        wrong({ data: { ...DATA, to: address('d') } }, 'data.to'),
        wrong({ data: { ...DATA, to: EXECUTOR } }, 'data.to'),
        wrong({ data: { ...DATA, to: 'nobody' } }, 'data.to'),
        wrong({ data: { ...DATA, value: '1' } }, 'data.value'),
        wrong({ data: { ...DATA, data: `0x${'00'.repeat(65)}` } }, 'data.data'),
        wrong({ data: { ...DATA, data: '0xdead' } }, 'data.data'),
        refused({ data: { ...DATA, chainId: 999 } }, 'UNSUPPORTED_CHAIN'),
        refused({ data: { ...DATA, chainId: 2 } }, 'UNSUPPORTED_EXECUTION_TYPE'),
      ],
    },
    {
      name: 'executionOptions',
      type: 'object',
      rule: 'optional',
      asks: [
        accepted({ executionOptions: { referrer: 'shop', subsidizeFees: true, more: 1 } }),
        wrong({ executionOptions: 'all' }, 'executionOptions'),
        wrong({ executionOptions: { subsidizeFees: false } }, 'executionOptions.subsidizeFees'),
      ],
    },
  ],
};

const reverts = (revert: CallRevert['revert']): Ask => ({
  call: EXECUTE,
  given: serves(revertOf(revert)),
  body: GOOD,
  status: 400,
  has: {
    ...{ error: revert.label, message: revert.message, requestId: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
    details: { topLevel: { type: 'CALL' }, innermost: { type: 'CALL' }, path: [{ type: 'CALL' }], revert },
  },
});
const NAMED = { type: 'customError', label: 'INVALID_SIGNATURE', message: 'InvalidSignature()' } as const;
const UNKNOWN: CallRevert['revert'] = {
  type: 'unknownCustomError',
  label: 'UNKNOWN_CUSTOM_ERROR_0xdeadbeef',
  message: 'reverted with 0xdeadbeef',
  selector: '0xdeadbeef',
  rawArgsHex: '0x01',
};
const silent: Trial = { is: 'unavailable', message: 'silent' };
const passedOver: Trial = { is: 'refused', reason: 'INVALID_NONCE', message: 'for nonce 7' };

export const EXECUTE_RULES: Table = {
  title: 'POST /execute, answers and rules',
  endpoint: EXECUTE,
  where: 'rule',
  rows: [
    {
      name: '200: message, requestId',
      rule: 'the request is pending, and shows what becomes of the call',
      asks: [accepted()],
      shows: async ({ api }) => {
        serves()({ api } as World);
        const { body } = await api.call('POST', '/execute', { body: GOOD, ...withKey });
        const status = await api.call('GET', `/intents/status/v3?requestId=${body.requestId}`);
        expect(status.body).toMatchObject({ status: 'pending', originChainId: 1, destinationChainId: 1 });
        const listed = await api.call('GET', `/requests/v3?id=${body.requestId}`, withKey);
        expect(listed.body.requests).toMatchObject([
          {
            ...{ requestType: 'Call', features: ['gasless_execution'], user: DATA.to, recipient: DATA.to },
            data: {
              feeSponsorship: {
                quoted: {
                  selectedComponents: ['execution'],
                  components: { execution: { selected: true, userPays: { amount: '0' } } },
                  sponsoredTotal: { amount: '20000000000000', amountUsd: '0.040000' },
                  userPaysTotal: { amount: '0' },
                },
              },
            },
          },
        ]);
      },
    },
    {
      name: '400 of a reverting simulation: error, message, requestId, details',
      rule: 'nothing is owed',
      asks: [reverts(NAMED)],
    },
    { name: 'details: topLevel, innermost, path, revert', rule: 'as decoded', asks: [reverts(NAMED)] },
    { name: 'UNKNOWN_CUSTOM_ERROR_<selector> for an unmapped selector', rule: 'as label', asks: [reverts(UNKNOWN)] },
    {
      name: 'sponsoring needs a linked funding address and a funded app balance',
      rule: '403, or SPONSOR_BALANCE_TOO_LOW with nothing owed',
      asks: [
        refused({}, 'FORBIDDEN', { as: 'other', status: 403 }),
        refused({}, 'SPONSOR_BALANCE_TOO_LOW', {
          given: serves({ is: 'done', cost: { native: 1n, work: 1n, most: 10n ** 18n, at: 1 } }),
        }),
      ],
    },
    {
      name: 'what is not known now is retriable',
      rule: 'RPC_HTTP_ERROR, PRICE_FETCH_FAILED, CHAIN_DISABLED',
      asks: [
        refused({}, 'RPC_HTTP_ERROR', { status: 503, given: serves(silent) }),
        refused({}, 'CHAIN_DISABLED', {
          given: (world) => {
            serves()(world);
            Object.assign(world.api.engine, { paused: 'chain' });
          },
        }),
        refused({}, 'PRICE_FETCH_FAILED', {
          status: 503,
          given: (world) => {
            serves()(world);
            delete world.api.prices['ether'];
          },
        }),
      ],
    },
    {
      name: 'no dependence on tx.origin; a msg.sender that matters is a smart wallet',
      rule: 'simulated from the account that makes the call; a refusal says where tx.origin is the cause',
      asks: [refused({}, 'DESTINATION_TX_FAILED', { given: serves(passedOver) })],
      shownBy: [
        test('test/e2e/gasless-calls.test.ts', 'is an authorization that the chain would pass over'),
        test(
          'plugins/evm/test/gasless-calls.test.ts',
          'is explained by tx.origin where it would pass from its account',
        ),
      ],
    },
    {
      name: 'a user operation as handleOps has zero maxFeePerGas and maxPriorityFeePerGas',
      rule: 'refused by decoding',
      shownBy: [test('test/e2e/gasless-calls.test.ts', 'is what could drain the service')],
    },
    {
      name: 'Idempotency-Key',
      rule: 'the same key and body get the same answer, another body 409',
      shows: async ({ api }) => {
        serves()({ api } as World);
        const headers = { ...withKey.headers, 'Idempotency-Key': 'k' };
        const first = await api.call('POST', '/execute', { body: GOOD, headers });
        expect(first.status).toBe(200);
        const again = await api.call('POST', '/execute', { body: GOOD, headers });
        expect(again.body).toEqual(first.body);
        const other = await api.call('POST', '/execute', { body: { ...GOOD, originGasOverhead: 1 }, headers });
        expect(other).toMatchObject({ status: 409, body: { error: 'INVALID_REQUEST' } });
      },
    },
  ],
};
