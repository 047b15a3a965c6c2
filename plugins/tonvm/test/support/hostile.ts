import type { RestFaultProxy } from '@causeway/core/testing';
import {
  Address,
  beginCell,
  Cell,
  contractAddress,
  Dictionary,
  loadTransaction,
  type Message,
  type StateInit,
  storeTransaction,
  type Transaction,
  toNano,
} from '@ton/core';
import { compile } from '../../scripts/compile.mjs';
import { textOf } from '../../src/addresses.js';
import { localJetton, mintBody } from '../../src/devnet/jettons.js';
import type { JettonOptions } from '../../src/options.js';
import { type Ground, type GroundJetton, JETTONS } from './ground.js';
import { sendFrom, testWallet } from './wallets.js';

export interface Lies {
  readonly acceptsAnyWallet?: boolean;
  readonly boasts?: number;
  readonly swallows?: boolean;
  readonly hides?: boolean;
}

const GAS = toNano('0.2');

async function lyingCode({
  acceptsAnyWallet = false,
  boasts = 1,
  swallows = false,
  hides = false,
}: Lies): Promise<Cell> {
  const lies = `const ACCEPTS_ANY_WALLET = ${acceptsAnyWallet}; const BOASTS = ${boasts};
const SWALLOWS = ${swallows}; const HIDES = ${hides};`;
  return Cell.fromBase64(await compile('hostile/wallet', { 'hostile/lies.tolk': lies }));
}

export async function lyingJetton(place: Ground, symbol: string, lies: Lies): Promise<GroundJetton> {
  const admin = testWallet('admin');
  const walletCode = await lyingCode(lies);
  const made = localJetton({ admin: admin.contract.address, symbol, decimals: 6, walletCode });
  for (const [n, { contract }] of [place.fill, ...place.users].entries()) {
    const init = n === 0 ? { init: made.init } : {};
    const body = mintBody(contract.address, JETTONS, GAS);
    await sendFrom(place.client, admin, { to: made.minter, value: GAS * 3n, bounce: true, body, ...init });
    await place.node.dev('settle');
  }
  return { ...made, symbol, currency: textOf(made.minter) };
}

export function optionsOfJetton({ symbol, currency }: GroundJetton): JettonOptions {
  const names = { symbol, name: `${symbol} jetton`, address: currency, decimals: 6, group: symbol.toLowerCase() };
  return { ...names, attach: '50000000' };
}

/** Code that refuses everything, or burns all gas. */
export async function setHostile(place: Ground, address: string, what: 'refuses' | 'burns'): Promise<void> {
  const burns = `const BURNS = ${what === 'burns'};`;
  const code = await compile('hostile/recipient', { 'hostile/what.tolk': burns });
  const data = new Cell().toBoc().toString('base64');
  const raw = Address.parse(address).toRawString();
  await place.node.dev('set', { address: raw, amount: toNano(1).toString(), code, data });
}

/** False wallets for a real minter, with other code. */
export interface FakeWallets {
  readonly code: Cell;
  readonly initOf: (owner: Address) => StateInit;
  readonly walletOf: (owner: Address) => Address;
}

export async function fakeWallets(minter: Address, lies: Lies): Promise<FakeWallets> {
  const code = await lyingCode(lies);
  const initOf = (owner: Address): StateInit => ({
    code,
    data: beginCell().storeCoins(0).storeAddress(owner).storeAddress(minter).storeRef(code).endCell(),
  });
  return { code, initOf, walletOf: (owner) => contractAddress(0, initOf(owner)) };
}

export function lieAbout(proxy: RestFaultProxy, minter: Address, { code, walletOf }: FakeWallets): void {
  const bytesOf = (cell: Cell) => cell.toBoc().toString('base64');
  proxy.plan = ({ body }) => {
    if (!body.includes('"runGetMethod"') || !body.includes(minter.toRawString())) return 'pass';
    const { method, stack } = (JSON.parse(body) as MethodCall).params;
    return {
      rewrite: ({ status, body: reported }) => {
        const answer = JSON.parse(reported) as { readonly result: { readonly stack: unknown[] } };
        if (method === 'get_jetton_data') answer.result.stack[4] = ['cell', { bytes: bytesOf(code) }];
        else {
          const owner = Cell.fromBase64(stack[0]?.[1] ?? '')
            .beginParse()
            .loadAddress();
          const cell = beginCell().storeAddress(walletOf(owner)).endCell();
          answer.result.stack[0] = ['cell', { bytes: bytesOf(cell) }];
        }
        return { status, body: JSON.stringify(answer) };
      },
    };
  };
}

interface MethodCall {
  readonly params: { readonly method: string; readonly stack: readonly (readonly [string, string])[] };
}

/** A copy of a real transaction whose account refused the message or whose code failed. */
function refusedInstead(data: string): string {
  const real = loadTransaction(Cell.fromBase64(data).beginParse());
  const { description } = real;
  if (description.type !== 'generic') return data;
  const bouncePhase = { type: 'no-funds', messageSize: { cells: 1n, bits: 1n }, requiredForwardFees: 1n } as const;
  const none = { outMessages: Dictionary.empty<number, Message>(), outMessagesCount: 0 };
  const refused = { ...real, ...none, description: { ...description, aborted: true, bouncePhase } } as Transaction;
  return beginCell().store(storeTransaction(refused)).endCell().toBoc().toString('base64');
}

/**
 * Each takes one provider and no key. `came back`: refused by the recipient. `failed`: by the wallet. `never was`:
 * the history ends before it.
 */
export const INVENTED_ENDS = ['came back', 'failed', 'never was'] as const;

/**
 * @param before base64 and lt of the wallet's newest transaction before it paid, as its state names it.
 * @param order data of the paying transaction.
 */
export function inventEnd(
  proxy: RestFaultProxy,
  end: (typeof INVENTED_ENDS)[number],
  wallet: string,
  { before, order }: { readonly before: object; readonly order: string },
): void {
  const rewrite = (change: (result: never) => unknown) => ({
    rewrite: ({ status, body }: { readonly status: number; readonly body: string }) => {
      const answer = JSON.parse(body) as { readonly ok: boolean; readonly result: never };
      return { status, body: answer.ok ? JSON.stringify({ ...answer, result: change(answer.result) }) : body };
    },
  });
  const forged = refusedInstead(order);
  const name = Cell.fromBase64(forged).hash();
  const isAbout = (body: string, method: string) => body.includes(`"${method}"`) && body.includes(wallet);
  proxy.plan = ({ body }) => {
    if (end === 'came back' && body.includes('"tryLocateResultTx"'))
      return rewrite(({ data, ...rest }: { readonly data: string }) => ({ ...rest, data: refusedInstead(data) }));
    if (end === 'never was' && isAbout(body, 'getAddressInformation'))
      return rewrite((account: object) => ({ ...account, last_transaction_id: before }));
    if (end === 'failed' && isAbout(body, 'getAddressInformation'))
      return rewrite((account: { readonly last_transaction_id: object }) => ({
        ...account,
        last_transaction_id: { ...account.last_transaction_id, hash: name.toString('base64') },
      }));
    if (end === 'failed' && isAbout(body, 'getTransactions') && body.includes(name.toString('hex')))
      return { status: 200, body: JSON.stringify({ ok: true, result: [{ data: forged }] }) };
    return 'pass';
  };
}
