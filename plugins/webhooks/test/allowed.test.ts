import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Names } from '@causeway/core/http';
import { describe, expect, it } from 'vitest';
import { NameServer } from '../../../test/support/name-server.js';
import { allowedOf } from '../src/http/allowed.js';
import { Connections } from '../src/http/connections.js';
import { post } from '../src/http/post.js';
import { Watch } from '../src/http/watch.js';
import { clock, Receiver, registered, SECRET } from './support/receiver.js';

const refused = (url: string, change: object = {}) => {
  try {
    registered({ endpoints: [{ url }], ...change }, { network: 'mainnet' });
  } catch (error) {
    const { name, message, optionPath } = error as Error & { readonly optionPath: string };
    return `${name} ${optionPath}: ${message}`;
  }
  return null;
};

describe('an endpoint of the config', () => {
  it.each([
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://10.1.2.3/',
    'https://169.254.169.254/latest',
    'https://192.168.0.1/',
    'https://100.64.0.1/',
    'https://0.0.0.0/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:a00:1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[64:ff9b:1::7f00:1]/',
    'https://[fec0::1]/',
    'https://[fd00::1]/',
    'https://[fe80::1]/',
  ])('is refused at %s', (url) => {
    expect(refused(url)).toBe(
      'OptionError endpoints[0].url: is an address of a private network, which `allow` does not have',
    );
  });

  it('is refused with plain HTTP, on another port, and with a password', () => {
    expect(refused('http://example.com/')).toContain('must use https');
    expect(refused('https://example.com:22/')).toContain('uses port 22');
    expect(refused('https://a:b@example.com/')).toContain('use headers');
    expect(refused('https://example.com/')).toBeNull();
    expect(refused('https://example.com:8443/hook')).toBeNull();
    expect(refused('https://example.com:9000/', { ports: [9000] })).toBeNull();
  });

  it('may be in a network that the config allows, and nowhere else inside', () => {
    const change = { allow: ['10.1.0.0/16', '::1'] };
    expect([refused('https://10.1.2.3/', change), refused('http://10.1.2.3/', change)]).toEqual([null, null]);
    expect(refused('https://[::1]/', change)).toBeNull();
    expect(refused('https://10.2.0.1/', change)).not.toBeNull();
    for (const wrong of ['10.1.0.0/33', 'example.com', '10.1.0.0/x'])
      expect(refused('https://example.com/', { allow: [wrong] })).toContain(`OptionError allow: ${wrong} is neither`);
  });

  it('names itself once, sets no header of the protocol, and has secrets of the right form', () => {
    const url = 'https://example.com/';
    const twice = { endpoints: [{ url }, { url }] };
    expect(() => registered(twice)).toThrow('names another endpoint already');
    expect(() => registered({ endpoints: [{ url, headers: { 'Webhook-Id': 'x' } }] })).toThrow('set by the service');
    for (const secret of ['', 'whsec_', 'whsec_AAAA', SECRET.slice(6), `whsec_${'A'.repeat(200)}`, 'whsec_not base64!'])
      expect(() => registered({ endpoints: [{ url }] }, { secrets: { 'env:SECRET': secret } }), secret).toThrow(
        'the base64 of 24 to 64 random bytes',
      );
  });
});

describe('a name', () => {
  const leadingTo = (...answers: string[]) => NameServer.start(() => [answers.shift() ?? '127.0.0.1']);
  const posted = async (port: number, server: NameServer, allow: readonly string[] = []) => {
    const timeouts = { connectMs: 300, answerMs: 400, totalMs: 500 };
    const url = new URL(`http://hook.example:${port}/`);
    const rules = { isAllowed: allowedOf(allow), readsHosts: false, timeoutMs: 300, servers: [server.address] };
    const connections = new Connections(url, new Names(rules, clock).operators('shop'), timeouts.connectMs, clock);
    const watch = new Watch(timeouts.connectMs, clock);
    try {
      return await post({ path: '/', headers: {}, body: '{}' }, { connections, watch, timeouts, clock });
    } finally {
      connections.close();
      watch.close();
    }
  };

  it('that leads inside is not connected to, whatever it led to when the config was read', async () => {
    const receiver = await Receiver.start();
    const names = await leadingTo('127.0.0.1', '127.0.0.1');
    expect(await posted(receiver.port, names)).toEqual({
      ...{ ok: false, why: 'its name leads to an address of a private network' },
    });
    expect([receiver.posts.length, names.asked]).toEqual([0, ['hook.example']]);
    // The checked address is the connected one.
    expect(await posted(receiver.port, names, ['127.0.0.1'])).toMatchObject({ ok: true, status: 204 });
    names.close();
    await receiver.close();
  });

  it('is looked at again for each connection', async () => {
    const server = createServer((_, response) => void response.writeHead(204).end());
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const names = await leadingTo('127.0.0.1', '127.0.0.2', '10.0.0.1');
    expect(await posted(port, names, ['127.0.0.1'])).toMatchObject({ ok: true });
    expect(await posted(port, names, ['127.0.0.1'])).toMatchObject({ ok: false });
    expect(await posted(port, names, ['127.0.0.1'])).toMatchObject({ ok: false });
    names.close();
    await new Promise((done) => server.close(done));
  });
});
