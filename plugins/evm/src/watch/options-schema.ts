export const watchOptions: object = {
  type: 'object',
  description: 'How blocks are followed.',
  required: [],
  properties: {
    pollMs: {
      type: 'integer',
      minimum: 50,
      description:
        'Poll interval. Default: a quarter of the block time, between 200 ms and 4 s; the whole block time while a websocket reports blocks.',
      examples: [1000],
    },
    traceMs: {
      type: 'integer',
      minimum: 0,
      description:
        'How long a payment by a contract to a deposit address waits until a trace of its block shows its transaction; 0: without traces.',
      default: 1000,
    },
    maxRange: { type: 'integer', minimum: 1, description: 'Maximum blocks per log query.', default: 2000 },
  },
  additionalProperties: false,
  default: {},
};
