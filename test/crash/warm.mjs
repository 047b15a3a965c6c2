// Imports the service's modules, which is most of a start, then waits. The entry that runs afterwards is the real
// one, in the environment of the start message.
import { once } from 'node:events';

const plugins = JSON.parse(process.env.CAUSEWAY_WARM_PLUGINS ?? '[]').map((name) => import(name));
await Promise.all([import('../../core/dist/host/service.js'), ...plugins]);
process.once('disconnect', () => process.exit());
const [{ env }] = await once(process, 'message');
Object.assign(process.env, env);
