import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningApi, runningApi } from '../../core/test/api/support/running-api.js';
import { createDraw } from './draw.js';
import { type Operation, operationsOf } from './operations.js';
import { bytesOf, type FuzzRequest, isProper } from './request.js';

const DRAWN = 60_000;

let api: RunningApi;
let operations: readonly Operation[];
let requests: readonly FuzzRequest[];
beforeAll(async () => {
  api = await runningApi();
  operations = operationsOf((await api.call('GET', '/openapi.json')).body);
  const draw = createDraw(operations);
  requests = Array.from({ length: DRAWN }, (_, at) => draw(1, at));
}, 60_000);
afterAll(() => api.close());

const text = () => requests.map(({ body, query }) => `${body ?? ''} ${query.join(' ')}`).join('\n');

describe('drawn requests', () => {
  it('are the same for the same seed and number, and others for another', () => {
    const draw = createDraw(operations);
    expect(requests.slice(0, 500)).toEqual(Array.from({ length: 500 }, (_, at) => draw(1, at)));
    expect(requests.slice(0, 500)).not.toEqual(Array.from({ length: 500 }, (_, at) => draw(2, at)));
  });

  it('give every parameter of every route, right and wrong', () => {
    const missing = operations.flatMap(({ id, query }) => {
      const given = requests.filter(({ operation }) => operation === id).flatMap((one) => one.query);
      return query
        .filter(({ name }) => new Set(given.filter((pair) => pair.startsWith(`${name}=`))).size < 3)
        .map(({ name }) => `${id} ${name}`);
    });
    expect(missing).toEqual([]);
  });

  it('give every field of every body', () => {
    const missing = operations.flatMap(({ id, body }) => {
      const given = requests.filter(({ operation }) => operation === id).map((one) => one.body ?? '');
      const names = Object.keys((body?.['properties'] ?? {}) as object);
      return names.filter((name) => !given.some((one) => one.includes(`"${name}":`))).map((name) => `${id} ${name}`);
    });
    expect(missing).toEqual([]);
  });

  it.each([
    ['zero characters', /\\u0000|%00/],
    ['halves of surrogate pairs', /\\ud800/],
    ['keys of prototypes', /"__proto__":/],
    ['deep nesting', /\[{10000}/],
    ['negations and nulls in filters', /not%3A[^ ]*null/],
    ['numbers that no double holds', /1e400/],
    ['broken percent codes', /%zz/],
  ])('hold %s', (_, pattern) => {
    expect(text()).toMatch(pattern);
  });

  it('go out in every way', () => {
    const wires = new Set(requests.map(({ wire }) => wire));
    expect([...wires].sort()).toEqual(['badChunks', 'chunks', 'pieces', 'pipelined', 'short', 'twoLengths', 'whole']);
    const proper = requests.filter(isProper).length / DRAWN;
    expect(proper).toBeGreaterThan(0.9);
    expect(proper).toBeLessThan(0.99);
  });

  it('are whole: what is announced is what is sent', () => {
    for (const request of requests.slice(0, 2_000).filter(({ wire }) => wire === 'whole')) {
      const [head = '', ...rest] = Buffer.concat(bytesOf(request, {})).toString('latin1').split('\r\n\r\n');
      const length = /\r\nContent-Length: (\d+)$/.exec(head)?.[1];
      if (length !== undefined && isProper(request)) expect(rest.join('\r\n\r\n').length).toBe(Number(length));
    }
  });
});
