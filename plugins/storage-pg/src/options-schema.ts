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
        'Reference of the connection URL: `env:NAME` or `file:PATH` (relative to the config file), or the URL itself if it contains no password. ' +
        'Connect directly or through a pooler in session mode: in transaction mode a pooler loses settings and listeners.',
      examples: ['env:CAUSEWAY_DATABASE_URL', 'file:keys/database.url', 'postgres://causeway@127.0.0.1:5432/causeway'],
    },
    schema: {
      type: 'string',
      pattern: '^[a-z_][a-z0-9_]{0,40}$',
      description: "Schema of the service's tables, created if it is missing. One service per schema.",
      default: 'causeway',
    },
    pool: {
      type: 'object',
      description: 'Maximum connections of one process, in addition to one for leases and one that listens.',
      additionalProperties: false,
      properties: {
        writers: { type: 'integer', minimum: 1, maximum: 200, description: 'Connections for change sets.', default: 8 },
        readers: { type: 'integer', minimum: 1, maximum: 200, description: 'Connections for reads.', default: 8 },
      },
      default: {},
    },
    connectTimeoutMs: milliseconds('Timeout of a connection.', 5_000),
    statementTimeoutMs: milliseconds(
      'Timeout of a statement, enforced by the server. Two seconds later an unresponsive connection is closed, and the outcome of its change set is unknown.',
      10_000,
    ),
    keepAliveMs: milliseconds('Idle time after which TCP keepalive probes the connection.', 10_000, 1_000),
    hints: {
      type: 'boolean',
      description: 'Wake other processes on the same database by LISTEN and NOTIFY. Without it they only poll.',
      default: true,
    },
    synchronousStandby: {
      type: 'boolean',
      description:
        'Set it to true only if every server that may be promoted has all acknowledged commits: `synchronous_standby_names` is set, and the cluster manager promotes only synchronous standbys. ' +
        'Then a start on another timeline continues normally. Otherwise the ledger counts as restored: earlier deposits are no longer filled, and are refunded only on proof.',
      default: false,
    },
  },
};
