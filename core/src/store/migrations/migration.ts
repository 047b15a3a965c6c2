import type { Knex } from 'knex';

/** One step of the schema's history. Once released it never changes; what comes after is a new step. */
export interface Migration {
  /** Four digits and a subject; sorts by age. */
  readonly name: string;
  up(knex: Knex): Promise<void>;
  down(knex: Knex): Promise<void>;
}
