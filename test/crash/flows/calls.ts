import { type Address, encodeFunctionData, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { batcher } from '../../../plugins/evm/src/generated/contracts.js';
import { beginToRefuse, deploy } from '../../support/contracts.js';
import { newAddress } from '../../support/wallet.js';
import type { World } from '../../support/world.js';
import type { Flow } from '../flow.js';
import { deposit, ended, SMALL } from './orders.js';

const PRICE = 1_000n;

function callOrder(world: World, called: Address) {
  return world.order({ amount: SMALL, body: { txs: [{ to: called, value: toHex(PRICE), data: '0x' }] } });
}

export const calls: Flow = {
  name: 'fill with calls',
  prepare: async (world) => {
    const called = newAddress();
    const order = await callOrder(world, called);
    return {
      act: async () => void (await deposit(order)),
      done: async (scene) => {
        const [paid, rest] = await Promise.all([called, order.recipient].map((who) => order.to.balance(who, 'ETH')));
        return paid === PRICE && rest === order.amountOut - PRICE && ended(order, 'success')(scene);
      },
    };
  },
};

/** The user's account pays a third party by code that the fill brings, once. */
export const authorizedCalls: Flow = {
  name: 'fill with authorizations',
  prepare: async (world) => {
    const { b } = world;
    const code = await deploy(b, batcher);
    const account = privateKeyToAccount(generatePrivateKey());
    const { yParity, r, s } = await account.signAuthorization({ address: code, chainId: b.id, nonce: 0 });
    const heir = newAddress();
    const data = encodeFunctionData({
      ...{ abi: batcher.abi, functionName: 'execute' },
      args: [[{ to: heir, value: PRICE, data: '0x' }]],
    });
    const order = await world.order({
      amount: SMALL,
      body: {
        txs: [{ to: account.address, value: toHex(PRICE), data }],
        authorizationList: [{ chainId: b.id, address: code, nonce: 0, yParity, r, s }],
      },
    });
    return {
      act: async () => void (await deposit(order)),
      done: async (scene) => {
        const [paid, rest] = await Promise.all([heir, order.recipient].map((who) => b.balance(who, 'ETH')));
        return paid === PRICE && rest === order.amountOut - PRICE && ended(order, 'success')(scene);
      },
    };
  },
};

export const failingCall: Flow = {
  name: 'refund of a failing call',
  prepare: async (world) => {
    const called = newAddress();
    const order = await callOrder(world, called);
    return {
      act: async () => {
        await beginToRefuse(world.b, called);
        await deposit(order);
      },
      done: async (scene) => (await scene.refunded(order)) && ended(order, 'refund')(scene),
    };
  },
};
