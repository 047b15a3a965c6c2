import { expect, it } from 'vitest';
import { ApiError } from '../../src/errors/api-error.js';
import { address } from '../api/support/chain-double.js';
import { alpha, beta, quoted, quoterWith } from './support/quoter-with.js';

const VAULT = address('7');

it('refuses the vault behind a depository, as a recipient and for refunds', async () => {
  const withVault = ({ adapter }: typeof alpha) => ({
    ...adapter,
    facts: { ...adapter.facts, depositoryVault: VAULT },
  });
  const chains = new Map([
    [1, withVault(alpha)],
    [2, withVault(beta)],
  ]);
  const answers = [{ recipient: VAULT }, { refundTo: VAULT }, { user: VAULT, recipient: address('9') }];
  const reported = await Promise.all(answers.map((change) => quoted(quoterWith({ chains }), change)));
  expect(reported.map((answer) => (answer instanceof ApiError ? [answer.code, answer.errorData] : 'OK'))).toMatchObject(
    [
      ['INVALID_RECIPIENT', { field: 'recipient' }],
      ['INVALID_ADDRESS', { field: 'refundTo' }],
      ['INVALID_ADDRESS', { field: 'user' }],
    ],
  );
});

it('names the cap of a day, which no later try of that day passes', async () => {
  const engine = {
    available: () => 10n ** 40n,
    volumeLeft: () => 5_000_000n,
    paused: () => null,
    pauseReason: () => null,
    shortOfSpace: () => false,
    unserved: () => null,
    earmark: () => [],
  };
  const answer = await quoted(quoterWith({ engine }), { amount: '6000000' });
  expect(answer).toMatchObject({ code: 'INSUFFICIENT_LIQUIDITY', retriable: false });
  expect((answer as ApiError).message).toContain('at most 5.000000 USD more');
});
