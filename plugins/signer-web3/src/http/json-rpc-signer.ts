import type { RemoteSigner } from '@causeway/core';
import { type BoundedRequest, boundedFetch } from '@causeway/core/http';

export interface Endpoint extends Pick<BoundedRequest, 'url' | 'timeoutMs' | 'clock' | 'stop'> {
  /** Header. Absent: none. */
  readonly authorization?: string;
}

const MAX_REASON_CHARACTERS = 200;
const MAX_BYTES = 2_000_000;

/** `eth_accounts` and `eth_signTransaction` of a server. Each request is sent once: repeating is the caller's decision. */
export class JsonRpcSigner implements RemoteSigner {
  readonly id: string;
  readonly #endpoint: Endpoint;
  #last = 0;

  constructor(id: string, endpoint: Endpoint) {
    this.id = id;
    this.#endpoint = endpoint;
  }

  async accounts(): Promise<readonly string[]> {
    const accounts = await this.#ask('eth_accounts', []);
    if (!Array.isArray(accounts) || accounts.some((one) => typeof one !== 'string'))
      throw new Error('its answer to eth_accounts is no list of addresses');
    return accounts as readonly string[];
  }

  async sign(transaction: Readonly<Record<string, unknown>>): Promise<string> {
    const answer = await this.#ask('eth_signTransaction', [transaction]);
    // Some servers answer with the bytes and their decoded form.
    const raw = isRecord(answer) ? answer['raw'] : answer;
    if (typeof raw !== 'string') throw new Error('its answer to eth_signTransaction is no signed transaction');
    return raw;
  }

  async #ask(method: string, params: readonly unknown[]): Promise<unknown> {
    this.#last += 1;
    const id = this.#last;
    const { authorization, ...endpoint } = this.#endpoint;
    const headers = { 'content-type': 'application/json', ...(authorization === undefined ? {} : { authorization }) };
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    const { status, text } = await boundedFetch({ ...endpoint, method: 'POST', headers, body, maxBytes: MAX_BYTES });
    if (text === undefined) throw new Error(`its answer is longer than ${MAX_BYTES} bytes`);
    const answer = parsed(text);
    if (isRecord(answer?.['error'])) throw new Error(`it refuses ${method}: ${reasonOf(answer['error'])}`);
    if (status !== 200) throw new Error(`it answers ${method} with status ${status}`);
    if (answer === undefined || answer['id'] !== id || answer['result'] === undefined)
      throw new Error(`it answers ${method} with something else than JSON-RPC`);
    return answer['result'];
  }
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Printable and short: others write it, and logs show it. */
function reasonOf(error: Record<string, unknown>): string {
  const { code, message } = error;
  const words = typeof message === 'string' ? message.replace(/[^\x20-\x7e]/g, ' ') : 'no reason';
  return `${words.slice(0, MAX_REASON_CHARACTERS)}${typeof code === 'number' ? ` (${code})` : ''}`;
}
