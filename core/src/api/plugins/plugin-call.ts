import type { Context } from 'koa';
import type { Logger } from '../../contract/observability.js';
import type { PluginCall, PluginMethod, Principal, Principals, SharedRecords } from '../../contract/plugin-routes.js';
import { ApiError } from '../../errors/api-error.js';
import type { Caller } from '../route.js';
import { readJson } from '../server/body.js';
import { networkOf } from '../server/client-address.js';
import { RequestLog } from '../server/request-log.js';
import { principalOf } from './principals.js';

export function pluginCall(
  context: Context,
  { address, key, isOperator }: Caller,
  path: string,
  {
    principals,
    records,
    log,
  }: { readonly principals: Principals; readonly records: SharedRecords; readonly log: Logger },
): PluginCall {
  const headers = Object.entries(context.req.headers).map(
    ([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value] as const,
  );
  const ofKey: Principal | null = key && principalOf(key);
  return {
    method: (context.method === 'HEAD' ? 'GET' : context.method) as PluginMethod,
    path,
    search: context.querystring,
    query: new URLSearchParams(context.querystring),
    headers: Object.fromEntries(headers),
    address,
    network: networkOf(address),
    caller: isOperator() ? { role: 'admin' } : ofKey,
    principals,
    records,
    json: async () => {
      const read = await readJson(context.req, false);
      if (read instanceof ApiError) throw read;
      return read.value;
    },
    log: new RequestLog(log, context),
  };
}
