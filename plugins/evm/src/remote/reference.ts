import { type Hex, OptionError } from '@causeway/core';
import { asHex, parseAddress } from '../addresses.js';

const REMOTE = /^remote:([a-z][a-z0-9-]*)#(.*)$/;

export interface RemoteReference {
  /** Id of the remote signer. */
  readonly id: string;
  readonly address: Hex;
}

/**
 * Of `remote:ID#ADDRESS`; undefined for other references.
 *
 * @throws OptionError for one that is not well-formed.
 */
export function remoteReference(text: string, optionPath: string): RemoteReference | undefined {
  if (!text.startsWith('remote:')) return undefined;
  const [, id, named = ''] = REMOTE.exec(text) ?? [];
  if (id === undefined)
    throw new OptionError(optionPath, 'is not remote:ID#ADDRESS, with the id of a remote signer and its account');
  const address = parseAddress(named);
  if (!address.ok) throw new OptionError(optionPath, `names no account of the remote signer: ${address.reason}`);
  return { id, address: asHex(address.value) };
}

/** @throws OptionError if it is remote. @param why what a remote signer cannot do for this role. */
export function refuseRemote(text: string | undefined, optionPath: string, why: string): void {
  if (text !== undefined && remoteReference(text, optionPath) !== undefined)
    throw new OptionError(
      optionPath,
      `cannot be a remote signer, which signs whole transactions only: ${why}; name a key as env:NAME or file:PATH`,
    );
}
