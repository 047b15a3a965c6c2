import { createHash } from 'node:crypto';
import * as artifacts from '../generated/contracts.js';

/**
 * Changes when chain state made by an earlier build cannot be used any more: other contract code, or another way of
 * setting the chain up (raise the number).
 */
export const fingerprint: string = createHash('sha256')
  .update(JSON.stringify([1, Object.entries(artifacts).map(([name, { bytecode }]) => [name, bytecode])]))
  .digest('hex');
