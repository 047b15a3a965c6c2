import { type Address, getAddress } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Anvil, artifacts, deployCauseway, devnet, startAnvil, users } from '../../src/devnet/index.js';
import { Bench } from '../contracts/bench.js';
import { key } from '../support/services.js';

const FILL_KEY = key(1);
const fillSigner = { address: privateKeyToAddress(FILL_KEY), privateKey: FILL_KEY };
const allocator = getAddress('0x2222222222222222222222222222222222222222');

describe('deploying for tests', () => {
  let bench: Bench;
  let anvil: Anvil;
  beforeAll(async () => {
    bench = await Bench.start();
    anvil = bench.anvil;
  });
  afterAll(() => anvil.stop());

  it('sets up roles, tokens and inventory, and does nothing the second time', async () => {
    const funding = { native: 3n * 10n ** 18n, solverTokens: 7n };
    const first = await deployCauseway(anvil, { fillSigner, allocator }, funding);
    const height = await anvil.height();
    expect(await deployCauseway(anvil, { fillSigner, allocator }, funding)).toEqual(first);
    expect(await anvil.height()).toBe(height);

    const { depository, fillRouter, testToken } = artifacts;
    expect(await bench.read(depository.abi, first.depository, 'allocator')).toBe(allocator);
    expect(await bench.read(depository.abi, first.depository, 'owner')).toBe(first.owner.address);
    expect(await bench.read(fillRouter.abi, first.router, 'owner')).toBe(first.owner.address);
    expect(await bench.read(fillRouter.abi, first.router, 'fillers', [fillSigner.address])).toBe(true);
    for (const token of Object.values(first.tokens)) {
      const decimals = await bench.read<number>(testToken.abi, token, 'decimals');
      const unit = 10n ** BigInt(decimals);
      const held = (account: Address) => bench.read<bigint>(testToken.abi, token, 'balanceOf', [account]);
      expect(await held(fillSigner.address)).toBe(7n * unit);
      for (const user of users) expect(await held(user.address)).toBe(1_000_000n * unit);
      expect(await bench.read(testToken.abi, token, 'allowance', [fillSigner.address, first.router])).toBe(
        2n ** 256n - 1n,
      );
    }
    expect(
      await devnet.balance(anvil.rpcUrl, fillSigner.address, '0x0000000000000000000000000000000000000000'),
    ).toBeGreaterThan(29n * 10n ** 17n);
  });

  it('gives two chains the same addresses', async () => {
    const other = await startAnvil({ chainId: 31338, blockTime: 1 });
    try {
      const [here, there] = await Promise.all(
        [anvil, other].map((chain) => deployCauseway(chain, { fillSigner, allocator })),
      );
      expect(there).toEqual(here);
      // It mines by time again.
      const height = await other.height();
      await expect.poll(() => other.height(), { timeout: 5_000 }).toBeGreaterThan(height);
    } finally {
      await other.stop();
    }
  });

  it('reports in one line what cannot be set up, and what to do', async () => {
    const other = await startAnvil({ chainId: 31339 });
    try {
      const { router } = await deployCauseway(anvil, { fillSigner, allocator });
      await other.rpc('anvil_setCode', [router, '0x00']);
      await expect(deployCauseway(other, { fillSigner, allocator })).rejects.toThrow(
        /^chain 31339 could not be set up \(router: the contract at 0x\w+ is of another build.*\): .*--reset.*$/,
      );
    } finally {
      await other.stop();
    }
  });
});
