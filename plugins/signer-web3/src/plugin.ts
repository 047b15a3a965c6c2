import { definePlugin, type Keys, OptionError, type PluginContext } from '@causeway/core';
import { JsonRpcSigner } from './http/json-rpc-signer.js';
import type { AuthOptions, SignerWeb3Options } from './options.js';
import { optionsSchema } from './options-schema.js';

export const plugin = definePlugin<SignerWeb3Options>({
  id: 'signer-web3',
  coreRange: '^0.1.0',
  options: optionsSchema,
  register,
});

function register({ id, options, keys, clock, lifecycle, signers }: PluginContext<SignerWeb3Options>): void {
  const { auth, timeoutMs } = options;
  const stop = new AbortController();
  const url = endpoint(options);
  signers.add(
    new JsonRpcSigner(id, {
      url,
      timeoutMs,
      clock,
      stop: stop.signal,
      ...(auth && { authorization: header(auth, keys) }),
    }),
  );
  lifecycle.onStop(async () => stop.abort());
}

function endpoint({ url, allowPlainHttp }: SignerWeb3Options): string {
  if (!URL.canParse(url)) throw new OptionError('url', 'is not a URL');
  const { protocol, hostname, username, password } = new URL(url);
  if (username !== '' || password !== '') throw new OptionError('url', 'holds credentials: name them under auth');
  // guard: signer-over-tls
  if (protocol !== 'https:' && !isThisMachine(hostname) && !allowPlainHttp)
    throw new OptionError(
      'url',
      'is HTTP to another machine, where anyone between can change what is signed: use https, or set allowPlainHttp',
    );
  return url;
}

function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function header({ bearer, user = '', password = '' }: AuthOptions, keys: Keys): string {
  if (bearer !== undefined) return `Bearer ${keys.secret(bearer)}`;
  return `Basic ${Buffer.from(`${user}:${keys.secret(password)}`, 'utf8').toString('base64')}`;
}
