// Starts a node of the given kind, prints its process ids, and waits to be killed.
import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:net';

const kind = process.argv[2];
const script = (name) => new URL(`../../devnet/${name}`, import.meta.url).pathname;
const program = execFileSync(process.execPath, [script('obtain.mjs'), kind], { encoding: 'utf8' }).trim();
const server = createServer().listen(0, '127.0.0.1', () => {
  const { port } = server.address();
  server.close(() => {
    const child = spawn(process.execPath, [script('node.mjs'), JSON.stringify({ program, kind, port })], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child.stdout.once('data', (line) => console.log(JSON.stringify({ pids: [child.pid, JSON.parse(line).pid] })));
  });
});
