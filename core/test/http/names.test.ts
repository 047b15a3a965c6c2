import { type LookupAddress, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type NameAnswer, NameServer } from '../../../test/support/name-server.js';
import { LEADS_INSIDE, LEADS_NOWHERE, type NameSettings, Names, TOO_MANY_NAMES } from '../../src/http/index.js';

const PUBLIC = '93.184.216.34';
const clock = {
  sleep: (ms: number, signal?: AbortSignal) =>
    delay(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined),
};

let server: NameServer;
let answers: (name: string) => NameAnswer;

beforeAll(async () => {
  server = await NameServer.start((name) => answers(name));
});
afterAll(() => server.close());
beforeEach(() => {
  server.asked.length = 0;
  answers = (name) => (name.startsWith('silent') ? 'silent' : name.startsWith('inside') ? ['10.0.0.5'] : [PUBLIC]);
});

function names(over: Partial<NameSettings> = {}, timeoutMs = 400): Names {
  const settings = { isAllowed: () => false, readsHosts: false, timeoutMs, servers: [server.address], ...over };
  return new Names(settings, clock, { mostEach: 2, mostAll: 5, mostWaiting: 3 });
}

/** Addresses or the failure's code. */
function found(by: LookupFunction, name: string, options: object = { all: true }): Promise<unknown> {
  return new Promise((resolve) => {
    by(name, options, (error, address) => {
      if (error) resolve(error.code);
      else resolve(typeof address === 'string' ? address : address.map((one: LookupAddress) => one.address));
    });
  });
}

describe('names that third parties choose', () => {
  it('keep no one waiting whose names are looked up by the threads of the process', async () => {
    let isOver = false;
    const by = names({}, 2_000);
    const silent = Promise.all(
      Array.from({ length: 12 }, (_, n) => found(by.strangers(`int-${n}`), `silent-${n}.example`)),
    ).then((reported) => {
      isOver = true;
      return reported;
    });
    await delay(50);
    await new Promise<void>((resolve) => lookup('localhost', () => resolve()));
    expect(isOver).toBe(false);
    expect(new Set(await silent)).toEqual(new Set([LEADS_NOWHERE]));
  });

  it('take the places of their owner alone, and wait for them up to a bound', async () => {
    const by = names({}, 1_000);
    const flood = Array.from({ length: 9 }, (_, n) => found(by.strangers('thief'), `silent-${n}.example`));
    expect(await Promise.all(flood.slice(5))).toEqual(Array(4).fill(TOO_MANY_NAMES));
    expect(await found(by.strangers('shop'), 'shop.example')).toEqual([PUBLIC]);
    expect(server.asked).toContain('silent-1.example');
    expect(server.asked).not.toContain('silent-2.example');
    expect(await Promise.all(flood.slice(0, 5))).toEqual(Array(5).fill(LEADS_NOWHERE));
    // Capacity is free again.
    const later = Array.from({ length: 5 }, (_, n) => found(by.strangers('thief'), `later-${n}.example`));
    expect(await Promise.all(later)).toEqual(Array(5).fill([PUBLIC]));
  });

  it('share what there is for all, and a free place goes to the owners in turn', async () => {
    const by = names({}, 600);
    const owners = ['a', 'b', 'c', 'd'];
    const all = owners.flatMap((owner) =>
      [1, 2, 3].map((n) => found(by.strangers(owner), `silent-${owner}${n}.example`)),
    );
    await delay(100);
    expect(new Set(server.asked).size).toBe(5);
    expect(await Promise.all(all)).toEqual(Array(12).fill(LEADS_NOWHERE));
  });

  it('lead nowhere, inside, or are not answered: third parties are given the same, the operator what it is', async () => {
    answers = (name) =>
      name === 'gone.example' ? 'unknown' : name === 'mixed.example' ? [PUBLIC, '127.0.0.1'] : ['10.0.0.5'];
    const asked = [
      'gone.example',
      'inside.example',
      'mixed.example',
      'localhost',
      'db.localhost',
      `${'x'.repeat(300)}.example`,
    ];
    const by = names();
    const reported = async (lookUp: LookupFunction) => {
      const codes: unknown[] = [];
      for (const name of asked) codes.push(await found(lookUp, name));
      return codes;
    };
    const strangers = [...(await reported(by.strangers('a'))), await found(by.strangers('b'), 'inside.example')];
    expect(strangers).toEqual(Array(7).fill(LEADS_NOWHERE));
    const codes = ['ENOTFOUND', LEADS_INSIDE, LEADS_INSIDE, LEADS_INSIDE, LEADS_INSIDE];
    expect((await reported(by.operators('config'))).slice(0, 5)).toEqual(codes);
  });

  it('are those of this machine only where addresses inside may be reached', async () => {
    const isAllowed = () => true;
    expect(await found(names({ isAllowed, readsHosts: true }).strangers('a'), 'localhost')).toContain('127.0.0.1');
    expect(await found(names({ isAllowed, readsHosts: true }).strangers('a'), 'inside.example')).toEqual(['10.0.0.5']);
    expect(await found(names({ readsHosts: true }).operators('a'), 'localhost')).toBe(LEADS_INSIDE);
    expect(server.asked).toEqual(['inside.example']);
  });

  it('are asked for again for each connection, and once for those that begin together', async () => {
    const by = names().strangers('a');
    const four = { family: 4, all: false };
    expect(await Promise.all([found(by, 'a.example', four), found(by, 'a.example')])).toEqual([PUBLIC, [PUBLIC]]);
    expect(await found(by, 'a.example', { family: 6 })).toBe(LEADS_NOWHERE);
    answers = () => ['10.0.0.5'];
    expect(await found(by, 'a.example')).toBe(LEADS_NOWHERE);
    expect(server.asked).toEqual(['a.example', 'a.example', 'a.example']);
  });
});
