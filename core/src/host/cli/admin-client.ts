import { existsSync } from 'node:fs';
import { Redactor } from '../../observability/redactor.js';
import { loadConfig } from '../config/load-config.js';
import { readDevnetFile } from '../dev/devnet-file.js';
import { planDevnets } from '../dev/devnets.js';
import { ReferencedKeys } from '../keys.js';
import { type Arguments, textFlag, USUAL_CONFIG } from './arguments.js';
import { UsageError } from './command.js';

export interface AdminTarget {
  readonly url: string;
  readonly key: string;
}

class AdminError extends Error {
  override readonly name = 'AdminError';
}

export const ADMIN_FLAGS = { url: { type: 'string' }, key: { type: 'string' } } as const;

/** Of commands that print an answer of the service that CONFIG names, as lines or as JSON. */
export const REPORT_ARGUMENTS = {
  flags: { ...ADMIN_FLAGS, json: { type: 'boolean' } },
  positionals: ['CONFIG'],
  optional: 1,
} as const;

export const ADMIN_OPTIONS = `  --url URL      of the service (default: CAUSEWAY_URL, else ./causeway.yaml or .causeway/devnet.json)
  --key REF      admin key as env:NAME or file:PATH (default: CAUSEWAY_ADMIN_KEY, else as above)`;

/** Precedence: flags, a named config, environment, the config of this folder, the local build that runs in it. */
export async function adminTarget(args: Arguments, named?: string): Promise<AdminTarget> {
  const configured = named === undefined ? undefined : await targetOfConfig(named);
  const url = textFlag(args, 'url') ?? configured?.url ?? process.env['CAUSEWAY_URL'];
  const reference = textFlag(args, 'key');
  const given =
    reference === undefined ? (configured?.key ?? process.env['CAUSEWAY_ADMIN_KEY']) : resolveKey(reference);
  // A config that cannot be read must not stop a command that needs nothing of it.
  const isEnough = named !== undefined || (url !== undefined && given !== undefined) || !existsSync(USUAL_CONFIG);
  const usual = isEnough ? undefined : await targetOfConfig(USUAL_CONFIG);
  const devnet = readDevnetFile();
  const where = url ?? usual?.url ?? devnet?.baseUrl;
  if (where === undefined) throw new UsageError('which service? use --url, or set CAUSEWAY_URL');
  const key = given ?? usual?.key ?? devnet?.adminKey;
  if (key === undefined)
    throw new UsageError('which admin key? use --key env:NAME or --key file:PATH, or set CAUSEWAY_ADMIN_KEY');
  return { url: where.replace(/\/+$/, ''), key };
}

/** For `rpc: devnet`, address and key are in the local build's file. */
async function targetOfConfig(path: string): Promise<Partial<AdminTarget>> {
  const config = await loadConfig(path, { devnet: true, checkKeys: false });
  const local = (await planDevnets(config)).some(({ chains }) => chains.length > 0);
  if (local) return {};
  const { host, port, adminKey } = config.service;
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${reachable}:${port}`,
    ...(adminKey === undefined ? {} : { key: config.keys.secret(adminKey) }),
  };
}

function resolveKey(reference: string): string {
  return new ReferencedKeys({ directory: process.cwd(), environment: process.env, redactor: new Redactor() }).secret(
    reference,
  );
}

export function callAdmin<T>(target: AdminTarget, path: string, body?: object): Promise<T> {
  return callService(target, `admin/${path}`, body);
}

/** POST with a body, GET without one. @throws AdminError when the service refuses or cannot be reached. */
export async function callService<T>(target: AdminTarget, path: string, body?: object): Promise<T> {
  let response: Response;
  try {
    response = await fetch(`${target.url}/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'x-admin-key': target.key, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
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
  return answer as T;
}
