import { describe, expect, it } from 'vitest';
import { operationOf, type RouteFacts, requestType } from '../../src/domain/request-type.js';

const facts: RouteFacts = { hasCalls: false, sameChain: false, sameCurrency: false, sameGroup: false, wrapPair: null };

describe('request types and operations', () => {
  it.each<[Partial<RouteFacts>, string, string]>([
    [{ sameGroup: true }, 'Bridge', 'bridge'],
    [{}, 'Crosschain Swap', 'swap'],
    [{ sameChain: true, sameCurrency: true, sameGroup: true }, 'Send', 'send'],
    [{ sameChain: true }, 'Same-chain Swap', 'swap'],
    [{ sameChain: true, sameGroup: true }, 'Same-chain Swap', 'swap'],
    [{ sameChain: true, sameGroup: true, wrapPair: 'wrap' }, 'Wrap', 'wrap'],
    [{ sameChain: true, sameGroup: true, wrapPair: 'unwrap' }, 'Unwrap', 'unwrap'],
    [{ hasCalls: true }, 'Call', 'swap'],
    [{ hasCalls: true, sameGroup: true }, 'Call', 'bridge'],
    [{ hasCalls: true, sameChain: true, wrapPair: 'wrap' }, 'Call', 'wrap'],
  ])('%j is %s', (route, type, operation) => {
    expect(requestType({ ...facts, ...route })).toBe(type);
    expect(operationOf({ ...facts, ...route })).toBe(operation);
  });
});
