import type { LoadedConfig } from '../config/load-config.js';
import { ListenError } from '../http-server.js';
import { DevError } from './dev-error.js';
import { freePort, isFree } from './ports.js';

/** `PORT`, else the config's. Chosen before anything starts, so that restarts keep it. */
export async function servicePort(config: LoadedConfig): Promise<number> {
  const asked = process.env['PORT'];
  if (asked !== undefined && asked !== '' && !(/^\d+$/.test(asked) && Number(asked) < 65_536)) {
    throw new DevError('PORT must be a number from 0 to 65535');
  }
  const port = asked ? Number(asked) : config.service.port;
  if (port === 0) return freePort(3000, new Set());
  if (!(await isFree(port, config.service.host))) {
    throw new ListenError(`port ${port} is taken; stop what uses it, or choose another: PORT=${port + 1} npm start`);
  }
  return port;
}
