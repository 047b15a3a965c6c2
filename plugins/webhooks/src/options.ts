/** How a body is signed. `standard`: Standard Webhooks. `timestamped`: `X-Signature-Timestamp` and `X-Signature-SHA256`. */
export type SignatureForm = 'standard' | 'timestamped';

export interface EndpointOptions {
  readonly name: string;
  readonly url: string;
  /** Key references; the first is the newest. */
  readonly secrets: readonly string[];
  readonly signatures: readonly SignatureForm[];
  readonly headers: Readonly<Record<string, string>>;
  /** Requests of these chains alone, on either side; empty: all. */
  readonly chains: readonly number[];
  /** These statuses alone; empty: all. */
  readonly statuses: readonly string[];
}

export interface WebhooksOptions {
  readonly endpoints: readonly EndpointOptions[];
  /** Networks and addresses (CIDR) that endpoints may be in though they are not public. */
  readonly allow: readonly string[];
  readonly ports: readonly number[];
  readonly connectMs: number;
  readonly answerMs: number;
  readonly totalMs: number;
}
