// Loads the service's modules from the bundle that the binary runs, which is most of a start, then waits. The entry that
// runs afterwards is the real one, in the environment of the start message.
import { once } from 'node:events';
import { load } from '../../core/bundle/modules.js';

for (const name of ['causeway-core-host', ...JSON.parse(process.env.CAUSEWAY_WARM_PLUGINS ?? '[]')]) load(name);
process.once('disconnect', () => process.exit());
const [{ env }] = await once(process, 'message');
Object.assign(process.env, env);
