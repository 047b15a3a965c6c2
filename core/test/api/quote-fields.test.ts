import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QUOTE_BODY } from '../../src/api/schemas/quote.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import type { ErrorCode } from '../../src/errors/catalogue.js';
import { address, INVENTORY, NATIVE, OTHER_TOKEN, TOKEN } from './support/chain-double.js';
import { ask, type Reply, type RunningApi, runningApi, USER } from './support/running-api.js';

let api: RunningApi;
beforeAll(async () => {
  api = await runningApi();
});
afterAll(() => api.close());

type Change = Readonly<Record<string, unknown>>;

const post = (change: Change, path = '/quote/v2'): Promise<Reply> => api.call('POST', path, { body: ask(change) });

async function quote(change: Change): Promise<Reply['body']> {
  const reply = await post(change);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.body;
}

async function stored(change: Change): Promise<QuoteBody> {
  const { steps } = await quote(change);
  const row = await api.store.quote(steps[0].requestId);
  return JSON.parse(row?.body ?? 'null') as QuoteBody;
}

/** Without ids, times and signatures. */
async function terms(change: Change): Promise<unknown> {
  const { fees, details, steps } = await quote(change);
  const { expiresAt, deadlineAt, ...lasting } = details;
  expect(deadlineAt).toBeGreaterThan(expiresAt);
  return { fees, details: lasting, steps: steps.map((step: { id: string }) => step.id) };
}

interface Field {
  /** What the field does, or why it is refused. */
  readonly does: string;
  /** Absent where refusals and tolerated values suffice. */
  readonly proof?: () => Promise<void>;
  /** Refused values with code and field name. */
  readonly refused?: readonly (readonly [value: unknown, code: ErrorCode, field?: string])[];
  /** Values without effect. */
  readonly same?: readonly unknown[];
  /** Refused as INVALID_REQUEST with the field's name. */
  readonly malformed?: readonly (readonly [value: unknown, field?: string])[];
}

const notServed = (value: unknown, ...same: readonly unknown[]): Field => ({
  does: 'asks for an execution that is not served',
  refused: [[value, 'UNSUPPORTED_EXECUTION_TYPE']],
  same,
});
const flag = (does: string): Field => ({ does, same: [true, false], malformed: [['true'], [1], [null]] });
const flagNotServed: Field = { ...notServed(true, false), malformed: [['true'], [0], [null]] };
const sponsored = (does: string): Field => ({
  does,
  refused: [[true, 'UNAUTHORIZED', 'subsidizeFees']],
  same: [false],
  malformed: [['true'], [0], [null]],
});
const count = (does: string): Field => ({ does, same: [0, 250_000], malformed: [[-1], ['5'], [1.5], [2 ** 60]] });
const microUsd = (does: string): Field => ({
  does,
  same: ['0', '2000000'],
  malformed: [['2.5'], ['-1'], ['1e6'], [''], ['0x10'], [2_000_000]],
});
const swapSources = (name: string): Field => ({
  does: 'limits swaps to sources, where one is made',
  same: [[], ['one']],
  malformed: [['one'], [[1], `${name}[0]`]],
});
const chainId: Field = {
  does: 'names a chain of the route',
  refused: [[99, 'UNSUPPORTED_CHAIN']],
  malformed: [['1'], [-1], [1.5], [null], [undefined]],
};
const call = { to: USER, value: '5', data: '0xab' };
const authorization = {
  ...{ chainId: 2, address: address('1'), nonce: 0, yParity: 0 },
  ...{ r: `0x${'0'.repeat(24)}${'2'.repeat(40)}`, s: '0x1' },
};

