import { describe, expect, it } from 'vitest';
import { occurrences, repositoryFiles } from '../support/repository.js';

const product = repositoryFiles(/^(core|plugins\/[^/]+)\/src\/.*\.ts$/);

/** Implementations of the Clock and Random ports, and watchers of the process itself. */
const IMPLEMENTS_TIME = /^core\/src\/((host|observability|testing)\/|ports\/system-clock\.ts$)/;
/** A local chain is a child process, outside of any simulation. */
const DEVNET = /^plugins\/[^/]+\/src\/devnet\//;
/** Files of a plugin that hold connections to its chain or to an API. */
const CONNECTS = /^(core\/src\/(rpc|http)\/|plugins\/[^/]+\/src\/(rpc\/|http\/))/;
/** One exchange with a provider, which ends by itself. */
const EXCHANGE = /^core\/src\/rpc\/ask\.ts$/;
/** Waits for a turn of the event loop, not for a time; a simulation has the store in memory. */
const EMBEDDED_WRITER = /^core\/src\/store\/sqlite\/writer\.ts$/;

function outside(...allowed: readonly RegExp[]) {
  return product.filter((file) => !allowed.some((pattern) => pattern.test(file.path)));
}

describe('what a simulation must own goes through a port', () => {
  it('has product code to look at', () => {
    expect(product.length).toBeGreaterThan(40);
  });

  it('reads the clock only where the Clock port is implemented', () => {
    const wall = /\bDate\.now\b|\bnew Date\(\s*\)/;
    expect(occurrences(outside(IMPLEMENTS_TIME, DEVNET), wall)).toEqual([]);
    // Connections may be timed where they are made: a simulation replaces the whole adapter.
    const stopwatch = /\bperformance\.now\b|\bprocess\.hrtime\b/;
    expect(occurrences(outside(IMPLEMENTS_TIME, DEVNET, CONNECTS), stopwatch)).toEqual([]);
  });

  it('sets timers only where the Clock port is implemented', () => {
    const pattern = /\b(setTimeout|setInterval|setImmediate)\b|['"]node:timers/;
    expect(occurrences(outside(IMPLEMENTS_TIME, DEVNET, EXCHANGE, EMBEDDED_WRITER), pattern)).toEqual([]);
  });

  it('draws randomness only where the Random port is implemented', () => {
    const pattern = /\bMath\.random\b|\brandomBytes\b|\brandomUUID\b|\bgetRandomValues\b|\brandomInt\b/;
    expect(occurrences(outside(IMPLEMENTS_TIME, DEVNET), pattern)).toEqual([]);
  });

  it('opens sockets only in the host and the files that hold chain connections', () => {
    const imported = /^import (?!type\b).*from ['"]((node:)?(net|tls|http|https|http2|dgram|dns)|ws)['"]/;
    const called = /\bfetch\(|\bnew WebSocket\b/;
    const pattern = new RegExp(`${imported.source}|${called.source}`);
    /** Address arithmetic, a table of names, and protocols on connections accepted elsewhere. */
    const names = /BlockList|isIP|STATUS_CODES|ServerResponse|WebSocketServer|type \w+/;
    const harmless = new RegExp(`import \\{ ((${names.source})(, )?)+ \\} from '(node:net|node:http|ws)'`);
    const found = occurrences(outside(IMPLEMENTS_TIME, DEVNET, CONNECTS), pattern);
    expect(found.filter((line) => !harmless.test(line))).toEqual([]);
  });

  it('speaks to websockets only on connections that the host took', () => {
    const servers = product.flatMap(({ text }) => text.match(/new WebSocketServer\([^)]*/g) ?? []);
    expect(servers.length).toBeGreaterThan(0);
    for (const server of servers) expect(server).toContain('noServer: true');
  });
});

describe('core knows no chain family', () => {
  it('names none outside the list of words that clients know', () => {
    const core = product.filter(
      (file) => file.path.startsWith('core/src/') && file.path !== 'core/src/contract/ids.ts',
    );
    const families = /\b(evm|svm|bvm|tonvm|tvm|hypevm|lvm|xrpvm|ethereum|solana|bitcoin|tron|viem|anvil)\b/i;
    expect(occurrences(core, families)).toEqual([]);
  });
});
