import { PublicKey, SystemProgram } from '@solana/web3.js';
import { minter, publicKeypair, users } from './accounts.js';
import { existing } from './accounts-of-chain.js';
import { rpc } from './rpc.js';
import { confirmed, type LocalTransaction, submit } from './send.js';
import { gifts, type LocalToken, mintCreation, tokenAccount } from './tokens.js';

export interface Roles {
  readonly fill: string;
  readonly vault: string;
  readonly sweeper: string;
}

const COIN = 1_000_000_000n;
const FUNDS = { fill: 100_000n * COIN, sweeper: 1_000n * COIN, user: 10_000n * COIN, minter: 1_000n * COIN } as const;
const TOKENS = { fill: 100_000_000n, vault: 0n, user: 1_000_000n } as const;

/**
 * Idempotent: mints, accounts and missing funds.
 *
 * @returns true when this node was not set up for these roles before.
 */
export async function setUpChain(url: string, roles: Roles, tokens: readonly LocalToken[]): Promise<boolean> {
  const mark = publicKeypair(`seeded for ${roles.fill}, ${roles.vault} and ${roles.sweeper}`).publicKey.toBase58();
  const funded = [
    { owner: roles.fill, lamports: FUNDS.fill, tokens: TOKENS.fill },
    { owner: roles.vault, lamports: await leastBalance(url), tokens: TOKENS.vault },
    ...users.map(({ address }) => ({ owner: address, lamports: FUNDS.user, tokens: TOKENS.user })),
  ];
  const payer = minter.publicKey.toBase58();
  const accounts = tokens.flatMap((token) => funded.map(({ owner }) => tokenAccount(token, owner).toBase58()));
  const mints = tokens.map(({ keys }) => keys.publicKey.toBase58());
  const known = await existing(url, [
    mark,
    payer,
    roles.sweeper,
    ...funded.map(({ owner }) => owner),
    ...mints,
    ...accounts,
  ]);
  const isMissing = (address: string): boolean => !known.has(address);

  if (isMissing(payer)) await airdrop(url, payer, FUNDS.minter);
  const coins = funded
    .filter(({ owner }) => isMissing(owner))
    .map(({ owner, lamports }) => airdrop(url, owner, lamports));
  if (isMissing(roles.sweeper)) coins.push(airdrop(url, roles.sweeper, FUNDS.sweeper));
  const made = await Promise.all([
    ...coins,
    ...tokens.map(async (token) => {
      const mint = isMissing(token.keys.publicKey.toBase58()) ? await submit(url, await mintCreation(url, token)) : [];
      const owners = funded.filter(({ owner }) => isMissing(tokenAccount(token, owner).toBase58()));
      return [mint, await Promise.all(gifts(token, owners).map((gift) => submit(url, gift)))].flat();
    }),
  ]);
  const marked = isMissing(mark) ? [await submit(url, await marking(url, mark))] : [];
  await confirmed(url, [...made.flat(), ...marked]);
  return marked.length > 0;
}

function airdrop(url: string, address: string, lamports: bigint): Promise<string> {
  return rpc<string>(url, 'requestAirdrop', [address, Number(lamports)]);
}

async function leastBalance(url: string): Promise<bigint> {
  return BigInt(await rpc<number>(url, 'getMinimumBalanceForRentExemption', [0]));
}

async function marking(url: string, mark: string): Promise<LocalTransaction> {
  const transfer = {
    fromPubkey: minter.publicKey,
    toPubkey: new PublicKey(mark),
    lamports: await leastBalance(url),
  };
  return { signers: [minter], instructions: [SystemProgram.transfer(transfer)] };
}
