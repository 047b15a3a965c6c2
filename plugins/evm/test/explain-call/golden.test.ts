import type { Hex } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import { jsonRpcFaultProxy } from '@causeway/core/testing';
import { encodeFunctionData } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { users } from '../../src/devnet/index.js';
import type { EvmAdapter } from '../../src/evm-adapter.js';
import { contractNames } from '../../src/explain-call/contract-names.js';
import type { CallBook, ExplainedCall } from '../../src/explain-call/explain-call.js';
import { readErrors } from '../../src/explain-call/options.js';
import { explainFailure } from '../../src/explain-call/traced-call.js';
import { revertsEveryWay } from '../../src/generated/contracts.js';
import { revertData } from '../../src/reverts.js';
import { clock } from '../support/services.js';
import { testClient, wallet } from '../support/wallet.js';
import { chainOptions, startAdapter, startWorld, type World } from '../support/world.js';

const { abi } = revertsEveryWay;
const caller = users[5] ?? expect.fail('no such account');
const UNUSED: Hex = `0x${'9d'.repeat(20)}`;

let world: World;
let adapter: EvmAdapter;
let blind: EvmAdapter;
let target: Hex;
let book: CallBook;
let proxy: Awaited<ReturnType<typeof jsonRpcFaultProxy>>;

beforeAll(async () => {
  world = await startWorld();
  ({ adapter } = await startAdapter(chainOptions(world)));
  proxy = await jsonRpcFaultProxy(world.anvil.rpcUrl);
  proxy.plan = ({ method }) =>
    method === 'debug_traceCall' ? { error: { code: -32_601, message: 'no such method' } } : 'pass';
  ({ adapter: blind } = await startAdapter(chainOptions(world, { rpc: [{ http: proxy.url }] })));
  const hash = await wallet(world.anvil, caller).deployContract({ abi, bytecode: revertsEveryWay.bytecode });
  const { contractAddress } = await testClient(world.anvil).waitForTransactionReceipt({ hash, pollingInterval: 20 });
  target = (contractAddress ?? expect.fail('not deployed')).toLowerCase() as Hex;
  const errors = readErrors([{ error: 'error Listed(uint256 since)', failReason: 'CONTRACT_PAUSED' }]);
  const contracts = contractNames({ contracts: { revertsEveryWay: target } }, []);
  book = { errors, contracts };
});
afterAll(async () => {
  await Promise.all([adapter.stop(), blind.stop()]);
  await Promise.all([world.anvil.stop(), proxy.close()]);
});

async function explained(by: EvmAdapter, data: Hex): Promise<ExplainedCall> {
  const asked = { from: caller.address, to: target, data, gas: '0x4c4b40' };
  return by.providers.run(async (provider: Provider) => {
    try {
      await provider.rpc.request('eth_call', [asked, 'latest']);
    } catch (error) {
      const thrown = revertData(error) ?? expect.fail(String(error));
      return explainFailure(provider, clock, book, asked, { data: thrown, halt: (error as Error).message });
    }
    return expect.fail('the call succeeded');
  });
}

type Call = Parameters<typeof encodeFunctionData<typeof abi>>[0];
const encode = (functionName: string, ...args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi, functionName, args } as unknown as Call);

const INNER = encode('withKnown');
const CALLS = {
  text: encode('withText', 'ERC20: insufficient allowance'),
  'text-unknown': encode('withText', 'no\u0000\u202e\ud83d\ude00'),
  'panic-assertion': encode('panics', 0x01n),
  'panic-arithmetic': encode('panics', 0x11n),
  'panic-division': encode('panics', 0x12n),
  'panic-pop': encode('panics', 0x31n),
  'panic-index': encode('panics', 0x32n),
  'panic-memory': encode('panics', 0x41n),
  'custom-known': encode('withKnown'),
  'custom-unknown': encode('withUnknown'),
  'custom-unknown-arguments': encode('withUnknownArguments'),
  'custom-of-the-config': encode('withListed'),
  empty: encode('withNothing'),
  nested: encode('nested', 3n, INNER),
  'caught-then-another': encode('catches', INNER),
  'caught-then-nothing': encode('forgives', INNER),
  rethrown: encode('rethrows', INNER),
  'out-of-gas-itself': encode('spins'),
  'out-of-gas-within': encode('runsOut', 20_000n),
  'no-code': encode('callsWithoutCode', UNUSED),
  'no-funds': encode('sendsTooMuch', UNUSED),
  'invalid-instruction': encode('stops'),
} as const;

describe('a failed call is explained', () => {
  it.each(Object.entries(CALLS))('%s', async (name, data) => {
    const [traced, untraced] = await Promise.all([explained(adapter, data), explained(blind, data)]);
    const text = `${JSON.stringify({ traced, untraced }, null, 2)}\n`;
    await expect(text).toMatchFileSnapshot(`golden/${name}.json`);
  });
});
