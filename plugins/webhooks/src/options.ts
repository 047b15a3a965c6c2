/**
 * How a body is signed. `standard`: Standard Webhooks. `timestamped`: `X-Signature-Timestamp` and
 * `X-Signature-SHA256`.
 */
export type SignatureForm = 'standard' | 'timestamped';

export interface EndpointOptions {
  readonly name: string;
  readonly url: string;
  /** Key references, newest first. */
  readonly secrets: readonly string[];
  readonly signatures: readonly SignatureForm[];
  readonly headers: Readonly<Record<string, string>>;
  /** Only requests with one of these chains on either side; empty: all. */
  readonly chains: readonly number[];
  /** Only these statuses; empty: all. */
  readonly statuses: readonly string[];
}

export interface WebhooksOptions {
  readonly endpoints: readonly EndpointOptions[];
  /** Non-public networks and addresses (CIDR) that endpoints may be in. */
  readonly allow: readonly string[];
  readonly ports: readonly number[];
  readonly connectMs: number;
  readonly answerMs: number;
  readonly totalMs: number;
}
