export class RpcError extends Error {
  override readonly name = 'RpcError';
  constructor(
    readonly method: string,
    readonly code: number,
    message: string,
    readonly data: unknown,
  ) {
    super(`${method}: ${message}`);
  }
}

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

interface RpcAnswer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export async function rpc<T>(url: string, method: string, params: readonly unknown[] = []): Promise<T> {
  const [result] = await rpcBatch<T>(url, [{ method, params }]);
  return result as T;
}

export async function rpcBatch<T>(url: string, calls: readonly RpcCall[]): Promise<readonly T[]> {
  if (calls.length === 0) return [];
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${(await response.text()).slice(0, 200)}`);
  const answers = (await response.json()) as readonly RpcAnswer[];
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  return calls.map((call, id) => {
    const answer = byId.get(id);
    if (answer === undefined) throw new RpcError(call.method, 0, 'no answer', undefined);
    const { error } = answer;
    if (error !== undefined) throw new RpcError(call.method, error.code, error.message, error.data);
    return answer.result as T;
  });
}

export function quantity(value: bigint | number): `0x${string}` {
  return `0x${value.toString(16)}`;
}

export function isSet(word: string | undefined): boolean {
  return word !== undefined && word !== '0x' && BigInt(word) !== 0n;
}
