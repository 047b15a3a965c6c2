import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import type { Answer, Caller } from '../route.js';
import { livesRoute } from '../routes/lives.js';

type Answering = Pick<ApiDeps, 'metricsText' | 'store' | 'chains' | 'engine' | 'clock' | 'log'>;

const OPERATOR: Caller = { address: '', key: null, isOperator: () => true };

/** For an operator-only listener: needs no key, and serves nothing that can change state. */
export function createMetricsHandler(deps: Answering): (request: IncomingMessage, response: ServerResponse) => void {
  const lives = livesRoute(deps);
  const answer = async (path: string, query: URLSearchParams): Promise<Answer | ApiError> => {
    if (path === '/metrics') {
      const { text, contentType } = await deps.metricsText();
      return { status: 200, body: text, contentType };
    }
    if (path !== '/lives') return { status: 404, body: { message: 'Here are /metrics and /lives' } };
    const withReport = query.has('withReport') && query.get('withReport') !== 'false';
    const call = { params: {}, body: undefined, headers: {}, search: '', isForPeople: () => false, log: deps.log };
    return lives.handle({ ...call, caller: OPERATOR, query: { withReport } });
  };
  return (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
      return;
    }
    const [path = '', search = ''] = (request.url ?? '').split('?');
    answer(path, new URLSearchParams(search))
      .then((result) => {
        if (result instanceof ApiError) throw result;
        const { status, body, contentType } = result;
        const text = contentType === undefined ? JSON.stringify(body) : String(body);
        const headers = {
          'content-type': contentType ?? 'application/json; charset=utf-8',
          'cache-control': 'no-store',
        };
        response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) });
        response.end(request.method === 'HEAD' ? undefined : text);
      })
      .catch((error: unknown) => {
        deps.log.error({ err: error }, 'metrics cannot be written');
        if (response.headersSent) response.destroy();
        else response.writeHead(500).end();
      });
  };
}
