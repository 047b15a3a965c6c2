import type { Examples } from './example.js';

export const SERVICE_EXAMPLES: Examples = {
  lives: {
    parameters: { withReport: true },
    answer: {
      status: 'ok',
      report: {
        database: { healthy: true, ms: 1 },
        chains: [
          { id: 31337, name: 'local-a', healthy: true, head: { value: 119, at: 1795417216862 }, reason: null },
          { id: 31338, name: 'local-b', healthy: true, head: { value: 119, at: 1795417216957 }, reason: null },
        ],
      },
    },
  },
  front: {
    answer: { docs: 'docs', openapi: 'openapi.json', asyncapi: 'asyncapi.json', websocket: 'ws', events: 'events' },
  },
  openApi: { answer: { openapi: '3.1.0', info: { title: 'Cross-chain solver', version: '1.0.0' } } },
  asyncApi: { answer: { asyncapi: '3.0.0', info: { title: 'Cross-chain solver', version: '1.0.0' } } },
  docs: { answer: '<!doctype html>\n<html lang="en">…' },
  plugin: { parameters: { id: 'example', path: 'state' }, answer: { ready: true } },
};
