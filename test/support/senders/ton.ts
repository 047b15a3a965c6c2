import { randomBytes } from 'node:crypto';
import { Address, beginCell, internal, type MessageRelaxed } from '@ton/core';
import { submit } from '../../../plugins/tonvm/src/devnet/wallet.js';
import { tonSigner } from '../../../plugins/tonvm/src/wallet.js';
import { NATIVE, TonChain } from '../families/ton-chain.js';
import type { LocalSide } from '../local-build.js';
import type { Payment, Sender } from './sender.js';

const JETTON_TRANSFER = 0x0f8a7ea5;
/** Nanotons for the jetton wallets' work. */
const ATTACHED = 100_000_000n;

/** One order of a wallet with a message for each payment, as exchanges' wallets send a batch of withdrawals. */
export const tonSender: Sender = {
  newAddress: () => new Address(0, randomBytes(32)).toString({ bounceable: false, urlSafe: true }),
  async send(side, { address, privateKey }, payments) {
    const messages: MessageRelaxed[] = [];
    for (const payment of payments) messages.push(await message(side, address, payment));
    return submit(side.chain.rpcUrl, tonSigner(privateKey), messages);
  },
};

/** No account of these has code when it is paid, and bounceable coins would come back. */
async function message(side: LocalSide, payer: string, { to, symbol, amount }: Payment): Promise<MessageRelaxed> {
  const minter = side.currency(symbol);
  if (minter === NATIVE) return internal({ to: Address.parse(to), value: amount, bounce: false });
  const wallet = await new TonChain(side.chain.rpcUrl).jettonWallet(rawOf(minter), rawOf(payer));
  const body = beginCell()
    .storeUint(JETTON_TRANSFER, 32)
    .storeUint(0, 64)
    .storeCoins(amount)
    .storeAddress(Address.parse(to))
    .storeAddress(Address.parse(payer))
    .storeMaybeRef(null)
    .storeCoins(1n)
    .storeMaybeRef(null)
    .endCell();
  return internal({ to: Address.parse(wallet), value: ATTACHED, bounce: true, body });
}

function rawOf(text: string): string {
  return Address.parse(text).toRawString();
}
