import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type HttpServer, listen } from '../../src/host/http-server.js';
import { type RunningApi, runningApi } from '../api/support/running-api.js';

let api: RunningApi;
let server: HttpServer;
beforeAll(async () => {
  api = await runningApi();
  server = await listen('127.0.0.1', 0, api.api, { maxHeaderBytes: 16_384, requestWithinMs: 30_000 });
});
afterAll(async () => {
  await server.close();
  await api.close();
});

/** Raw server answer until it closes. */
function said(bytes: string): Promise<{ readonly head: string; readonly body: string }> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('error', reject);
    socket.on('close', () => {
      const [head = '', body = ''] = text.split('\r\n\r\n');
      resolve({ head, body });
    });
  });
}

const CLOSE = 'Connection: close\r\n\r\n';

it.each([
  [
    'a request with an unknown expectation',
    `GET /lives HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\n${CLOSE}`,
    200,
    undefined,
  ],
  ['a request that names no host', `GET /lives HTTP/1.1\r\n${CLOSE}`, 200, undefined],
  ['a tunnel', `CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n${CLOSE}`, 400, 'INVALID_REQUEST'],
  ['an address that is none', `GET http://[::1 HTTP/1.1\r\nHost: x\r\n${CLOSE}`, 400, 'INVALID_REQUEST'],
  ['an address with a path', `GET http://other.example/lives HTTP/1.1\r\nHost: x\r\n${CLOSE}`, 200, undefined],
  ['an asterisk', `OPTIONS * HTTP/1.1\r\nHost: x\r\n${CLOSE}`, 404, 'NOT_FOUND'],
])('%s is answered as everything is', async (_, bytes, status, code) => {
  const { head, body } = await said(bytes);
  expect(head.slice(0, 12)).toBe(`HTTP/1.1 ${status}`);
  expect(head.toLowerCase()).toContain('\r\nx-request-id: ');
  expect((JSON.parse(body) as { errorCode?: string }).errorCode).toBe(code);
});

it('says nothing of failures in the log', () => {
  expect(api.logs.filter(({ level }) => level === 'error')).toEqual([]);
});
