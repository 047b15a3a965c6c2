import { Redactor } from '../../observability/redactor.js';
import { loadConfig } from '../config/load-config.js';
import { readDevnetFile } from '../dev/devnet-file.js';
import { planDevnets } from '../dev/devnets.js';
import { ReferencedKeys } from '../keys.js';
import { type Arguments, textFlag } from './arguments.js';
import { UsageError } from './command.js';

export interface AdminTarget {
  readonly url: string;
  readonly key: string;
}

class AdminError extends Error {
  override readonly name = 'AdminError';
}

export const ADMIN_FLAGS = { url: { type: 'string' }, key: { type: 'string' } } as const;

export const ADMIN_OPTIONS = `  --url URL      of the service (default: CAUSEWAY_URL, else .causeway/devnet.json)
  --key REF      admin key as env:NAME or file:PATH (default: CAUSEWAY_ADMIN_KEY, else .causeway/devnet.json)`;

/** Precedence: flags, config, environment, local build in this folder. */
export async function adminTarget(args: Arguments, configPath?: string): Promise<AdminTarget> {
  const configured = configPath === undefined ? undefined : await targetOfConfig(configPath);
  const devnet = readDevnetFile();
  const where = textFlag(args, 'url') ?? configured?.url ?? process.env['CAUSEWAY_URL'] ?? devnet?.baseUrl;
  if (where === undefined) throw new UsageError('which service? say --url, or set CAUSEWAY_URL');
  const reference = textFlag(args, 'key');
  const key =
    reference === undefined
      ? (configured?.key ?? process.env['CAUSEWAY_ADMIN_KEY'] ?? devnet?.adminKey)
      : resolveKey(reference);
  if (key === undefined)
    throw new UsageError('which admin key? say --key env:NAME or --key file:PATH, or set CAUSEWAY_ADMIN_KEY');
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
