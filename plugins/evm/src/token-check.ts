import type { Hex } from '@causeway/core';
import { type Provider, RpcError } from '@causeway/core/rpc';
import { decodeFunctionResult, hexToBytes, toFunctionSelector } from 'viem/utils';
import { tokenFactsAbi } from './abi.js';
import { brief } from './brief.js';
import type { ChainConfig } from './chain-config.js';
import type { ContractFinding } from './contracts-check.js';
import { revertData } from './reverts.js';

const DECIMALS = toFunctionSelector(tokenFactsAbi[0]);
const SYMBOL = toFunctionSelector(tokenFactsAbi[1]);
/** Characters, `0x` included. */
const MAX_ANSWER_BYTES = 1_024;

export function tokenOptions({ currencies }: Pick<ChainConfig, 'currencies'>): readonly string[] {
  return tokensOf({ currencies }).flatMap((_, n) =>
    ['decimals', 'symbol', 'contractSymbol'].map((option) => `currencies[${n}].${option}`),
  );
}

/** Amounts depend on the decimals and prices on the symbol, so neither is taken from the options alone. */
export async function checkTokens(
  provider: Provider,
  config: Pick<ChainConfig, 'currencies' | 'contractSymbols'>,
): Promise<readonly ContractFinding[]> {
  const found = await Promise.all(
    tokensOf(config).map(async ({ address, symbol, decimals }, n) => {
      const [says, calls] = await Promise.all([
        ask(provider, address, DECIMALS).then(decimalsIn),
        ask(provider, address, SYMBOL).then(symbolIn),
      ]);
      const at = `currencies[${n}]`;
      if (says === undefined)
        return [fatal(`${at}.decimals`, `${symbol}: no token at ${address}, it returns no decimals`)];
      const wrong: ContractFinding[] = [];
      if (says !== decimals)
        wrong.push(
          fatal(`${at}.decimals`, `${symbol}: the contract at ${address} has ${says} decimals, not ${decimals}`),
        );
      return [...wrong, ...judgeSymbol(at, address, symbol, config.contractSymbols.get(address), calls)];
    }),
  );
  return found.flat();
}

/** @param stated The contract's symbol if it differs from the displayed one; empty: it returns none. */
function judgeSymbol(
  at: string,
  address: string,
  symbol: string,
  stated: string | undefined,
  calls: string | undefined,
): readonly ContractFinding[] {
  const expected = stated ?? symbol;
  if ((calls ?? '') === expected) return [];
  if (calls === undefined && stated === undefined) {
    const message = `${symbol}: the contract at ${address} returns no symbol; where that is right, say so by contractSymbol: ""`;
    return [{ fatal: false, option: `${at}.symbol`, message }];
  }
  const reported = calls === undefined ? 'returns no symbol' : `calls itself ${JSON.stringify(brief(calls))}`;
  const message = `${symbol}: the contract at ${address} ${reported}, not ${JSON.stringify(expected)}`;
  if (stated !== undefined) return [fatal(`${at}.contractSymbol`, message)];
  return [fatal(`${at}.symbol`, `${message}; where it is the right one, say so by contractSymbol`)];
}

function fatal(option: string, message: string): ContractFinding {
  return { fatal: true, option, message };
}

export function tokensOf({ currencies }: Pick<ChainConfig, 'currencies'>) {
  return [...currencies.values()].filter(({ isNative }) => !isNative);
}

async function ask({ rpc }: Provider, to: string, data: Hex): Promise<Hex | undefined> {
  try {
    return await rpc.request<Hex>('eth_call', [{ to, data }, 'latest']);
  } catch (error) {
    if (error instanceof RpcError && revertData(error) !== undefined) return undefined;
    throw error;
  }
}

function decimalsIn(answer: Hex | undefined): number | undefined {
  if (answer === undefined || answer.length !== 66) return undefined;
  const decimals = BigInt(answer);
  return decimals <= 255n ? Number(decimals) : undefined;
}

/** A string, or 32 bytes padded with zeros from the oldest tokens. */
function symbolIn(answer: Hex | undefined): string | undefined {
  if (answer === undefined || answer.length < 66 || answer.length > MAX_ANSWER_BYTES) return undefined;
  try {
    if (answer.length > 66) return decodeFunctionResult({ abi: tokenFactsAbi, functionName: 'symbol', data: answer });
    const bytes = hexToBytes(answer);
    const end = bytes.indexOf(0);
    return new TextDecoder('utf-8', { fatal: true }).decode(end < 0 ? bytes : bytes.subarray(0, end)) || undefined;
  } catch {
    return undefined;
  }
}
