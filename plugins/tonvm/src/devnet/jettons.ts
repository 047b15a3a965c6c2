import { readFileSync } from 'node:fs';
import { type Address, beginCell, Cell, contractAddress, type StateInit } from '@ton/core';

interface JettonCode {
  readonly minter: string;
  readonly wallet: string;
  readonly keepingWallet: string;
}

const CODE = JSON.parse(readFileSync(new URL('../../devnet/jettons.json', import.meta.url), 'utf8')) as JettonCode;

const OP_MINT = 0x15;
const OP_INTERNAL_TRANSFER = 0x178d4519;
const ON_CHAIN = 0;

export interface JettonTerms {
  readonly admin: Address;
  readonly symbol: string;
  readonly decimals: number;
  /** Has a transfer fee of one per cent. */
  readonly keeping?: boolean;
  readonly walletCode?: Cell;
}

export interface LocalJetton {
  readonly minter: Address;
  readonly init: StateInit;
  readonly walletCode: Cell;
  walletOf(owner: Address): Address;
}

export function localJetton({ admin, symbol, decimals, keeping = false, walletCode: code }: JettonTerms): LocalJetton {
  const walletCode = code ?? Cell.fromBase64(keeping ? CODE.keepingWallet : CODE.wallet);
  const content = beginCell().storeUint(ON_CHAIN, 8).storeStringTail(`${symbol} ${decimals}`).endCell();
  const data = beginCell().storeCoins(0).storeAddress(admin).storeRef(content).storeRef(walletCode).endCell();
  const init = { code: Cell.fromBase64(CODE.minter), data };
  const minter = contractAddress(0, init);
  return {
    ...{ minter, init, walletCode },
    walletOf: (owner) =>
      contractAddress(0, {
        code: walletCode,
        data: beginCell().storeCoins(0).storeAddress(owner).storeAddress(minter).storeRef(walletCode).endCell(),
      }),
  };
}

export function mintBody(recipient: Address, amount: bigint, coins: bigint): Cell {
  const transfer = beginCell()
    .storeUint(OP_INTERNAL_TRANSFER, 32)
    .storeUint(0, 64)
    .storeCoins(amount)
    .storeAddress(null)
    .storeAddress(null)
    .storeCoins(0)
    .storeBit(false)
    .endCell();
  return beginCell()
    .storeUint(OP_MINT, 32)
    .storeUint(0, 64)
    .storeAddress(recipient)
    .storeCoins(coins)
    .storeRef(transfer)
    .endCell();
}
