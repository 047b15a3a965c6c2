import type { Clock, Hex } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import { encodeAbiParameters, keccak256, stringToHex } from 'viem/utils';
import { permitTokenAbi } from './abi.js';
import { readAnswer } from './read.js';
import type { TokenDomain } from './terms.js';

export interface TokenPermits {
  /** Undefined: no domain that its separator proves, and so no permits of its own. */
  readonly domain?: TokenDomain;
  readonly receives: boolean;
  readonly permits: boolean;
}

const RECEIVE_TYPE = keccak256(
  stringToHex(
    'ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
  ),
);
const PERMIT_TYPE = keccak256(
  stringToHex('Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)'),
);
const ANY_ACCOUNT: Hex = `0x${'00'.repeat(19)}01`;
/** Tokens behind proxies may change. */
const LIFE_MS = 3_600_000;

/** What tokens support, as they answer. */
export class PermitsOfTokens {
  readonly #chainId: number;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #known = new Map<string, { readonly found: TokenPermits; readonly until: number }>();

  constructor(chainId: number, clock: Pick<Clock, 'now'>) {
    this.#chainId = chainId;
    this.#clock = clock;
  }

  /** @throws TransportError, RpcError when the provider does not answer. */
  async of(provider: Provider, token: Hex): Promise<TokenPermits> {
    const known = this.#known.get(token);
    if (known !== undefined && known.until > this.#clock.now()) return known.found;
    const found = await readPermits(provider, token, this.#chainId);
    this.#known.set(token, { found, until: this.#clock.now() + LIFE_MS });
    return found;
  }
}

async function readPermits(provider: Provider, token: Hex, chainId: number): Promise<TokenPermits> {
  const ask = <T>(name: string, args: readonly unknown[] = []) =>
    readAnswer<T>(provider, token, permitTokenAbi, name, args);
  const [separator, described, name, version, nonce, permitType, receiveType] = await Promise.all([
    ask<Hex>('DOMAIN_SEPARATOR'),
    ask<readonly [Hex, string, string]>('eip712Domain'),
    ask<string>('name'),
    ask<string>('version'),
    ask<bigint>('nonces', [ANY_ACCOUNT]),
    ask<Hex>('PERMIT_TYPEHASH'),
    ask<Hex>('RECEIVE_WITH_AUTHORIZATION_TYPEHASH'),
  ]);
  const stated = described === undefined ? [] : [{ name: described[1], version: described[2] }];
  const versions = version === undefined ? ['1', '2'] : [version];
  const guessed = name === undefined ? [] : versions.map((one) => ({ name, version: one }));
  const domain = [...stated, ...guessed].find((one) => separatorOf(one, chainId, token) === separator);
  if (domain === undefined) return { receives: false, permits: false };
  return {
    domain,
    receives: receiveType === RECEIVE_TYPE,
    // A token with another permit says so, or is found out by the trial.
    permits: nonce !== undefined && (permitType ?? PERMIT_TYPE) === PERMIT_TYPE,
  };
}

const DOMAIN_TYPE = keccak256(
  stringToHex('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'),
);
const DOMAIN_WORDS = [
  { type: 'bytes32' },
  { type: 'bytes32' },
  { type: 'bytes32' },
  { type: 'uint256' },
  { type: 'address' },
] as const;

function separatorOf({ name, version }: TokenDomain, chainId: number, token: Hex): Hex {
  const [named, versioned] = [name, version].map((text) => keccak256(stringToHex(text))) as [Hex, Hex];
  return keccak256(encodeAbiParameters(DOMAIN_WORDS, [DOMAIN_TYPE, named, versioned, BigInt(chainId), token]));
}
