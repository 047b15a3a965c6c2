import { nightly } from './lanes.js';
import type { Lane, Mutation } from './mutation.js';

const FAILOVER = nightly('storage-pg', 'failover');
const WENT_BACK: Lane = { project: 'unit', files: ['core/test/engine/went-back.test.ts'] };

/** Guards against a database that goes back under processes that live. */
export const FAILOVER_MUTATIONS: readonly Mutation[] = [
  {
    name: 'database-went-back',
    guard: 'a process whose database went back ends its work, whichever part meets it first',
    guarantees: ['G15'],
    file: 'core/src/engine/recovery/went-back.ts',
    find: 'answer.catch(heed);',
    replace: 'answer.catch(() => heed(undefined));',
    lanes: [WENT_BACK],
  },
  {
    name: 'pg-timeline',
    guard: 'a promoted standby takes no change set and gives no lease to a process that worked on another timeline',
    guarantees: ['G15'],
    file: 'plugins/storage-pg/src/sql/history.ts',
    find: '${TIMELINE} <> known_timeline or',
    replace: '',
    lanes: [FAILOVER],
  },
  {
    name: 'pg-position',
    guard: 'a server that is behind what it acknowledged takes no change set and gives no lease',
    guarantees: ['G15'],
    file: 'plugins/storage-pg/src/sql/history.ts',
    find: 'or pg_current_wal_insert_lsn() < known_position then',
    replace: 'then',
    lanes: [FAILOVER],
  },
  {
    name: 'pg-cluster',
    guard: 'nothing is written through a session of another cluster',
    guarantees: ['G15'],
    file: 'plugins/storage-pg/src/history.ts',
    find: 'if (system !== this.#server.system)',
    replace: "if (system === '')",
    lanes: [FAILOVER],
  },
  {
    name: 'pg-history-ends',
    guard: 'a process that met an older database writes nothing any more, wherever its address leads',
    guarantees: ['G15'],
    file: 'plugins/storage-pg/src/history.ts',
    find: 'if (this.#gone) throw this.#gone;',
    replace: '',
    lanes: [FAILOVER],
  },
  {
    name: 'pg-marks-promotion',
    guard: 'whoever starts on a promoted standby marks the ledger as put back',
    guarantees: ['G15'],
    file: 'plugins/storage-pg/src/sql/history.ts',
    find: 'const mark = formerly !== null && at !== null;',
    replace: 'const mark = false;',
    lanes: [FAILOVER],
  },
];
