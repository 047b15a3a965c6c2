import { type JsonRpcFaultProxy, jsonRpcFaultProxy } from '@causeway/core/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { users } from '../src/devnet/accounts.js';
import { type Anvil, startAnvil } from '../src/devnet/index.js';
import { testClient, wallet } from './support/wallet.js';

let anvil: Anvil;
let proxy: JsonRpcFaultProxy;

beforeAll(async () => {
  anvil = await startAnvil({ chainId: 31337, automine: false });
  proxy = await jsonRpcFaultProxy(anvil.rpcUrl);
});
afterAll(async () => {
  await proxy.close();
  await anvil.stop();
});

it('a receipt is found where its block comes while a slow node answers about the one before, and no other block comes', async () => {
  const [payer, payee] = users;
  if (payer === undefined || payee === undefined) throw new Error('no accounts');
  const hash = await wallet(anvil, payer).sendTransaction({ to: payee.address, value: 1n, gas: 21_000n });
  // The look into the block that the transaction is not in yet.
  proxy.plan = ({ method }) => (method === 'eth_getBlockByNumber' ? { delayMs: 1_500 } : 'pass');
  const waiting = testClient({ rpcUrl: proxy.url }).waitForTransactionReceipt({
    ...{ hash, pollingInterval: 20, timeout: 6_000 },
  });
  setTimeout(() => void anvil.mine(), 500);
  expect(await waiting).toMatchObject({ transactionHash: hash, status: 'success' });
});
