import { createHash } from 'node:crypto';
import {
  beginCell,
  type Cell,
  external,
  internal,
  type MessageRelaxed,
  SendMode,
  type StateInit,
  storeMessage,
} from '@ton/core';
import { keyPairFromSeed } from '@ton/crypto';
import { type TonClient, WalletContractV5R1 } from '@ton/ton';

export interface TestWallet {
  readonly contract: WalletContractV5R1;
  readonly secretKey: Buffer;
}

/** Life of signed messages, seconds. */
const LIFE_S = 300;

export function testWallet(name: string): TestWallet {
  const { publicKey, secretKey } = keyPairFromSeed(createHash('sha256').update(`tonvm test ${name}`).digest());
  return { contract: WalletContractV5R1.create({ publicKey }), secretKey };
}

export interface Sending {
  readonly seqno: number;
  readonly messages: readonly MessageRelaxed[];
  /** Unix seconds; absent: a minute from now. */
  readonly validUntil?: number;
  readonly mode?: number;
}

export function signed({ contract, secretKey }: TestWallet, sending: Sending): Cell {
  const { seqno, messages, validUntil, mode = SendMode.PAY_GAS_SEPARATELY } = sending;
  const body = contract.createTransfer({
    ...{ seqno, secretKey, messages: [...messages], sendMode: mode | SendMode.IGNORE_ERRORS },
    ...(validUntil === undefined ? {} : { timeout: validUntil }),
  });
  const init: StateInit | undefined = seqno === 0 ? contract.init : undefined;
  return beginCell()
    .store(storeMessage(external({ to: contract.address, body, ...(init ? { init } : {}) })))
    .endCell();
}

/** Uses the current seqno. @returns hash of the external message, hex. */
export async function sendFrom(
  client: TonClient,
  wallet: TestWallet,
  ...messages: readonly Parameters<typeof internal>[0][]
): Promise<string> {
  const seqno = await client.open(wallet.contract).getSeqno();
  // The chain's clock may be ahead.
  const { timestampt } = await client.getContractState(wallet.contract.address);
  const cell = signed(wallet, {
    seqno,
    validUntil: timestampt + LIFE_S,
    messages: messages.map((one) => internal(one)),
  });
  await client.sendFile(cell.toBoc());
  return cell.hash().toString('hex');
}
