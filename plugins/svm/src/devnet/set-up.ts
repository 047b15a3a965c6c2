import { PublicKey, SystemProgram } from '@solana/web3.js';
import type { SvmChainOptions } from '../options.js';
import { minter, publicKeypair, users } from './accounts.js';
import { existing } from './accounts-of-chain.js';
import { rpc } from './rpc.js';
import { confirmed, type LocalTransaction, submit } from './send.js';
import { type Solver, setUpSolver } from './solver.js';
import { gifts, inventory, type LocalToken, mintCreation, tokenAccount } from './tokens.js';

export interface Roles extends Solver {
  readonly sweeper: string;
}

const COIN = 1_000_000_000n;
const FUNDS = { fill: 100_000n * COIN, sweeper: 1_000n * COIN, user: 10_000n * COIN, minter: 1_000n * COIN } as const;
const TOKENS = { fill: 100_000_000n, user: 1_000_000n } as const;

/**
 * Idempotent: mints, the users' accounts, missing funds, and what the solver needs.
 *
 * @param chain resolved options, with these tokens alone.
 * @returns true when this node was not set up for these roles before.
 */
export async function setUpChain(
  url: string,
  chain: SvmChainOptions,
  { fill, vault, sweeper }: Roles,
  tokens: readonly LocalToken[],
): Promise<boolean> {
  const mark = publicKeypair(`seeded for ${fill.address}, ${vault.address} and ${sweeper}`).publicKey.toBase58();
  const payer = minter.publicKey.toBase58();
  const funded = [
    { owner: fill.address, lamports: FUNDS.fill },
    { owner: vault.address, lamports: await leastBalance(url) },
    { owner: sweeper, lamports: FUNDS.sweeper },
    ...users.map(({ address }) => ({ owner: address, lamports: FUNDS.user })),
  ];
  const holders = [fill, ...users].map(({ address }) => address);
  const accounts = tokens.flatMap((token) => holders.map((owner) => tokenAccount(token, owner).toBase58()));
  const mints = tokens.map(({ keys }) => keys.publicKey.toBase58());
  const known = await existing(url, [mark, payer, ...funded.map(({ owner }) => owner), ...mints, ...accounts]);
  const isMissing = (address: string): boolean => !known.has(address);
  const lacks = (token: LocalToken, owner: string): boolean => isMissing(tokenAccount(token, owner).toBase58());

  if (isMissing(payer)) await airdrop(url, payer, FUNDS.minter);
  const made = await Promise.all([
    ...funded.filter(({ owner }) => isMissing(owner)).map(({ owner, lamports }) => airdrop(url, owner, lamports)),
    ...tokens
      .filter(({ keys }) => isMissing(keys.publicKey.toBase58()))
      .map(async (token) => submit(url, await mintCreation(url, token))),
  ]);
  const given = tokens.flatMap((token) => {
    const owners = users.map(({ address }) => address).filter((owner) => lacks(token, owner));
    return gifts(token, owners, TOKENS.user);
  });
  const [presents] = await Promise.all([
    Promise.all(given.map((gift) => submit(url, gift))),
    setUpSolver(chain, { fill, vault }),
  ]);
  // Unmarked: an earlier start may have ended after the account was opened, before it held anything.
  const stock = tokens
    .filter((token) => isMissing(mark) || lacks(token, fill.address))
    .map((token) => submit(url, inventory(token, fill.address, TOKENS.fill)));
  const marked = isMissing(mark) ? [await submit(url, await marking(url, mark))] : [];
  await confirmed(url, [...made, ...presents, ...(await Promise.all(stock)), ...marked]);
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
