import { join } from 'node:path';
import { parseEther, parseUnits } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenAbi } from '../support/chain.js';
import { ADMIN_KEY } from '../support/config.js';
import { Running } from '../support/service.js';
import { until } from '../support/until.js';
import { depositDirectly, FAUCET, fund, pay, walletOf } from '../support/wallet.js';
import { type Order, World } from '../support/world.js';

/**
 * One day of an operator, in order: healthy parts cause no output, faults are named where an operator looks. Uses
 * only the CLI and the public interface.
 */
let world: World;

beforeAll(async () => {
  world = await World.prepare();
});

afterAll(async () => {
  await world?.close();
});

const usd = (amount: string) => parseUnits(amount, 6);

async function causeway(...args: string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  const env = { CAUSEWAY_URL: world.rest.baseUrl, CAUSEWAY_ADMIN_KEY: ADMIN_KEY };
  const process = new Running(args, env, world.home.dir);
  const { code } = await process.end(`of causeway ${args.join(' ')}`, 20_000);
  return { code, output: process.output };
}

/** @throws unless doctor and audit both report nothing. */
async function allIsWell(): Promise<void> {
  await until(
    'the books balance and nothing is open',
    async () => {
      await world.finalise();
      const { covered, unsettled } = await world.rest.audit();
      return covered && unsettled === 0;
    },
    { ms: 30_000, every: 500 },
  );
  const audit = await causeway('audit', world.home.config);
  expect(audit.code, audit.output).toBe(0);
  expect(audit.output).toMatch(/the books balance.*0 requests not settled, 0 holds, 0 halted lanes/);
  const doctor = await causeway('doctor', world.home.config);
  expect(doctor.code, doctor.output).toBe(0);
}

async function filled(order: Order): Promise<void> {
  await pay(order.from, order.user, order.quote);
  await world.becomes(order, 'success');
}

const refusal = async () => {
  const { a, b } = world;
  return world.rest.refusedQuote({
    user: FAUCET.address,
    originChainId: a.id,
    destinationChainId: b.id,
    originCurrency: a.currency('ETH'),
    destinationCurrency: b.currency('ETH'),
    amount: parseEther('1').toString(),
    tradeType: 'EXACT_INPUT',
  });
};

describe('an operator’s day', () => {
  it('does not begin with a key that the contracts do not know', async () => {
    const right = world.keys.allocator.privateKey;
    world.home.secret('keys/allocator', generatePrivateKey());
    const doctor = await causeway('doctor', world.home.config);
    expect(doctor.code).toBe(1);
    expect(doctor.output).toMatch(/alpha.*allocator|allocator.*alpha/s);
    const start = new Running(['start', world.home.config], {}, world.home.dir);
    const { code } = await start.end('because nothing could be collected', 20_000);
    expect(code).not.toBe(0);
    expect(start.output).toMatch(/signers\.allocator|allocator/);
    world.home.secret('keys/allocator', right);
    expect((await causeway('doctor', world.home.config)).code).toBe(0);
  });

  it('begins with the right ones', async () => {
    await world.boot();
    await filled(await world.order({ amount: parseEther('1') }));
    await allIsWell();
  });

  it('goes on where a third party sends dust, and where a third party gives money away', async () => {
    const { user, orderId } = await world.order({ amount: parseEther('1') });
    await depositDirectly(world.a, user, { symbol: 'ETH', amount: 1_000n, id: orderId });
    const { a } = world;
    await fund(a, user.address, { USDC: usd('300') });
    await walletOf(a, user).writeContract({
      address: a.currency('USDC'),
      abi: tokenAbi,
      functionName: 'transfer',
      args: [a.depository, usd('300')],
    });
    await world.a.finalise();
    await filled(await world.order({ amount: parseEther('1') }));
  });

  it('pauses with a reason that clients read, and resumes', async () => {
    const scope = ['--chain', String(world.b.id)];
    expect((await causeway('pause', ...scope, '--reason', 'the bridge is being painted')).code).toBe(0);
    const { status, body } = await refusal();
    expect({ status, ...body }).toMatchObject({ status: 400, errorCode: 'CHAIN_DISABLED', retriable: true });
    expect(body.message).toContain('the bridge is being painted');
    const chains = await (await fetch(`${world.rest.baseUrl}/chains`)).text();
    expect(chains).toContain('"disabled":true');
    expect((await causeway('resume', ...scope)).code).toBe(0);
    expect((await refusal()).status).toBe(200);
  });

  it('collects a token that charges a fee on transfer, and the books still balance', async () => {
    const ask = { input: 'FEE', output: 'USDC', amount: usd('1000'), body: { slippageTolerance: '300' } };
    const before = await world.a.balance(world.keys.fill.address, 'FEE');
    await filled(await world.order(ask));
    await until('it is collected', async () => {
      await world.finalise();
      return (await world.a.balance(world.keys.fill.address, 'FEE')) > before;
    });
    await allIsWell();
  });

  it('puts last night’s ledger back, and nothing is paid twice', async () => {
    const file = join(world.home.dir, 'night.db');
    const order = await world.order({ amount: parseEther('1') });
    expect((await causeway('backup', world.home.config, file)).code).toBe(0);
    await filled(order);
    await world.service.stop();
    const restored = await causeway('restore', world.home.config, file);
    expect(restored.code, restored.output).toBe(0);
    await world.boot();
    await until(
      'the signers go on',
      async () => {
        await world.finalise();
        const { covered, lanes } = await world.rest.audit();
        for (const { chainId, signer, halted } of lanes)
          if (halted !== null) await causeway('lane', 'resume', String(chainId), signer);
        return covered;
      },
      { ms: 40_000, every: 500 },
    );
    expect(await world.b.balance(order.recipient, 'ETH')).toBe(order.amountOut);
  });

  it('ends with a service that goes on as before', async () => {
    await filled(await world.order({ amount: parseEther('1') }));
    await until(
      'the gift is in the books',
      async () => {
        await world.finalise();
        return (await world.rest.audit()).balanced;
      },
      { ms: 100_000, every: 1_000 },
    );
    await allIsWell();
    expect(await world.verdict()).toEqual([
      expect.stringMatching(/: 1 deposits to pay back, 0 refunds$/),
      expect.stringMatching(/holds 300000000 of \w+, its events say 0$/),
    ]);
    const said = world.service.output
      .split('\n')
      .filter((line) => /"level":"(warn|error|fatal)"|"level":[456]0/.test(line));
    expect(said.filter((line) => /round failed/.test(line)).join('\n')).toBe('');
  }, 150_000);
});
