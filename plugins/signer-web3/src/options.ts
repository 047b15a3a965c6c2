export interface SignerWeb3Options {
  readonly url: string;
  readonly auth?: AuthOptions;
  readonly timeoutMs: number;
  /** Unencrypted HTTP to another machine. */
  readonly allowPlainHttp: boolean;
}

/** Either a bearer token, or a user and a password. */
export interface AuthOptions {
  /** Key reference. */
  readonly bearer?: string;
  readonly user?: string;
  /** Key reference. */
  readonly password?: string;
}
