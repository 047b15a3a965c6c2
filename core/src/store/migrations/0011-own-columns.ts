import type { Knex } from 'knex';
import type { Migration } from './migration.js';

/** Former value for no deadline. */
const NEVER = Number.MAX_SAFE_INTEGER;

/** Columns for facts formerly inside a leg's reason or a deposit's block; null for no deadline. */
export const ownColumns: Migration = {
  name: '0011-own-columns',
  async up(knex) {
    await knex.raw('alter table deposits add column rival_height bigint');
    await knex.raw('alter table deposits add column rival_block_id text');
    await knex.raw(
      `update deposits set rival_height = height, rival_block_id = block_id, height = null, block_id = null
        where state = 'mempool' and height is not null`,
    );
    await knex.raw('alter table legs add column released_by text');
    await knex.raw(`alter table legs add column reverts bigint not null default 0`);
    await knex.raw(`alter table legs add column closings bigint not null default 0`);
    await takeMarks(knex);
    await changeDeadlines(knex, null);
  },
  async down(knex) {
    await changeDeadlines(knex, NEVER);
    await putMarks(knex);
    for (const column of ['released_by', 'reverts', 'closings'])
      await knex.raw(`alter table legs drop column ${column}`);
    await knex.raw(
      `update deposits set height = rival_height, block_id = rival_block_id
        where state = 'mempool' and rival_height is not null`,
    );
    for (const column of ['rival_height', 'rival_block_id'])
      await knex.raw(`alter table deposits drop column ${column}`);
  },
};

interface Marked {
  readonly id: string;
  readonly reason: string;
}

const MARKS = /^(released|signedFor)?(?: ?reverted:(\d+) closed:(\d+))?$/;

/** Reasons began with the releaser, then the counts of ended keys. */
async function takeMarks(knex: Knex): Promise<void> {
  const marked = `reason like 'released%' or reason like 'signedFor%' or reason like 'reverted:%'`;
  const legs = (await knex('legs').select('id', 'reason').whereRaw(marked)) as Marked[];
  for (const { id, reason } of legs) {
    const [whole, word, reverts = '0', closings = '0'] = MARKS.exec(reason) ?? [];
    if (whole === undefined) continue;
    const releasedBy = word === undefined ? null : word === 'released' ? 'operator' : 'depositor';
    const row = { reason: null, released_by: releasedBy, reverts: Number(reverts), closings: Number(closings) };
    await knex('legs').where({ id }).update(row);
  }
}

async function putMarks(knex: Knex): Promise<void> {
  const marked = 'released_by is not null or reverts > 0 or closings > 0';
  const legs = await knex('legs').select('id', 'released_by', 'reverts', 'closings').whereRaw(marked);
  for (const { id, released_by: by, reverts, closings } of legs as Record<string, string | number | null>[]) {
    const word = by === null ? '' : by === 'operator' ? 'released' : 'signedFor';
    const counts = Number(reverts) + Number(closings) > 0 ? ` reverted:${reverts} closed:${closings}` : '';
    await knex('legs')
      .where({ id })
      .update({ reason: `${word}${counts}`.trim() });
  }
}

/** Recreates the column if it cannot be altered. No index uses it. */
async function changeDeadlines(knex: Knex, never: number | null): Promise<void> {
  if (knex.client.config.client !== 'sqlite3') {
    if (never === null) await knex.raw('alter table legs alter column deadline_at drop not null');
    const [from, to] = never === null ? [`= ${NEVER}`, 'null'] : ['is null', String(never)];
    await knex.raw(`update legs set deadline_at = ${to} where deadline_at ${from}`);
    if (never !== null) await knex.raw('alter table legs alter column deadline_at set not null');
    return;
  }
  const kept = never === null ? `nullif(old_deadline, ${NEVER})` : `coalesce(old_deadline, ${never})`;
  await knex.raw('alter table legs rename column deadline_at to old_deadline');
  await knex.raw(`alter table legs add column deadline_at bigint ${never === null ? '' : 'not null default 0'}`);
  await knex.raw(`update legs set deadline_at = ${kept}`);
  await knex.raw('alter table legs drop column old_deadline');
}
