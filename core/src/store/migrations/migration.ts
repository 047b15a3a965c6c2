import type { Knex } from 'knex';

/** One step of the schema's history. Never changed after its release. */
export interface Migration {
  readonly name: string;
  up(knex: Knex): Promise<void>;
  down(knex: Knex): Promise<void>;
}
