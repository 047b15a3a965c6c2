import Koa from 'koa';

/** Baseline of `GET` routes: bare koa that always returns the same text. */
const answer = process.argv[2] ?? '{}';
const app = new Koa();
app.use((context) => {
  context.set('Content-Type', 'application/json; charset=utf-8');
  context.body = answer;
});
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' && address ? address.port : 0}\n`);
});
process.on('SIGTERM', () => process.exit(0));
