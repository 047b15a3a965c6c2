import type { OrderId } from '../../contract/ids.js';
import { balanceDepositId } from '../../domain/app-balance.js';
import { fakeAddress } from '../fake-chain/cheap-hash.js';
import { posting } from './gasless-user.js';
import { increment } from './increment.js';
import { fundingAddress, integratorName, keyRow } from './integrators.js';
import type { BalancePlan, RawCallPlan } from './scenario.js';
import type { ServiceProcess } from './service-process.js';
import type { World } from './world.js';

/** The one that counts for app balances. */
export const BALANCE_CURRENCY = 'USDF';

const CALL_TIMEOUT_MS = 3_000;
const BURNT_WORK = 5_000n;

/** Pays into a depository, for an app balance or for none. */
export async function playBalance(world: World, { id, at, chain: chainId, ...plan }: BalancePlan): Promise<void> {
  await world.clock.sleep(at);
  const chain = world.chain(chainId);
  const currency = chain.currencyOf(plan.pays);
  const known = world.spectator(chainId).currency(currency);
  if (known === undefined) return;
  const integrator = integratorName(plan.integrator);
  const amount = (BigInt(plan.value) * 10n ** BigInt(known.decimals)) / BigInt(world.market.get(known.group));
  const from = plan.names === 'address' ? fundingAddress(integrator) : fakeAddress(`patron ${id}`);
  const orderId: OrderId | null = plan.names === 'id' ? balanceDepositId(integrator) : null;
  const sent = chain.deposit({ from, currency, amount, orderId });
  increment(world.users, `balance: by ${plan.names}`);
  world.note(`patron ${id}`, `pays ${amount} of ${currency} for ${integrator} in ${sent.hash}`);
}

/** A client of `POST /execute`: a call with data of its own, so that each time it is made shows on the chain. */
export async function playRawCall(world: World, plan: RawCallPlan): Promise<void> {
  await world.clock.sleep(plan.at);
  const random = world.random.fork(`raw call ${plan.id}`);
  const chain = world.chain(plan.chain);
  const to = fakeAddress(`callee ${plan.id}`);
  const data = random.hex(40);
  const name = `c${plan.id}`;
  const client = {
    ...{ world, random },
    wait: (least: number, most = least) => world.clock.sleep(random.between(least, most)),
    note: (what: string) => world.note(name, what),
    patiently: <T>(answer: Promise<T>): Promise<T | undefined> =>
      Promise.race([answer.catch(() => undefined), world.clock.sleep(CALL_TIMEOUT_MS).then(() => undefined)]),
  };
  if (plan.callee === 'refusing') chain.block(to);
  let isTried = false;
  if (plan.callee === 'burning') chain.deploy(to, () => ({ work: isTried ? BURNT_WORK : 20n }));
  const key = plan.repeats ? `raw ${plan.id}` : undefined;
  const { life } = world;
  const send = async () => {
    // A restored database knows neither the key nor the call.
    if (world.life !== life) return undefined;
    const post = (process: ServiceProcess) =>
      process.gasless.execute(keyRow(plan.key), { chainId: plan.chain, to, data }, key);
    // Without a key each post is another call.
    return posting(client, `a call to ${to}`, post, plan.repeats ? undefined : 1);
  };
  world.gasless.posted(plan.chain, data);
  const answers = await Promise.all([send(), ...(plan.repeats && random.chance(0.5) ? [send()] : [])]);
  isTried = true;
  if (plan.callee === 'turning') chain.block(to);
  for (const said of answers) {
    if (said?.status !== 200) continue;
    increment(world.users, `call: ${plan.callee}`);
    world.gasless.called(data, (said.body as { readonly requestId: string }).requestId, life);
  }
  if (!plan.repeats || !random.chance(0.5)) return;
  await client.wait(0, 20_000);
  await send();
}
