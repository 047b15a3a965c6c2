import type { RemoteSigner } from '@causeway/core';
import { registerAlone } from '@causeway/core/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { plugin } from '../src/index.js';
import { SignerServer } from './support/signer-server.js';

const TRANSACTION = { from: '0xab', nonce: '0x1', type: '0x2' };
const SECRET = 'a-token-that-must-stay-secret';

let server: SignerServer;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  server = await SignerServer.start();
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  server.asked.length = 0;
});
afterAll(() => server.close());

function signer(options: object = {}): RemoteSigner {
  const secrets = { 'env:TOKEN': SECRET };
  const { signers, stop } = registerAlone(plugin, { url: server.url, timeoutMs: 300, ...options }, secrets);
  stops.push(stop);
  const [only] = signers;
  if (only === undefined) throw new Error('no signer was added');
  return only;
}

async function problem(made: RemoteSigner): Promise<string> {
  const error: unknown = await made.sign(TRANSACTION).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Error);
  return (error as Error).message;
}

describe('the signer', () => {
  it('asks for a signature and for accounts, each once, without credentials', async () => {
    server.answer = ({ method }) => (method === 'eth_accounts' ? ['0xAB'] : '0x02f8');
    const made = signer();
    expect(made.id).toBe('signer-web3');
    expect(await made.sign(TRANSACTION)).toBe('0x02f8');
    expect(await made.accounts()).toEqual(['0xAB']);
    expect(server.asked).toEqual([
      { method: 'eth_signTransaction', params: [TRANSACTION], id: 1, authorization: undefined },
      { method: 'eth_accounts', params: [], id: 2, authorization: undefined },
    ]);
  });

  it('takes the bytes from answers that also decode them', async () => {
    server.answer = () => ({ raw: '0x02f8', tx: {} });
    expect(await signer().sign(TRANSACTION)).toBe('0x02f8');
  });

  it.each([
    [{ bearer: 'env:TOKEN' }, `Bearer ${SECRET}`],
    [{ user: 'me', password: 'env:TOKEN' }, `Basic ${Buffer.from(`me:${SECRET}`).toString('base64')}`],
  ])('sends its credentials: %o', async (auth, header) => {
    server.answer = () => '0x02';
    await signer({ auth }).sign(TRANSACTION);
    expect(server.asked[0]?.authorization).toBe(header);
  });

  it.each<[string, SignerServer['answer'], RegExp]>([
    [
      'refuses',
      ({ id }, response) => void response.end(JSON.stringify({ id, error: { code: -32000, message: 'locked\n' } })),
      /refuses eth_signTransaction: locked {2}\(-32000\)/,
    ],
    ['refuses with a status', (_, response) => void response.writeHead(401).end('no'), /status 401/],
    [
      'refuses with both',
      ({ id }, response) => void response.writeHead(400).end(JSON.stringify({ id, error: { message: 'no key' } })),
      /refuses eth_signTransaction: no key/,
    ],
    ['says nothing', () => undefined, /no whole answer within 300 ms/],
    ['stops in the middle', (_, response) => void response.write('{"jsonrpc"'), /no whole answer within 300 ms/],
    ['breaks off', (_, response) => void response.destroy(), /connection failed|ECONNRESET|UND_ERR_SOCKET/],
    ['answers another request', (_, response) => void response.end('{"id":77,"result":"0x02"}'), /else than JSON-RPC/],
    ['answers a web page', (_, response) => void response.end('<html>'), /else than JSON-RPC/],
    ['answers null', () => null, /no signed transaction/],
    [
      'answers without end',
      (_, response) => void response.end(`"${'a'.repeat(2_000_001)}"`),
      /longer than 2000000 bytes/,
    ],
    ['leads elsewhere', (_, response) => void response.writeHead(307, { location: server.url }).end(), /status 307/],
  ])('rejects where the server %s, once, and shows no credentials', async (_, answer, expected) => {
    server.answer = answer;
    const text = await problem(signer({ auth: { bearer: 'env:TOKEN' } }));
    expect(text).toMatch(expected);
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(server.url);
    expect(server.asked).toHaveLength(1);
  });

  it('rejects where no server is, and once it is stopped', async () => {
    const gone = await SignerServer.start();
    await gone.close();
    expect(await problem(signer({ url: gone.url }))).toContain('ECONNREFUSED');
    server.answer = () => undefined;
    const made = signer({ timeoutMs: 20_000 });
    const waiting = problem(made);
    for (const stop of stops.splice(0)) await stop();
    expect(await waiting).toContain('stopped');
  });

  it('rejects accounts that are no list of texts', async () => {
    server.answer = () => [1];
    await expect(signer().accounts()).rejects.toThrow('no list of addresses');
  });
});

describe('the options', () => {
  const refused = (options: object) => {
    try {
      signer(options);
    } catch (error) {
      return error;
    }
    return undefined;
  };

  it.each([
    'http://signer.example.org:9000',
    'http://10.0.0.7:9000',
    'http://127.0.0.1.example.org',
    'http://localhost.example.org',
  ])('refuse HTTP to another machine, unless they allow it: %s', (url) => {
    expect(refused({ url })).toMatchObject({ name: 'OptionError', optionPath: 'url' });
    expect(refused({ url, allowPlainHttp: true })).toBeUndefined();
  });

  it.each(['https://signer.example.org', 'http://127.0.0.2:9000', 'http://localhost:9000', 'http://[::1]:9000'])(
    'take %s',
    (url) => {
      expect(refused({ url })).toBeUndefined();
    },
  );

  it.each([
    ['credentials in the URL', { url: 'https://me:pass@signer.example.org' }],
    ['a URL that is none', { url: 'http://' }],
    ['another scheme', { url: 'ws://127.0.0.1' }],
    ['a token that is no reference', { auth: { bearer: 'secret' } }],
    ['a user without a password', { auth: { user: 'me' } }],
    ['both kinds of credentials', { auth: { bearer: 'env:TOKEN', user: 'me', password: 'env:TOKEN' } }],
    ['no credentials where some are named', { auth: {} }],
    ['an endless timeout', { timeoutMs: 600_000 }],
  ])('refuse %s', (_, options) => {
    expect(refused(options)).toBeInstanceOf(Error);
  });
});
