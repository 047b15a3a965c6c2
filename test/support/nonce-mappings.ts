import { type Address, encodeFunctionData, type Hash, type Hex, parseAbiItem } from 'viem';
import { type TestChain, tokenAbi } from './chain.js';
import type { Deposited } from './history.js';
import type { ErrorBody, Reply } from './rest.js';
import { type User, walletOf } from './wallet.js';
import type { Order, World } from './world.js';

const TRANSFER = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 amount)');

/** As a client composes it. */
export function mappingBody({ from, orderId, user }: Order, nonce: number | string, change: object = {}) {
  return {
    ...{ type: 'nonce-mapping', walletChainId: from.id, wallet: user.address, depositor: user.address },
    ...{ nonce, id: orderId, signatureChainId: from.id, ...change },
  };
}

export function signMapping(signer: User, body: ReturnType<typeof mappingBody>, chain: string): Promise<Hex> {
  return signer.account.signTypedData({
    domain: {
      ...{ name: 'RelayNonceMapping', version: '2', chainId: Number(body.signatureChainId) },
      verifyingContract: '0x0000000000000000000000000000000000000000',
    },
    types: {
      NonceMapping: [
        { name: 'chainId', type: 'string' },
        { name: 'wallet', type: 'address' },
        { name: 'depositor', type: 'address' },
        { name: 'id', type: 'bytes32' },
        { name: 'nonce', type: 'uint256' },
      ],
    },
    primaryType: 'NonceMapping',
    message: {
      ...{ chainId: chain, wallet: body.wallet, depositor: body.depositor },
      ...{ id: body.id, nonce: BigInt(body.nonce) },
    },
  });
}

export async function postMapping(
  world: Pick<World, 'rest'>,
  order: Order,
  nonce: number | string,
  { signer = order.user, change = {} }: { readonly signer?: User; readonly change?: object } = {},
): Promise<Reply<ErrorBody>> {
  const body = mappingBody(order, nonce, change);
  const signature = await signMapping(signer, body, order.from.name);
  return world.rest.call('POST', `/authorize?signature=${signature}`, { body: { ...body, referrer: 'app' } });
}

/** A payer's word that the oracle knows of. */
export interface Mapped {
  readonly chainId: number;
  readonly sender: Address;
  readonly nonce: number;
  readonly orderId: Hex;
}

/**
 * Plain transfers to the depository, by the chain alone: of the order that their transaction was mapped to, or of none. Only in
 * worlds with mappings.
 *
 * @param made deposits by the depository's functions, whose own transfers these are not.
 */
export async function plainDeposits(
  chain: TestChain,
  mapped: readonly Mapped[],
  made: readonly Deposited[],
): Promise<readonly Deposited[]> {
  const here = mapped.filter(({ chainId }) => chainId === chain.id);
  if (here.length === 0) return [];
  const logs = await chain.client.getLogs({
    ...{ address: Object.values(chain.tokens), event: TRANSFER, args: { to: chain.depository } },
    ...{ fromBlock: 0n, toBlock: 'latest', strict: true },
  });
  const plain = logs.filter(({ transactionHash }) => !made.some(({ hash }) => hash === transactionHash));
  return Promise.all(
    plain.map(async ({ address, transactionHash: hash, args: { from, amount } }): Promise<Deposited> => {
      const { nonce, from: sender } = await chain.client.getTransaction({ hash });
      const own = here.find((one) => one.nonce === nonce && one.sender.toLowerCase() === sender.toLowerCase());
      const token = address.toLowerCase();
      return { chainId: chain.id, hash, from: from.toLowerCase(), token, amount, id: own?.orderId ?? 'none' };
    }),
  );
}

/** The next one of the account, pool included. */
export function nextNonce(chain: TestChain, { address }: User): Promise<number> {
  return chain.client.getTransactionCount({ address, blockTag: 'pending' });
}

/** A transfer to the depository that names no order. */
export async function sendPlain(
  chain: TestChain,
  user: User,
  { symbol, amount, nonce }: { readonly symbol: string; readonly amount: bigint; readonly nonce?: number },
): Promise<Hash> {
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [chain.depository, amount] });
  const to = chain.currency(symbol);
  return walletOf(chain, user).sendTransaction({ to, data, ...(nonce === undefined ? {} : { nonce }) });
}

interface SignatureData {
  readonly sign: {
    readonly domain: object;
    readonly types: object;
    readonly primaryType: string;
    readonly value: Readonly<Record<string, unknown>>;
  };
  readonly post: { readonly endpoint: string; readonly method: string; readonly body: object };
}

/** Signs and posts the first step of a quote, as a client that knows nothing but steps. */
export async function takeStep(
  world: Pick<World, 'rest'>,
  { quote, user }: Order,
): Promise<{ readonly signed: SignatureData['sign']['value']; readonly posted: Reply<ErrorBody> }> {
  const data = quote.steps[0]?.items[0]?.data as unknown as SignatureData;
  const { value: message, ...typed } = data.sign;
  const signature = await user.account.signTypedData({ ...typed, message } as never);
  const { endpoint, method, body } = data.post;
  return { signed: message, posted: await world.rest.call(method, `${endpoint}?signature=${signature}`, { body }) };
}
