import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AsyncApiDocument } from '../../src/api/openapi/async-document.js';
import { statusEvent } from '../../src/events/status-event.js';
import { requestOf } from './support/rows.js';
import { type RunningApi, runningApi } from './support/running-api.js';
import { connect } from './support/socket.js';

type Json = Readonly<Record<string, unknown>>;

let api: RunningApi;
let document: AsyncApiDocument;

beforeAll(async () => {
  api = await runningApi();
  document = (await api.call('GET', '/asyncapi.json')).body as AsyncApiDocument;
});
afterAll(() => api.close());

/** Rejects unnamed fields. */
function validator(message: string) {
  const { payload } = document.components.messages[message] as { readonly payload: Json };
  const whole = JSON.stringify({ ...payload, $defs: document.components.schemas })
    .replaceAll('#/components/schemas/', '#/$defs/')
    .replaceAll('"type":"object"', '"type":"object","additionalProperties":false');
  return new Ajv2020({ strict: true, allowUnionTypes: true }).compile(JSON.parse(whole) as Json);
}

const EVENT = { requestId: `0x${'1'.repeat(64)}`, status: 'success' };

describe('the AsyncAPI document', () => {
  it('describes version 3 of the format', async () => {
    expect(document.asyncapi).toBe('3.0.0');
    expect(document.info).toMatchObject({ title: 'Cross-chain solver', version: '1.0.0' });
    expect(Object.keys(document.channels)).toEqual(['socket', 'events', 'webhook']);
  });

  it('refers to nothing that it does not hold', () => {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref = '']) => ref);
    expect(refs.length).toBeGreaterThan(20);
    for (const ref of refs) {
      const target = ref
        .split('/')
        .slice(1)
        .reduce<unknown>((value, key) => (value as Json | undefined)?.[key], document);
      expect(target, ref).toBeTypeOf('object');
    }
  });

  it('reports what a client reads when it is closed for something of its own', () => {
    const { description } = document.channels['socket'] as { readonly description: string };
    const reasons = [
      'Too many frames',
      'The API key is not valid any more',
      'The API key was granted less: connect again',
    ];
    for (const reason of reasons) expect(description).toContain(`\`${reason}\``);
    expect(description).toMatch(/code of the refusal/);
  });

  it('uses every message in an operation of its channel', () => {
    const used = JSON.stringify(document.operations);
    for (const [channel, value] of Object.entries(document.channels)) {
      for (const name of Object.keys((value as { readonly messages: Json }).messages)) {
        expect(used).toContain(`"#/channels/${channel}/messages/${name}"`);
      }
    }
  });

  it('describes the event as it is written, to the last field', async () => {
    const event = statusEvent(await requestOf(api), [], 1, Date.now());
    const validate = validator('statusUpdated');
    const sent = { ...(JSON.parse(event.payload) as { readonly data: Json }), position: 1, sequence: 1 };
    expect(validate(sent), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...sent, data: { ...sent.data, more: 1 } })).toBe(false);
    expect(validate({ ...sent, data: EVENT })).toBe(false);
  });

  it('describes what the socket sends, to the last field', async () => {
    const { id } = await requestOf(api);
    const socket = await connect(api);
    socket.ask({ id });
    socket.send('?');
    socket.send({ type: 'unsubscribe', event: 'request.status.updated', filters: { id } });
    for (const message of ['ready', 'subscribed', 'statusUpdated', 'refused', 'unsubscribed']) {
      const frame = await socket.next();
      const validate = validator(message);
      expect(validate(frame), `${message} ${JSON.stringify(frame)} ${JSON.stringify(validate.errors)}`).toBe(true);
    }
    socket.socket.terminate();
  });

  it('describes what a public client sends and waits for', () => {
    const filters = { id: EVENT.requestId };
    const event = 'request.status.updated';
    expect(validator('subscribe')({ type: 'subscribe', event, filters })).toBe(true);
    expect(validator('subscribe')({ type: 'unsubscribe', event, filters })).toBe(false);
    const done = { type: 'subscribe', status: 'success', data: { event, filters, position: 1 } };
    expect(validator('subscribed')(done)).toBe(true);
    expect(validator('ready')({ type: 'connection', status: 'ready', data: { id: '1' } })).toBe(true);
  });

  it('gives channels, operations and messages titles of their own that can be searched', () => {
    const { channels, operations, components } = document;
    for (const kind of [channels, operations, components.messages]) {
      const titles = Object.values(kind).map((one) => (one as Json)['title']);
      expect(titles.length).toBeGreaterThan(0);
      expect(new Set(titles).size).toBe(titles.length);
      for (const title of titles) expect(title).toMatch(/^[A-Z]\w* .*[^.]$/);
    }
  });

  it('shows an example of each message, as described to the last field', () => {
    for (const [name, message] of Object.entries(document.components.messages)) {
      const { summary, examples = [] } = message as { readonly summary?: string; readonly examples?: readonly Json[] };
      expect(summary, name).toBeTruthy();
      expect(examples.length, name).toBeGreaterThan(0);
      const validate = validator(name);
      for (const { payload } of examples)
        expect(validate(payload), `${name} ${JSON.stringify(validate.errors)}`).toBe(true);
    }
  });
});
