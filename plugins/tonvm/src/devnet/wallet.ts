import { setTimeout as delay } from 'node:timers/promises';
import type { DevnetAccount } from '@causeway/core';
import { Address, Cell, internal, loadStateInit, type MessageRelaxed, type StateInit } from '@ton/core';
import { JettonMaster, JettonWallet, TonClient } from '@ton/ton';
import { accountOf, isNative } from '../addresses.js';
import { seqnoOf, signedOrder, type TonSigner, tonSigner, unsignedOrder } from '../wallet.js';

/** A user's wallet, for local builds. Not part of the running plugin. */

const POLL_MS = 50;
const INCLUSION_TIMEOUT_MS = 60_000;
/** Life of signed messages, seconds. */
const LIFE_S = 300;
const MAX_MESSAGES = 4;

/** With a key, so that users are not rate-limited. */
export function userClient(endpoint: string): TonClient {
  return new TonClient({ endpoint, apiKey: 'user' });
}

export async function submit(url: string, signer: TonSigner, messages: readonly MessageRelaxed[]): Promise<string> {
  const client = userClient(url);
  const numberOf = async () => {
    const { data } = await client.getContractState(Address.parse(signer.raw));
    return seqnoOf(data === null ? undefined : Cell.fromBoc(data)[0]);
  };
  const seqno = await numberOf();
  const { timestampt } = await client.getContractState(Address.parse(signer.raw));
  const order = signedOrder(signer, unsignedOrder(signer, { seqno, messages, validUntil: timestampt + LIFE_S }));
  await client.sendFile(Buffer.from(order.bytes, 'base64'));
  for (const end = performance.now() + INCLUSION_TIMEOUT_MS; performance.now() < end; await delay(POLL_MS))
    if ((await numberOf()) > seqno) return order.hash;
  throw new Error(`${order.hash} is in no block`);
}

export async function sendStep(
  { privateKey }: DevnetAccount,
  rpcUrl: string,
  data: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { messages } = data;
  if (!Array.isArray(messages) || messages.length === 0 || messages.length > MAX_MESSAGES)
    throw new Error(`the step has no messages, or more than ${MAX_MESSAGES}`);
  return await submit(rpcUrl, tonSigner(privateKey), messages.map(read));
}

function read(message: unknown, n: number): MessageRelaxed {
  const { to, value, body, stateInit, bounce = true } = (message ?? {}) as Readonly<Record<string, unknown>>;
  const where = `message ${n} of the step`;
  if (typeof to !== 'string' || typeof value !== 'string' || !/^[0-9]+$/.test(value))
    throw new Error(`${where} has no recipient, or no value in nanotons`);
  const init = typeof stateInit === 'string' ? { init: stateOf(stateInit) } : {};
  return internal({
    ...{ to: Address.parse(to), value: BigInt(value), bounce: bounce === true },
    ...(typeof body === 'string' ? { body: Cell.fromBase64(body) } : {}),
    ...init,
  });
}

function stateOf(boc: string): StateInit {
  return loadStateInit(Cell.fromBase64(boc).beginParse());
}

export async function balance(rpcUrl: string, address: string, currency: string): Promise<bigint> {
  const client = userClient(rpcUrl);
  const owner = accountOf(address);
  if (isNative(currency)) return await client.getBalance(owner);
  const wallet = await client.open(JettonMaster.create(accountOf(currency))).getWalletAddress(owner);
  return await client.open(JettonWallet.create(wallet)).getBalance();
}
