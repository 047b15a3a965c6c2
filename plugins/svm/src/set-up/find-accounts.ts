import { createAssociatedTokenAccountIdempotentInstruction } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { fetchAccounts } from '../accounts.js';
import { readMint } from '../mints.js';
import { associatedAccount } from '../token-accounts.js';
import { mostCost } from '../transactions/build.js';
import { TYPICAL_UNITS } from '../units.js';
import { type Finding, type Found, rentOf } from './found.js';

const OWNERS: readonly (readonly [role: 'fill' | 'vault', name: string])[] = [
  ['fill', 'the fill signer'],
  ['vault', 'the vault'],
];

/** Token accounts of both roles, for every configured mint. */
export async function findAccounts(finding: Finding): Promise<readonly Found[]> {
  const { config, solver, provider } = finding;
  const tokens = [...config.programs].map(([mint, program]) => ({ mint, program }));
  const mints = await fetchAccounts(
    provider.rpc,
    tokens.map(({ mint }) => mint),
  );
  const found: Found[] = [];
  for (const [n, { mint, program }] of tokens.entries()) {
    const facts = readMint(config, mint, mints[n]);
    const symbol = config.currencies.get(mint)?.symbol ?? mint;
    const addresses = OWNERS.map(([role]) => associatedAccount(mint, solver[role], program));
    const accounts = await fetchAccounts(provider.rpc, addresses, { offset: 0, length: 0 });
    for (const [k, [role, owner]] of OWNERS.entries()) {
      const address = addresses[k] ?? '';
      const name = `${owner}'s account for ${symbol} (${address})`;
      // Coins sent to the address do not create the account.
      if (accounts[k]?.owner === program) found.push({ item: { name, state: 'there', message: 'exists' } });
      else if (typeof facts === 'string') found.push({ item: { name, state: 'failed', message: facts } });
      else {
        const rent = await rentOf(provider.rpc, facts.accountBytes);
        found.push(missing(finding, { name, address, owner: solver[role], mint, program, rent }));
      }
    }
  }
  return found;
}

function missing(
  { payer, price }: Finding,
  account: {
    readonly name: string;
    readonly address: string;
    readonly owner: string;
    readonly mint: string;
    readonly program: string;
    readonly rent: bigint;
  },
): Found {
  const { name, address, rent } = account;
  const [paying, at, owner, mint, program] = [
    ...[payer.address, address, account.owner, account.mint, account.program].map((text) => new PublicKey(text)),
  ] as [PublicKey, PublicKey, PublicKey, PublicKey, PublicKey];
  const make = createAssociatedTokenAccountIdempotentInstruction(paying, at, owner, mint, program);
  return {
    item: {
      name,
      state: 'missing',
      message: 'is missing',
      cost: mostCost(1, TYPICAL_UNITS.opening, price, rent),
    },
    making: {
      steps: [{ payer, signers: [payer], instructions: async () => [make] }],
      done: () => 'is there',
    },
  };
}
