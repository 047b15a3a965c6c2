import { parseEther, toFunctionSelector } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { allowFillerCall } from '../../src/set-up/contracts.js';
import { create2Deployer } from '../../src/set-up/create2.js';
import { remoteSignerOf } from '../support/remote.js';
import { key } from '../support/services.js';
import { contractsIn, type Deployer, latest, named, newDeployer, runSetUp } from '../support/set-up.js';
import { startWorld, type World } from '../support/world.js';

const WHOLE = ['depository', 'router', 'swapEntry'] as const;
const TOKENS = ['USDC', 'USDT', 'FEE', 'BLOCK'] as const;

let world: World;
let next = 100;
let n = 0;
let who: Deployer;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.anvil.stop());

beforeEach(async () => {
  n = next;
  next += 3;
  who = newDeployer(n);
  for (const address of [who.fill, who.payer]) await world.anvil.setBalance(address, parseEther('10'));
});

const nonceOf = async (address: string) =>
  Number(await world.anvil.rpc<string>('eth_getTransactionCount', [address, 'latest']));
const codeAt = (address: string) => world.anvil.rpc<string>('eth_getCode', [address, 'latest']);
const addressAt = async (contract: string, getter: string) => {
  const data = toFunctionSelector(`${getter}()`);
  const answer = await world.anvil.rpc<string>('eth_call', [{ to: contract, data }, 'latest']);
  return `0x${answer.slice(26)}`;
};
const sendFrom = async (from: string, transaction: object) => {
  await world.anvil.rpc('anvil_impersonateAccount', [from]);
  await world.anvil.rpc('eth_sendTransaction', [{ from, ...transaction }]);
  await world.anvil.rpc('anvil_stopImpersonatingAccount', [from]);
};

/** Without the usual deployer, as some chains are. */
async function withoutDeployer<T>(task: () => Promise<T>): Promise<T> {
  const code = await codeAt(create2Deployer);
  await world.anvil.rpc('anvil_setCode', [create2Deployer, '0x']);
  try {
    return await task();
  } finally {
    await world.anvil.rpc('anvil_setCode', [create2Deployer, code]);
  }
}

describe('a set-up', () => {
  it('deploys, allows the filler and approves every token; run again, it sends nothing', async () => {
    const dry = await runSetUp(world, n, { dryRun: true });
    expect(new Set(dry.filter(({ name }) => !name.startsWith('funds')).map(({ state }) => state))).toEqual(
      new Set(['missing']),
    );
    expect(await nonceOf(who.fill)).toBe(0);
    const made = await runSetUp(world, n);
    const names = [...WHOLE, 'filler', ...TOKENS.map((symbol) => `approval of ${symbol}`)];
    expect(latest(made)).toMatchObject(Object.fromEntries(names.map((name) => [name, 'made'])));
    const sent = await nonceOf(who.fill);
    expect(sent).toBe(names.length);
    const again = await runSetUp(world, n, { options: { contracts: contractsIn(made) } });
    expect(latest(again)).toEqual(Object.fromEntries(names.map((name) => [name, 'there'])));
    expect(await nonceOf(who.fill)).toBe(sent);
  });

  it('lets another key pay, and approves with the key that pays out', async () => {
    const made = await runSetUp(world, n, { payer: 'env:payer', owner: who.payer });
    expect(new Set(Object.values(latest(made)))).toEqual(new Set(['made', 'there']));
    expect([await nonceOf(who.payer), await nonceOf(who.fill)]).toEqual([WHOLE.length + 1, TOKENS.length]);
  });

  it('signs by a remote signer, also what creates contracts, and says where that signs nothing', async () => {
    const remote = remoteSignerOf(key(n));
    const mute = { ...remote, sign: async () => Promise.reject(new Error('locked')) };
    const failed = await runSetUp(world, n, { remote: mute });
    expect(failed.at(-1)).toMatchObject({ state: 'failed', message: expect.stringContaining('locked') });
    expect(await nonceOf(who.fill)).toBe(0);
    const made = await withoutDeployer(() => runSetUp(world, n, { remote }));
    expect(new Set(Object.values(latest(made)))).toEqual(new Set(['made', 'there']));
    expect(remote.asked.some(({ to }) => to === undefined)).toBe(true);
    expect(await nonceOf(who.fill)).toBe(remote.asked.length);
  });

  it('prints the calls of an owner that is no key of the service, and goes on once they were made', async () => {
    const owner = `0x${'7'.repeat(40)}`;
    const made = await runSetUp(world, n, { owner });
    const router = named(made, 'router')?.option?.value ?? '';
    const data = allowFillerCall(who.fill);
    expect(named(made, 'filler')).toMatchObject({ state: 'missing' });
    expect(named(made, 'filler')?.message).toContain(`its owner ${owner} must call ${router} with ${data}`);
    await world.anvil.setBalance(owner, parseEther('1'));
    await sendFrom(owner, { to: router, data });
    const again = await runSetUp(world, n, { owner, options: { contracts: contractsIn(made) } });
    expect(new Set(Object.values(latest(again)))).toEqual(new Set(['there']));
  });

  it('prints the call that changes the allocator, and never sends it', async () => {
    const contracts = contractsIn(await runSetUp(world, n));
    const others = newDeployer(n + 1);
    const sent = await nonceOf(who.fill);
    // The next numbers: another fill key and another allocator, on the same contracts.
    await world.anvil.setBalance(others.fill, parseEther('10'));
    const items = await runSetUp(world, n + 1, { options: { contracts } });
    next += 3;
    const call = /let its owner (0x\w{40}) call (0x\w{40}) with (0x\w+)/.exec(named(items, 'allocator')?.message ?? '');
    expect(call?.slice(1, 3)).toEqual([who.fill, contracts.depository]);
    expect(await nonceOf(who.fill)).toBe(sent);
    await sendFrom(who.fill, { to: contracts.depository, data: call?.[3] });
    expect(named(await runSetUp(world, n + 1, { options: { contracts } }), 'allocator')).toBeUndefined();
  });
});

