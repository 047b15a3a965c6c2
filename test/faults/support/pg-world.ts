import { freePorts, type TcpProxy, tcpProxy } from '@causeway/core/testing';
import { ADMIN_KEY, API_KEY, solverConfig, type Tuning } from '../../support/config.js';
import { type PostgresServer, startOwnPostgres } from '../../support/postgres.js';
import { Rest } from '../../support/rest.js';
import { Running, ready } from '../../support/service.js';
import { World } from '../../support/world.js';

/** One process of the service, with its own proxy to the shared database. */
export interface Member {
  readonly rest: Rest;
  readonly database: TcpProxy;
  readonly service: Running;
  boot(): Promise<void>;
}

/** Two chains, one PostgreSQL server, and several processes of one service. */
export class PgWorld {
  private constructor(
    readonly world: World,
    readonly server: PostgresServer,
    readonly members: readonly Member[],
  ) {}

  /** Configures processes without starting them. The first is the world's own service. */
  static async prepare(count: number, statementTimeoutMs: number, tuning: Tuning = {}): Promise<PgWorld> {
    const server = await startOwnPostgres();
    const members: Member[] = [];
    try {
      const url = new URL(await server.database());
      const world = await World.prepare();
      for (let n = 0; n < count; n += 1) {
        const database = await tcpProxy(server);
        url.host = `${database.host}:${database.port}`;
        members.push(await member(world, n, database, onPostgres(url.href, statementTimeoutMs, tuning)));
      }
      return new PgWorld(world, server, members);
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  member(n: number): Member {
    const found = this.members[n];
    if (found === undefined) throw new Error(`there is no process ${n}`);
    return found;
  }

  async close(): Promise<void> {
    await this.world.close();
    for (const { database } of this.members) await database.stop();
    await this.server.stop();
  }
}

function onPostgres(url: string, statementTimeoutMs: number, tuning: Tuning): Tuning {
  const store = { use: '@causeway/plugin-storage-pg', options: { url, statementTimeoutMs, connectTimeoutMs: 1_000 } };
  return { ...tuning, withPlugins: [...(tuning.withPlugins ?? []), store] };
}

async function member(world: World, n: number, database: TcpProxy, tuning: Tuning): Promise<Member> {
  if (n === 0) {
    world.configure(tuning);
    return {
      rest: world.rest,
      database,
      get service() {
        return world.service;
      },
      boot: () => world.boot(),
    };
  }
  const port = await freePorts();
  const config = world.home.write(solverConfig(world.chains, port, tuning), `solver-${n}.yaml`);
  const rest = new Rest(`http://127.0.0.1:${port}`, API_KEY, ADMIN_KEY);
  let service: Running | undefined;
  return {
    rest,
    database,
    get service() {
      if (service === undefined) throw new Error(`process ${n} was not started`);
      return service;
    },
    boot: async () => {
      service = new Running(['start', config], {}, world.home.dir);
      await ready(service, rest.baseUrl);
    },
  };
}
