import { createHash } from 'node:crypto';
import * as artifacts from '../generated/contracts.js';

/**
 * Changes when chain state of an earlier build is unusable: other contract code, or another set-up (raise the
 * number).
 */
export const fingerprint: string = createHash('sha256')
  .update(JSON.stringify([1, Object.entries(artifacts).map(([name, { bytecode }]) => [name, bytecode])]))
  .digest('hex');