describe('a set-up with a key for calls for others', () => {
  const executes = true;

  it('deploys the permit entry with the Permit2 of the options, once', async () => {
    const { permit2 } = world.deployed;
    const made = await runSetUp(world, n, { executes, options: { contracts: { permit2 } } });
    expect(named(made, 'permitEntry')).toMatchObject({ state: 'made' });
    const { permitEntry = '', depository } = contractsIn(made);
    expect(await Promise.all([addressAt(permitEntry, 'permit2'), addressAt(permitEntry, 'depository')])).toEqual([
      permit2.toLowerCase(),
      depository,
    ]);
    const sent = await nonceOf(who.fill);
    const again = await runSetUp(world, n, { executes, options: { contracts: { ...contractsIn(made), permit2 } } });
    expect(named(again, 'permitEntry')).toMatchObject({ state: 'there' });
    expect(await nonceOf(who.fill)).toBe(sent);
    // Of another build, though a contract is there.
    const wrong = { ...contractsIn(made), permit2, permitEntry: world.deployed.swapEntry };
    const other = await runSetUp(world, n, { executes, options: { contracts: wrong } });
    expect(named(other, 'permitEntry')?.message).toMatch(/is of another build/);
  });

  it('adds one to existing contracts where a Permit2 is named for it', async () => {
    const contracts = contractsIn(await runSetUp(world, n));
    expect(named(await runSetUp(world, n, { executes, options: { contracts } }), 'permitEntry')).toBeUndefined();
    const { permit2 } = world.deployed;
    const added = await runSetUp(world, n, { executes, options: { contracts: { ...contracts, permit2 } } });
    expect(named(added, 'permitEntry')).toMatchObject({ state: 'made' });
    const entry = named(added, 'permitEntry')?.option?.value ?? '';
    expect(await addressAt(entry, 'depository')).toBe(contracts.depository);
  });

  it('deploys nothing with a Permit2 that is not there', async () => {
    const permit2 = `0x${'5'.repeat(40)}`;
    const items = await runSetUp(world, n, { executes, options: { contracts: { permit2 } } });
    expect(named(items, 'permitEntry')).toMatchObject({
      state: 'failed',
      message: expect.stringMatching(/no Permit2/),
    });
    expect(await nonceOf(who.fill)).toBe(0);
  });

  it('finds an entry again that a plain transaction created, without a Permit2', () =>
    withoutDeployer(async () => {
      const made = await runSetUp(world, n, { executes });
      expect(named(made, 'permitEntry')).toMatchObject({ state: 'made' });
      const sent = await nonceOf(who.fill);
      const again = await runSetUp(world, n, { executes });
      expect(contractsIn(again)).toEqual(contractsIn(made));
      expect(await nonceOf(who.fill)).toBe(sent);
    }));
});

