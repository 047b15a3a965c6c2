import { devnet, newAccount } from '@causeway/plugin-svm/devnet';
import { PublicKey, SystemProgram, TransactionInstruction } from '@solana/web3.js';
import type { LocalSide } from '../local-build.js';
import type { Payment, Sender } from './sender.js';

const TOKENS = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
const ASSOCIATED = new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
const [OPEN_IDEMPOTENT, TRANSFER_CHECKED] = [1, 12];

/** Coins, and tokens of the classic program; each opens the payee's token account where there is none. */
export const svmSender: Sender = {
  newAddress: () => newAccount().address,
  send(side, payer, payments) {
    const instructions = payments.flatMap((payment) => transfer(side, payer.address, payment)).map(listed);
    return devnet.sendStep(payer, side.chain.rpcUrl, { instructions });
  },
};

function transfer(
  { chain, currency }: LocalSide,
  payer: string,
  { to, symbol, amount }: Payment,
): readonly TransactionInstruction[] {
  const [from, payee] = [new PublicKey(payer), new PublicKey(to)];
  const [coin] = chain.currencies;
  if (symbol === coin?.symbol) return [SystemProgram.transfer({ fromPubkey: from, toPubkey: payee, lamports: amount })];
  const mint = new PublicKey(currency(symbol));
  const { decimals = 0 } = chain.currencies.find((one) => one.symbol === symbol) ?? {};
  const [source, target] = [accountOf(from, mint), accountOf(payee, mint)];
  const data = Buffer.alloc(10);
  data.writeUInt8(TRANSFER_CHECKED);
  data.writeBigUInt64LE(amount, 1);
  data.writeUInt8(decimals, 9);
  return [
    instruction(ASSOCIATED, Buffer.from([OPEN_IDEMPOTENT]), [
      [from, 'pays'],
      [target, 'changes'],
      [payee, 'is read'],
      [mint, 'is read'],
      [SystemProgram.programId, 'is read'],
      [TOKENS, 'is read'],
    ]),
    instruction(TOKENS, data, [
      [source, 'changes'],
      [mint, 'is read'],
      [target, 'changes'],
      [from, 'pays'],
    ]),
  ];
}

function accountOf(owner: PublicKey, mint: PublicKey): PublicKey {
  return PublicKey.findProgramAddressSync([owner.toBuffer(), TOKENS.toBuffer(), mint.toBuffer()], ASSOCIATED)[0];
}

type Use = 'pays' | 'changes' | 'is read';

function instruction(
  programId: PublicKey,
  data: Buffer,
  accounts: readonly (readonly [PublicKey, Use])[],
): TransactionInstruction {
  const keys = accounts.map(([pubkey, use]) => ({ pubkey, isSigner: use === 'pays', isWritable: use !== 'is read' }));
  return new TransactionInstruction({ programId, data, keys });
}

function listed({ programId, keys, data }: TransactionInstruction): object {
  return {
    programId: programId.toBase58(),
    keys: keys.map(({ pubkey, ...use }) => ({ pubkey: pubkey.toBase58(), ...use })),
    data: data.toString('hex'),
  };
}
