import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenApiDocument } from '../../src/api/openapi/document.js';
import { documented } from './support/documented.js';
import { type RunningApi, runningApi } from './support/running-api.js';

const STATUS = {
  status: 'pending',
  inTxHashes: [],
  txHashes: [],
  updatedAt: 1,
  quoteCreatedAt: 1,
  originChainId: 1,
  destinationChainId: 2,
  failReason: 'N/A',
  refundFailReason: 'N/A',
  details: null,
};

let api: RunningApi;
let check: (status: number, body: unknown, path?: string, contentType?: string) => string | undefined;

beforeAll(async () => {
  api = await runningApi();
  const judge = documented((await api.call('GET', '/openapi.json')).body as OpenApiDocument);
  check = (status, body, path = '/intents/status/v3?requestId=0x1', contentType = 'application/json') =>
    judge('GET', path, { status, contentType, body });
});
afterAll(() => api.close());

describe('the judge of answers', () => {
  it('finds nothing wrong with an answer as documented', () => {
    expect(check(200, STATUS)).toBeUndefined();
  });

  it.each([
    ['a field too many', { ...STATUS, more: 1 }, 'additional properties'],
    ['a field too few', { ...STATUS, details: undefined }, 'required'],
    ['a value that is not in its enum', { ...STATUS, status: 'done' }, 'allowed values'],
    ['a value of another type', { ...STATUS, updatedAt: '1' }, 'must be integer'],
  ])('finds %s', (_, body, wrong) => {
    expect(check(200, JSON.parse(JSON.stringify(body)))).toContain(wrong);
  });

  it('finds statuses, codes, types and paths that are not documented', () => {
    const error = { message: 'm', errorCode: 'REQUEST_NOT_FOUND', statusCode: 404, retriable: false };
    expect(check(404, error)).toBeUndefined();
    expect(check(404, { ...error, errorCode: 'NO_QUOTES' })).toContain('allowed values');
    expect(check(404, { ...error, hint: 1 })).toContain('additional properties');
    expect(check(201, STATUS)).toContain('is not documented');
    expect(check(200, 'text', undefined, 'text/plain')).toContain('is not documented');
    expect(check(200, STATUS, '/no/such/path')).toContain('is not documented');
    expect(check(404, { ...error, errorCode: 'NOT_FOUND' }, '/no/such/path')).toBeUndefined();
  });
});