describe('a set-up of a chain without the deterministic deployer', () => {
  it('creates the contracts by plain transactions, and finds them again at the nonces of its payer', () =>
    withoutDeployer(async () => {
      const dry = await runSetUp(world, n, { dryRun: true });
      const made = await runSetUp(world, n);
      expect(contractsIn(made)).toEqual(contractsIn(dry));
      expect(new Set(Object.values(latest(made)))).toEqual(new Set(['made', 'there']));
      const sent = await nonceOf(who.fill);
      // The config still names none of them.
      const unnamed = await runSetUp(world, n);
      expect(latest(unnamed)).toMatchObject({ depository: 'there', router: 'there', swapEntry: 'there' });
      expect(contractsIn(unnamed)).toEqual(contractsIn(made));
      const named = await runSetUp(world, n, { options: { contracts: contractsIn(made) } });
      expect(new Set(Object.values(latest(named)))).toEqual(new Set(['there']));
      expect(await nonceOf(who.fill)).toBe(sent);
    }));

  it('goes on where it was stopped, with the depository that is there', () =>
    withoutDeployer(async () => {
      const stop = new AbortController();
      const stopped = await runSetUp(world, n, {
        signal: stop.signal,
        onItem: ({ name, state }) => {
          if (name === 'depository' && state === 'made') stop.abort();
        },
      });
      expect(latest(stopped)).toMatchObject({ depository: 'made', router: 'missing' });
      await sendFrom(who.fill, { to: who.payer, value: '0x1' });
      const made = await runSetUp(world, n);
      expect(contractsIn(made).depository).toBe(contractsIn(stopped).depository);
      expect(contractsIn(made).router).not.toBe(contractsIn(stopped).router);
      expect(latest(made)).toMatchObject({ depository: 'there', router: 'made', filler: 'made' });
    }));

  it('creates nothing elsewhere than announced where its nonce is taken meanwhile', () =>
    withoutDeployer(async () => {
      const items = await runSetUp(world, n, {
        onItem: async ({ name, state }) => {
          if (name === 'depository' && state === 'made') await sendFrom(who.fill, { to: who.payer, value: '0x1' });
        },
      });
      expect(named(items, 'router')).toMatchObject({ state: 'failed' });
      expect(named(items, 'router')?.message).toMatch(/another program used .* then run it again/);
      const again = await runSetUp(world, n);
      expect(latest(again)).toMatchObject({ depository: 'there', router: 'made', swapEntry: 'made', filler: 'made' });
    }));
});

describe('a set-up with bad input', () => {
  it('takes no contract of another build for its own', async () => {
    const depository = world.deployed.tokens.USDC.toLowerCase();
    const items = await runSetUp(world, n, { options: { contracts: { depository, router: world.deployed.router } } });
    expect(named(items, 'depository')).toMatchObject({ state: 'failed' });
    expect(named(items, 'depository')?.message).toBe(
      `the contract at ${depository} is of another build: name one of this version, or remove chains[0].contracts.depository to deploy one`,
    );
    expect(await nonceOf(who.fill)).toBe(0);
  });

  it('deploys nothing for an address that it could not have', async () => {
    const router = `0x${'6'.repeat(40)}`;
    const items = await runSetUp(world, n, { options: { contracts: { router } } });
    expect(named(items, 'router')?.message).toMatch(/^no contract at 0x6+, .*: correct or remove chains/);
    expect(await nonceOf(who.fill)).toBe(0);
  });

  it('sends nothing where the payer cannot pay for all of it', async () => {
    await world.anvil.setBalance(who.fill, 1_000n);
    const items = await runSetUp(world, n);
    expect(named(items, `funds of ${who.fill}`)?.message).toMatch(
      /^holds 0\.000000000000001 ETH and needs 0\.\d+ ETH: send it native coin$/,
    );
    expect(await nonceOf(who.fill)).toBe(0);
  });

  it('signs nothing for an RPC of another chain', async () => {
    const run = runSetUp(world, n, { options: { id: 8453 } });
    await expect(run).rejects.toThrow(/serves chain 31337 instead of 8453/);
    expect(await nonceOf(who.fill)).toBe(0);
  });

  it('signs a call again where another transaction takes its nonce', async () => {
    let isTaken = false;
    const items = await runSetUp(world, n, {
      onItem: async ({ name, state }) => {
        if (isTaken || name !== 'router' || state !== 'sent') return;
        isTaken = true;
        // Signed, and not yet broadcast.
        await sendFrom(who.fill, { to: who.payer, value: '0x1' });
      },
    });
    expect(items.filter(({ name, state }) => name === 'router' && state === 'sent')).toHaveLength(2);
    expect(new Set(Object.values(latest(items)))).toEqual(new Set(['made', 'there']));
  });
});
