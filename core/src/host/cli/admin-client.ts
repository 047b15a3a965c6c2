import { Redactor } from '../../observability/redactor.js';
import { readDevnetFile } from '../dev/devnet-file.js';
import { ReferencedKeys } from '../keys.js';
import { UsageError } from './command.js';

export interface AdminTarget {
  readonly url: string;
  readonly key: string;
}

/** The service refused, or could not be reached. */
class AdminError extends Error {
  override readonly name = 'AdminError';
}

/** Where to and with which key: flags, then environment, then the local build that runs in this folder. */
export function adminTarget(url: string | undefined, keyReference: string | undefined): AdminTarget {
  const devnet = readDevnetFile();
  const where = url ?? process.env['CAUSEWAY_URL'] ?? devnet?.baseUrl;
  if (where === undefined) throw new UsageError('which service? say --url, or set CAUSEWAY_URL');
  const key =
    keyReference === undefined ? (process.env['CAUSEWAY_ADMIN_KEY'] ?? devnet?.adminKey) : resolveKey(keyReference);
  if (key === undefined)
    throw new UsageError('which admin key? say --key env:NAME or --key file:PATH, or set CAUSEWAY_ADMIN_KEY');
  return { url: where.replace(/\/+$/, ''), key };
}

function resolveKey(reference: string): string {
  return new ReferencedKeys({ directory: process.cwd(), environment: process.env, redactor: new Redactor() }).secret(
    reference,
  );
}

export async function callAdmin(target: AdminTarget, path: string, body: object): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(`${target.url}/admin/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-admin-key': target.key },
      body: JSON.stringify(body),
    });
  } catch (error) {
    const cause = (error as Error).cause;
    throw new AdminError(
      `${target.url} cannot be reached (${cause instanceof Error ? cause.message : (error as Error).message})`,
    );
  }
  const answer = (await response.json().catch(() => undefined)) as { message?: string } | undefined;
  if (!response.ok)
    throw new AdminError(`${target.url} answered ${response.status}: ${answer?.message ?? 'no reason given'}`);
  return answer;
}
