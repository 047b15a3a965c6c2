import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TOKEN } from './support/chain-double.js';
import { ask, type RunningApi, runningApi } from './support/running-api.js';

let api: RunningApi;
beforeAll(async () => {
  api = await runningApi();
});
afterAll(() => api.close());

const quote = (change = {}) => api.call('POST', '/quote/v2', { body: ask(change) });

/** One test per numbered rule of the must-do list on quotes, status, chains and index. */
describe('what public clients need', () => {
  it('1: approve items carry no check, deposit items do', async () => {
    const { steps } = (await quote()).body;
    const [approve, deposit] = steps;
    expect(approve.id).toBe('approve');
    expect(approve.items[0]).not.toHaveProperty('check');
    expect(deposit.items[0].check).toEqual({
      endpoint: `/intents/status/v3?requestId=${deposit.requestId}`,
      method: 'GET',
    });
  });

  it('1, 11: the check endpoint answers at once', async () => {
    const { steps } = (await quote()).body;
    const reply = await api.call('GET', steps[1].items[0].check.endpoint);
    expect(reply).toMatchObject({ status: 200, body: { status: 'waiting' } });
  });

  it('2: a quote answers exactly 200, on both paths', async () => {
    expect((await quote()).status).toBe(200);
    expect((await api.call('POST', '/quote', { body: ask() })).status).toBe(200);
  });

  it('3: errors carry statusCode, message and errorCode', async () => {
    const { status, body } = await quote({ amount: 'x' });
    expect(body).toEqual({
      message: expect.any(String),
      errorCode: 'INVALID_REQUEST',
      statusCode: status,
      retriable: false,
      errorData: { field: 'amount', reason: expect.any(String) },
    });
  });

  it('5: CORS lets the headers in and out that clients use', async () => {
    const preflight = await api.call('OPTIONS', '/quote/v2', {
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,relay-sdk-version,x-api-key',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    const allowed = preflight.headers.get('access-control-allow-headers')?.split(', ');
    expect(allowed).toEqual(expect.arrayContaining(['content-type', 'x-api-key', 'relay-sdk-version']));
    const answer = await api.call('GET', '/chains', { headers: { origin: 'https://app.example' } });
    const exposed = answer.headers.get('access-control-expose-headers')?.split(', ');
    expect(exposed).toEqual(expect.arrayContaining(['Deprecation', 'Sunset', 'Link']));
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('5: CORS lets in what monitoring libraries add to each call of a page, well-formed and bounded', async () => {
    const asking = async (headers: string) => {
      const asked = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
      const answer = await api.call('OPTIONS', '/quote/v2', {
        headers: { ...asked, 'access-control-request-headers': headers },
      });
      return answer.headers.get('access-control-allow-headers')?.split(', ') ?? [];
    };
    const added = ['baggage', 'sentry-trace', 'traceparent', 'tracestate', 'x-datadog-parent-id', 'x-datadog-trace-id'];
    expect(await asking(`content-type,${added.join(', ')}`)).toEqual(expect.arrayContaining(['x-api-key', ...added]));
    const usual = await asking('');
    for (const wrong of ['a b', '*, (x)', 'x'.repeat(129), `${'a'.repeat(100)},`.repeat(50)])
      expect(await asking(wrong)).toEqual(usual);
    const many = Array.from({ length: 500 }, (_, n) => `x-${n}`).join(',');
    expect((await asking(many)).length).toBe(usual.length + 64);
  });

  it('5: errors are readable across origins too', async () => {
    const reply = await api.call('POST', '/quote/v2', { body: {}, headers: { origin: 'https://app.example' } });
    expect(reply.status).toBe(400);
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('6: unknown query and body fields are ignored', async () => {
    expect((await api.call('GET', '/chains?referrer=app')).status).toBe(200);
    const { steps } = (await quote({ somethingNew: { deep: [1] } })).body;
    const status = await api.call(
      'GET',
      `/intents/status/v3?requestId=${steps[0].requestId}&referrer=app&referrer=app`,
    );
    expect(status.status).toBe(200);
    const body = { txHash: `0x${'ab'.repeat(32)}`, chainId: '1', referrer: 'app' };
    expect((await api.call('POST', '/transactions/index', { body })).status).toBe(200);
  });

  it('7: quotes, status, chains and index need no key', async () => {
    const replies = [await quote(), await api.call('GET', '/chains'), await api.call('GET', '/lives')];
    expect(replies.map((reply) => reply.status)).toEqual([200, 200, 200]);
  });

  it('8: index takes the chain id as text or number, no requestId, and an unmined hash', async () => {
    for (const chainId of ['1', 1]) {
      const txHash = `0x${'cd'.repeat(31)}0${chainId === 1 ? 1 : 2}`;
      const reply = await api.call('POST', '/transactions/index', { body: { txHash, chainId } });
      expect(reply).toMatchObject({ status: 200, body: { message: expect.any(String) } });
      expect(api.a.state.hints).toContain(txHash);
    }
  });

  it('16: every step carries the requestId', async () => {
    const { steps } = (await quote()).body;
    const ids = new Set(steps.map((step: { requestId: string }) => step.requestId));
    expect(ids.size).toBe(1);
    expect([...ids][0]).toMatch(/^0x[0-9a-f]{64}$/);
  });

  it('17, 18: currencies name their chains, and /chains has them', async () => {
    const { details } = (await quote()).body;
    expect(details.currencyIn.currency.chainId).toBe(1);
    expect(details.currencyOut.currency.chainId).toBe(2);
    const { chains } = (await api.call('GET', '/chains')).body;
    expect(chains.map((chain: { id: number }) => chain.id)).toEqual([1, 2]);
  });

  it('20: steps are transactions', async () => {
    const { steps } = (await quote()).body;
    expect(steps.map((step: { kind: string }) => step.kind)).toEqual(['transaction', 'transaction']);
    expect(steps.every((step: { depositAddress: string }) => step.depositAddress === '')).toBe(true);
  });

  it("21: price impact under both names, the router is the solver's own", async () => {
    const { details } = (await quote()).body;
    const impact = details.expandedPriceImpact;
    expect(impact).toEqual({
      swap: { usd: '0.000000' },
      execution: { usd: '-0.300000' },
      relay: { usd: '-0.050000' },
      service: { usd: '-0.050000' },
      app: { usd: '0.000000' },
      sponsored: { usd: '0.000000' },
    });
    expect(details.route.origin.router).toBe('relay');
  });

  it('23: originGasOverhead as number and as text', async () => {
    expect((await quote({ originGasOverhead: 5 })).status).toBe(200);
    expect((await quote({ originGasOverhead: '5' })).status).toBe(200);
  });

  it('25: status polling every second by the hundreds', async () => {
    const { steps } = (await quote()).body;
    const path = `/intents/status/v3?requestId=${steps[0].requestId}`;
    const replies = await Promise.all(Array.from({ length: 100 }, () => api.call('GET', path)));
    expect(replies.every((reply) => reply.status === 200)).toBe(true);
  });
});

describe('GET /chains', () => {
  it('has every field that clients read', async () => {
    const { chains } = (await api.call('GET', '/chains')).body;
    expect(chains[0]).toMatchObject({
      id: 1,
      name: 'alpha',
      displayName: 'ALPHA',
      vmType: 'evm',
      httpRpcUrl: 'http://alpha.example',
      wsRpcUrl: '',
      explorerUrl: 'https://explorer.example',
      explorerName: 'Explorer',
      explorerPaths: { transaction: '/tx/{hash}' },
      iconUrl: '',
      currency: { id: 'eth', symbol: 'ETH', name: 'ETH on alpha', decimals: 18, supportsBridging: true },
      depositEnabled: true,
      disabled: false,
      blockProductionLagging: false,
      tokenSupport: 'Limited',
      contracts: {},
      solverAddresses: [expect.any(String)],
      protocol: { v2: { chainId: 'alpha', depository: expect.any(String) } },
    });
    expect(chains[0].erc20Currencies[0]).toMatchObject({ symbol: 'USDC', address: TOKEN, supportsBridging: true });
    expect(chains[0].solverCurrencies).toHaveLength(4);
    expect(chains[0].featuredTokens[1].metadata.logoURI).toContain('usdc.png');
  });

  it('shows what is down and what is paused', async () => {
    api.b.state.healthy = false;
    const down = (await api.call('GET', '/chains')).body.chains[1];
    expect(down).toMatchObject({ depositEnabled: false, disabled: false, blockProductionLagging: true });
    api.b.state.healthy = true;
    api.engine.paused = 'chain';
    const paused = (await api.call('GET', '/chains')).body.chains[1];
    expect(paused).toMatchObject({ depositEnabled: false, disabled: true, blockProductionLagging: false });
    expect(paused.statusMessage).toBe('Paused');
    api.engine.pauseReason = 'a fork is coming';
    const why = (await api.call('GET', '/chains')).body.chains[1];
    expect(why).toMatchObject({ disabled: true, statusMessage: 'Paused: a fork is coming' });
    expect((await quote()).body).toMatchObject({
      errorCode: 'CHAIN_DISABLED',
      message: expect.stringMatching(/: a fork is coming$/),
      errorData: { reason: 'a fork is coming' },
    });
    api.engine.paused = 'route';
    expect((await quote()).body).toMatchObject({
      errorCode: 'ROUTE_TEMPORARILY_RESTRICTED',
      errorData: { reason: 'a fork is coming' },
    });
    api.engine.pauseReason = null;
    api.engine.paused = null;
  });
});
