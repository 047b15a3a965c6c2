import type { OptionsSchema } from '@causeway/core';

const milliseconds = (description: string, fallback: number, minimum = 100) => ({
  type: 'integer',
  minimum,
  description: `${description} Milliseconds.`,
  default: fallback,
});

export const optionsSchema: OptionsSchema = {
  type: 'object',
  required: ['url'],
  additionalProperties: false,
  properties: {
    url: {
      type: 'string',
      pattern: '^(env:|file:|postgres(ql)?://)',
      description:
        'Where the connection URL is: `env:NAME` or `file:PATH` (relative to the config file), or the URL itself where it holds no password. ' +
        'The connections must be direct or pooled by session: a pooler by transaction loses settings and listeners.',
      examples: ['env:CAUSEWAY_DATABASE_URL', 'file:keys/database.url', 'postgres://causeway@127.0.0.1:5432/causeway'],
    },
    schema: {
      type: 'string',
      pattern: '^[a-z_][a-z0-9_]{0,40}$',
      description: 'Schema that holds our tables. Made when it is missing. One service per schema.',
      default: 'causeway',
    },
    pool: {
      type: 'object',
      description: 'Most connections of one process, besides one for leases and one that listens.',
      additionalProperties: false,
      properties: {
        writers: { type: 'integer', minimum: 1, maximum: 200, description: 'For change sets.', default: 8 },
        readers: { type: 'integer', minimum: 1, maximum: 200, description: 'For reads.', default: 8 },
      },
      default: {},
    },
    connectTimeoutMs: milliseconds('Longest wait for a connection.', 5_000),
    statementTimeoutMs: milliseconds(
      'Longest time for one statement, enforced by the server. Two seconds later a silent connection is given up, and a change set on it is reported as unknown.',
      10_000,
    ),
    keepAliveMs: milliseconds('Silence after which the system asks whether a connection still lives.', 10_000, 1_000),
    hints: {
      type: 'boolean',
      description: 'Wake other processes on the same database by LISTEN and NOTIFY. Without it they only poll.',
      default: true,
    },
    synchronousStandby: {
      type: 'boolean',
      description:
        'Say true only where every server that may be promoted has all that was ever acknowledged: `synchronous_standby_names` is set, and the manager of the cluster promotes synchronous standbys alone. ' +
        'A start on another timeline than the last one then goes on as it was. Else the ledger counts as put back: what was paid in before is no longer filled, and paid back on proof alone.',
      default: false,
    },
  },
};
