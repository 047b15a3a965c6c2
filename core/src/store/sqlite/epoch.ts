import { EPOCH_MARK } from '../../domain/epoch.js';
import type { PreparedSet } from '../prepare.js';
import { schemaOf } from '../schema.js';
import type { Connection } from './connection.js';
import type { LastSigned, Signed } from './last-signed.js';

const ATTEMPTS = schemaOf('attempts');
const [CHAIN, HASH] = ['chainId', 'hash'].map((field) => ATTEMPTS.byField.get(field)?.at ?? -1);

/** Names must be unique, because a backup carries the name of its epoch. */
const DRAW =
  'insert into meta (key, version, value) values (?, 1, lower(hex(randomblob(16)))) ' +
  'on conflict (key) do update set version = version + 1, value = excluded.value';

export class Epoch {
  readonly #name: string;
  readonly #memory: LastSigned | undefined;

  private constructor(name: string, memory: LastSigned | undefined) {
    this.#name = name;
    this.#memory = memory;
  }

  /**
   * Keeps the epoch if the machine's note has the same name and the ledger has the noted attempt; else draws a new
   * name. Under the database lock.
   *
   * Races closed here: a new name is durable before it is noted, so a process killed in between leaves two different
   * names. An attempt whose process died before noting it is noted here, before anyone sends it.
   */
  static async open(connection: Connection, memory: LastSigned | undefined): Promise<Epoch> {
    const remembered = memory?.read();
    let name = await nameIn(connection);
    if (remembered?.epoch !== name || /* guard: life-by-last-signature */ !(await has(connection, remembered.newest))) {
      await connection.run(DRAW, [EPOCH_MARK]);
      name = await nameIn(connection);
    }
    memory?.note({ epoch: name, newest: await newestIn(connection) });
    return new Epoch(name, memory);
  }

  /**
   * Notes the attempts of a commit before its callers learn of it.
   *
   * @throws if neither the new note can be written nor the old one removed: callers must then not learn of the
   * commit.
   */
  wrote(sets: readonly PreparedSet[]): void {
    const newest = newestOf(sets);
    if (newest !== undefined) this.#memory?.note({ epoch: this.#name, newest });
  }

  /** A commit may have happened unnoted, and its attempts may be found and sent. */
  doubt(sets: readonly PreparedSet[]): void {
    if (newestOf(sets) !== undefined) this.#memory?.forget();
  }

  close(): void {
    this.#memory?.close();
  }
}

async function nameIn(connection: Connection): Promise<string> {
  const [row] = await connection.all('select value from meta where key = ?', [EPOCH_MARK]);
  return row === undefined ? '' : String(row['value']);
}

async function has(connection: Connection, newest: Signed | null): Promise<boolean> {
  if (newest === null) return true;
  const cells = [newest.chainId, newest.hash];
  return (await connection.all('select 1 from attempts where chain_id = ? and hash = ?', cells)).length > 0;
}

/** Rows are never removed, so their numbers only grow. */
async function newestIn(connection: Connection): Promise<Signed | null> {
  const [row] = await connection.all('select chain_id, hash from attempts order by rowid desc limit 1');
  return row === undefined ? null : { chainId: Number(row['chain_id']), hash: String(row['hash']) };
}

function newestOf(sets: readonly PreparedSet[]): Signed | undefined {
  const inserted = sets
    .flatMap(({ steps }) => steps)
    .findLast((step) => step.op === 'insert' && step.schema === ATTEMPTS);
  if (inserted?.op !== 'insert') return undefined;
  return { chainId: Number(inserted.cells[CHAIN ?? -1]), hash: String(inserted.cells[HASH ?? -1]) };
}
