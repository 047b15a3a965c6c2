import type { ChainAdapter, ChainFacts, Currency } from '@causeway/core';
import { type BenchChain, currencyOf, TOKENS } from './shape.js';

const ADDRESS = /^0x[0-9a-f]{40}$/;

export function benchChain({ id, name }: BenchChain): ChainAdapter {
  const currency = (at: number): Currency => {
    const { symbol, decimals, group, ...rest } = TOKENS[at] ?? {
      ...{ symbol: 'ETH', name: 'Ether', decimals: 18, group: 'ether' },
    };
    const address = currencyOf(id, at);
    return { chainId: id, address, symbol, name: rest.name, decimals, isNative: at < 0, group, verified: true };
  };
  const currencies = [-1, ...TOKENS.keys()].map(currency);
  const byAddress = new Map(currencies.map((one) => [one.address, one]));
  const facts: ChainFacts = {
    id,
    vmType: 'evm',
    name,
    displayName: name,
    network: 'local',
    currency: currency(-1),
    explorerUrl: '',
    explorerName: '',
    explorerPaths: { transaction: '/tx/{hash}', address: '/address/{address}', token: '/token/{address}' },
    publicRpcUrl: '',
    publicWsUrl: '',
    iconUrl: '',
    depository: `0x${'d'.repeat(40)}`,
    router: `0x${'e'.repeat(40)}`,
    guarantees: { fillOnce: true, withdrawOnce: true, fillDeadline: true },
    contracts: {},
    blockTimeMs: 1_000,
    finalityMs: 2_000,
    quoteValidityMs: 30_000,
    burnAddresses: [],
  };
  const refuse = () => {
    throw new Error('a bench asks no chain');
  };
  return {
    facts,
    capabilities: {},
    parseAddress: (text) =>
      ADDRESS.test(text.toLowerCase())
        ? { ok: true, value: text.toLowerCase() }
        : { ok: false, reason: 'must be 20 bytes of hex' },
    addressBytes: (text) => Buffer.from(text.slice(2), 'hex'),
    isTokenContract: (text) => byAddress.has(text),
    currency: (text) => byAddress.get(text.toLowerCase()),
    currencies: () => currencies,
    orderExtraData: refuse,
    status: () => ({ healthy: true, reason: null, head: null }),
    legCost: () => undefined,
    depositCost: () => undefined,
    laneBalance: () => undefined,
    userBalance: refuse,
    potBalance: refuse,
    depositSteps: refuse,
    oversize: () => undefined,
    watchDeposits: refuse,
    hint: () => undefined,
    acceptDepth: () => 0,
    quorum: () => 1,
    witness: refuse,
    lanes: [],
    keys: { by: 'position', lanePosition: refuse, positionAhead: refuse, keysBetween: refuse, spenderOf: refuse },
    paidBy: refuse,
    check: refuse,
    prepare: refuse,
    sign: refuse,
    send: refuse,
    look: refuse,
    unfilledForGood: refuse,
    describeTransaction: refuse,
    useKey: refuse,
  };
}