const FIELDS: Readonly<Record<string, Field>> = {
  user: {
    does: 'is payer, signer and, alone, recipient',
    proof: async () => {
      const { details, steps } = await quote({ user: address('7'), recipient: undefined });
      expect(details).toMatchObject({ sender: address('7'), recipient: address('7') });
      expect(steps[0].items[0].data.from).toBe(address('7'));
    },
    refused: [['me', 'INVALID_ADDRESS']],
    malformed: [[''], [5], [undefined]],
  },
  recipient: {
    does: 'is paid on the destination chain',
    proof: async () => expect((await quote({ recipient: address('7') })).details.recipient).toBe(address('7')),
    refused: [
      ['0x12', 'INVALID_ADDRESS'],
      [TOKEN, 'INVALID_RECIPIENT'],
    ],
    malformed: [[''], [{}]],
  },
  originChainId: chainId,
  destinationChainId: chainId,
  originCurrency: {
    does: 'is what the payer pays',
    proof: async () =>
      expect(
        (await quote({ originCurrency: NATIVE, amount: '10000000000000000' })).details.currencyIn.currency,
      ).toMatchObject({ address: NATIVE, chainId: 1 }),
    refused: [
      ['usdc', 'INVALID_INPUT_CURRENCY'],
      [address('9'), 'UNSUPPORTED_CURRENCY'],
    ],
    malformed: [[''], [undefined]],
  },
  destinationCurrency: {
    does: 'is what the recipient gets',
    proof: async () =>
      expect((await quote({ destinationCurrency: OTHER_TOKEN })).details.currencyOut.currency).toMatchObject({
        address: OTHER_TOKEN,
        chainId: 2,
      }),
    refused: [
      ['usdc', 'INVALID_OUTPUT_CURRENCY'],
      [address('9'), 'UNSUPPORTED_CURRENCY'],
    ],
    malformed: [[''], [undefined]],
  },
  amount: {
    does: 'is the smallest unit of the side that tradeType fixes',
    proof: async () => expect((await quote({ amount: '50000000' })).details.currencyIn.amount).toBe('50000000'),
    refused: [['0', 'AMOUNT_TOO_LOW']],
    malformed: [['1.5'], ['-1'], ['0x10'], [''], [5], [(2n ** 256n).toString()], [undefined]],
  },
  tradeType: {
    does: 'says which side is fixed',
    proof: async () => {
      const output = async (tradeType: string) =>
        (await quote({ tradeType, amount: '50000000', slippageTolerance: '100' })).details.currencyOut;
      expect((await output('EXACT_INPUT')).amount).not.toBe('50000000');
      expect(await output('EXACT_OUTPUT')).toMatchObject({ amount: '50000000', minimumAmount: '50000000' });
      expect(await output('EXPECTED_OUTPUT')).toMatchObject({ amount: '50000000', minimumAmount: '49500000' });
    },
    malformed: [['EXACT'], ['exact_input'], [undefined]],
  },
  txs: {
    does: 'asks for destination calls',
    refused: [
      [[call], 'INVALID_EXTRA_TXS', 'txs'],
      [[{ ...call, value: '0x5' }], 'INVALID_EXTRA_TXS', 'txs'],
      [[{ ...call, value: '0', data: `0x${'00'.repeat(3_937)}` }], 'INVALID_EXTRA_TXS', 'txs'],
      [[{ ...call, value: '0', to: address('d') }], 'INVALID_EXTRA_TXS', 'txs[0].to'],
      [[{ ...call, value: '0', to: address('e') }], 'INVALID_EXTRA_TXS', 'txs[0].to'],
      [[{ ...call, value: '0', to: INVENTORY }], 'INVALID_EXTRA_TXS', 'txs[0].to'],
      [[call, { ...call, to: 'there' }], 'INVALID_EXTRA_TXS', 'txs[1].to'],
    ],
    same: [[]],
    malformed: [
      [[{ ...call, value: '1.5' }], 'txs[0].value'],
      [[{ ...call, value: '-1' }], 'txs[0].value'],
      [[{ ...call, value: '0x' }], 'txs[0].value'],
      [[{ ...call, value: 5 }], 'txs[0].value'],
      [[{ ...call, data: '0xa' }], 'txs[0].data'],
      [[{ to: USER, value: '1' }], 'txs[0].data'],
      [[{ ...call, value: '0', originalTxValue: '1.5' }], 'txs[0].originalTxValue'],
      [[{ ...call, value: '0', originalTxValue: 5 }], 'txs[0].originalTxValue'],
      [{}],
    ],
    proof: async () => {
      const asked = { destinationCurrency: NATIVE, tradeType: 'EXACT_OUTPUT', txs: [call, { ...call, value: '0xa' }] };
      expect((await post({ ...asked, amount: '14' })).body).toMatchObject({
        errorCode: 'INVALID_EXTRA_TXS',
        errorData: { field: 'amount' },
      });
      const { details, protocol } = await quote({ ...asked, amount: '15' });
      expect(details.currencyOut).toMatchObject({ amount: '15', minimumAmount: '15' });
      expect(protocol.v2.orderData.output.calls).toHaveLength(2);
      const one = { txs: [{ ...call, value: '0', originalTxValue: '0x5' }] };
      const { calls } = (await quote(one)).protocol.v2.orderData.output;
      expect(calls).toEqual((await quote({ txs: [{ ...call, value: '0' }] })).protocol.v2.orderData.output.calls);
      expect(calls).toHaveLength(1);
      expect(BigInt((await quote(one)).fees.relayerGas.amount)).toBeGreaterThan(
        BigInt((await quote({})).fees.relayerGas.amount),
      );
    },
  },
  txsGasLimit: count('limits the gas of calls; without effect where there are none'),
  authorizationList: {
    does: 'gives accounts code for the calls',
    same: [[]],
    malformed: [
      [{}],
      [['x'], 'authorizationList[0]'],
      [[{ ...authorization, nonce: 'x' }], 'authorizationList[0].nonce'],
      [[{ ...authorization, s: undefined }], 'authorizationList[0].s'],
      [[authorization]],
    ],
    proof: async () => {
      const txs = [{ ...call, value: '0' }];
      const body = await stored({ txs, authorizationList: [authorization] });
      expect(body.authorizations).toEqual([authorization.r]);
      expect((await stored({ txs })).authorizations).toBeUndefined();
    },
  },
  additionalData: {
    does: "carries a payer's public key for chains that need it; none here does",
    same: [{}, { userPublicKey: '02ab' }, { else: 1 }],
    malformed: [['x'], [{ userPublicKey: 5 }, 'additionalData.userPublicKey']],
  },
  referrer: {
    does: 'is kept with the request',
    proof: async () => expect((await stored({ referrer: 'shop' })).referrer).toBe('shop'),
    malformed: [[5], [null], ['x'.repeat(1_025)]],
  },
  referrerAddress: { does: 'is checked, and of no effect', same: [USER], malformed: [[5]] },
  refundTo: {
    does: 'gets refunds',
    proof: async () => {
      const { protocol } = await quote({ refundTo: address('7') });
      expect(protocol.v2.orderData.inputs[0].refunds[0].recipient).toBe(address('7'));
    },
    refused: [
      ['me', 'INVALID_ADDRESS'],
      [TOKEN, 'INVALID_ADDRESS'],
    ],
    malformed: [[''], [5]],
  },
  recoveryAddress: { ...notServed(USER), malformed: [[''], [5]] },
  refundOnOrigin: flag('is deprecated: refunds are always made on the origin chain'),
  topupGas: {
    does: 'asks for native coin in addition to the output; none if the output is native coin',
    proof: async () => {
      const { details } = await quote({ topupGas: true });
      expect(details.currencyGasTopup).toMatchObject({
        currency: { address: NATIVE, chainId: 2 },
        amountUsd: '2.000000',
      });
      expect((await stored({ topupGas: true })).features).toEqual(['gas_top_up']);
      const native = { destinationCurrency: NATIVE, amount: '100000000' };
      expect(await terms({ ...native, topupGas: true })).toEqual(await terms(native));
    },
    same: [false],
    malformed: [['true'], [0], [null]],
  },
  topupGasAmount: {
    ...microUsd('is the value of that coin, and absent if none was requested'),
    proof: async () => {
      const { details } = await quote({ topupGas: true, topupGasAmount: '500000' });
      expect(details.currencyGasTopup.amountUsd).toBe('0.500000');
      for (const topupGasAmount of ['0', '20000001'])
        expect((await post({ topupGas: true, topupGasAmount })).body).toMatchObject({
          errorCode: 'INVALID_REQUEST',
          errorData: { field: 'topupGasAmount' },
        });
    },
  },
  enableTrueExactOutput: flag('is how an exact output is delivered anyhow'),
  explicitDeposit: { ...notServed(false, true), malformed: [['true']] },
  useExternalLiquidity: {
    does: 'asks for a swap through a source, of which there is none',
    refused: [[true, 'NO_SWAP_ROUTES_FOUND']],
    same: [false],
    malformed: [['true'], [0], [null]],
  },
  useFallbacks: flag('allows what never happens here'),
  useNonceMapping: flagNotServed,
  depositNonce: count('numbers a transaction that was not to be named by a nonce'),
  usePermit: flagNotServed,
  permitExpiry: count('limits a permit that was not requested'),
  includeProtocolData: {
    does: "adds the solver's signature",
    proof: async () => {
      const signed = await quote({ includeProtocolData: true });
      expect(signed.protocol.v2.orderSignature).toMatch(/^0x[0-9a-f]{128}(1b|1c)$/);
      const renamed = await quote({ includeProtocolSignature: true });
      expect(renamed.protocol.v2, 'the old name is not honoured').not.toHaveProperty('orderSignature');
    },
    same: [true, false],
    malformed: [['true']],
  },
  useDepositAddress: flagNotServed,
  strict: flagNotServed,
  slippageTolerance: {
    does: 'is what the minimum may lose',
    proof: async () => {
      const { details } = await quote({ slippageTolerance: '1000' });
      expect(BigInt(details.currencyOut.minimumAmount)).toBe((BigInt(details.currencyOut.amount) * 9n) / 10n);
    },
    refused: ['-1', '10001', '1.5', '', '0x1', 50, true].map((value) => [value, 'INVALID_SLIPPAGE_TOLERANCE'] as const),
  },
  latePaymentSlippageTolerance: {
    does: 'is what a late fill may lose',
    proof: async () => {
      const body = await stored({ latePaymentSlippageTolerance: '1000' });
      expect(BigInt(body.lateMinimumAmount ?? 0)).toBe((BigInt(body.amountOut) * 9n) / 10n);
    },
    refused: ['-1', '10001', '1.5', '', '0x1', 50, true].map((value) => [value, 'INVALID_SLIPPAGE_TOLERANCE'] as const),
  },
  appFees: {
    does: 'goes to the integrator',
    proof: async () =>
      expect((await quote({ appFees: [{ recipient: USER, fee: '100' }] })).fees.app.amount).toBe('1000000'),
    refused: [[[{ recipient: 'me', fee: '1' }], 'INVALID_ADDRESS', 'appFees[0].recipient']],
    same: [[], [{ recipient: USER, fee: '0' }]],
    malformed: [
      [[{ recipient: USER, fee: '1.5' }], 'appFees[0].fee'],
      [[{ recipient: USER, fee: -1 }], 'appFees[0].fee'],
      [[{ recipient: USER, fee: '9999' }]],
      [[{ fee: '1' }], 'appFees[0].recipient'],
      [{}],
    ],
  },
  gasLimitForDepositSpecifiedTxs: {
    does: 'limits calls that a deposit names, which are not served',
    refused: [[21_000, 'INVALID_GAS_LIMIT_FOR_DEPOSIT_SPECIFIED_TXS']],
    same: [0],
    malformed: [[-1], ['5']],
  },
  forceSolverExecution: flag('is how everything is executed on chains where users execute nothing themselves'),
  subsidizeFees: sponsored('lets the app balance of the key pay fees'),
  sponsoredFeeComponents: {
    does: 'names the fees that are sponsored, where any are',
    same: [[], ['execution', 'swap', 'relay', 'platform', 'app', 'rent']],
    malformed: [[['tax'], 'sponsoredFeeComponents[0]'], ['app']],
  },
  maxSubsidizationAmount: microUsd('caps what is sponsored, where anything is'),
  subsidizeRent: sponsored('lets the app balance of the key pay the rent'),
  includedSwapSources: swapSources('includedSwapSources'),
  excludedSwapSources: {
    does: 'bars sources, none of which is used',
    same: [[], ['one']],
    malformed: [['one'], [[1], 'excludedSwapSources[0]']],
  },
  includedOriginSwapSources: swapSources('includedOriginSwapSources'),
  includedDestinationSwapSources: swapSources('includedDestinationSwapSources'),
  originGasOverhead: {
    does: "adds gas of the payer's wallet to fees.gas, as number or text",
    proof: async () => {
      const gas = async (change: Change) => BigInt((await quote(change)).fees.gas.amount);
      const plain = await gas({});
      expect((await gas({ originGasOverhead: 21_000 })) - plain).toBe(21_000_000_000_000n);
      expect(await gas({ originGasOverhead: '21000' })).toBe(await gas({ originGasOverhead: 21_000 }));
    },
    same: [0, '0'],
    malformed: [[-1], [1.5], ['1.5'], ['0x10'], [''], [1e300], [true]],
  },
  depositFeePayer: {
    does: 'names who pays the network fee of the deposit, where the origin chain takes one',
    proof: async () => {
      api.a.state.feePayers = true;
      const { steps } = await quote({ depositFeePayer: address('7') });
      api.a.reset();
      expect(steps.at(-1).items[0].data.feePayer).toBe(address('7'));
    },
    ...{ refused: [[address('7'), 'UNSUPPORTED_EXECUTION_TYPE']], malformed: [[''], [5]] },
  },
  maxRouteLength: count('shortens swaps, of which there are none'),
  useSharedAccounts: flag('shapes swaps, of which there are none'),
  includeComputeUnitLimit: {
    ...flag('has the deposit limit its own work, where the chain can'),
    proof: async () => {
      const { steps } = await quote({ includeComputeUnitLimit: true });
      expect(steps.at(-1).items[0].data.limitsWork).toBe(true);
    },
  },
  overridePriceImpact: flag('allows what is never refused here'),
  disableSwapProviderPreference: flag('shapes swaps, of which there are none'),
  disableOriginSwaps: flag('bars what never happens here'),
  fixedRate: {
    does: 'has the rate fixed, for callers with a key (fixed-rate.test.ts)',
    ...{ refused: [['0.9', 'UNAUTHORIZED']], malformed: [[1.01], [''], ['one'], ['-1'], ['1e3']] },
  },
  ttl: {
    does: 'ends the order so many seconds after the quote',
    proof: async () => {
      const body = await stored({ ttl: 5 });
      expect((body.ttlAt ?? 0) + 25_000).toBe(body.expiresAt);
    },
    malformed: [[0], ['60'], [1.5], [1e12]],
  },
};

it('every field of the body has a row', () => {
  expect(Object.keys(FIELDS).sort()).toEqual(Object.keys(QUOTE_BODY['properties'] as object).sort());
});

describe.each(Object.entries(FIELDS))('%s', (name, field) => {
  it(field.does, async () => {
    const said = [field.proof, field.refused, field.same, field.malformed].filter((part) => part !== undefined);
    expect(said.length).toBeGreaterThan(0);
    await field.proof?.();
    for (const [value, code, at = name] of field.refused ?? []) {
      for (const path of ['/quote/v2', '/quote', '/price']) {
        const reply = await post({ [name]: value }, path);
        expect(reply.body, `${path} ${JSON.stringify(value)}`).toMatchObject({
          errorCode: code,
          statusCode: reply.status,
        });
        expect(reply.body.errorData?.field).toBe(at);
      }
    }
    const plain = field.same ? await terms({}) : undefined;
    for (const value of field.same ?? []) expect(await terms({ [name]: value })).toEqual(plain);
    for (const [value, at = name] of field.malformed ?? []) {
      const reply = await post({ [name]: value });
      expect(reply.body, JSON.stringify(value)).toMatchObject({
        errorCode: 'INVALID_REQUEST',
        statusCode: 400,
        retriable: false,
        errorData: { field: at, reason: expect.stringMatching(/./) },
      });
    }
  });
});

it('fields that no one knows are ignored', async () => {
  expect(await terms({ protocolVersion: 'v2', includeProtocolSignature: true, nonsense: { deep: [1] } })).toEqual(
    await terms({}),
  );
});
