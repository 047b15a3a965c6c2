import type { DepositObservation } from '../../../contract/deposits.js';
import type { NextNonce, NonceMapping, NonceMappings, SentBy } from '../../../contract/nonce-mappings.js';
import type { TypedData } from '../../../contract/permits.js';
import type { FakeBlock } from '../block-tree.js';
import { stateKey } from '../execution.js';
import type { FakeDeposit } from '../fake-chain-types.js';
import { isSigned } from '../signed-text.js';
import type { AdapterParts, FakeConfig } from './setup.js';

/** Accounts sign mappings as they sign any text. */
export function nonceMappings({ config, providers }: AdapterParts): NonceMappings {
  const typedData = ({ account, nonce, orderId, signatureChainId }: NonceMapping): TypedData => {
    const value = { chain: config.facts.name, account, nonce, orderId };
    const types = { Mapping: Object.keys(value).map((name) => ({ name, type: 'string' })) };
    return { domain: { name: 'Fake mapping', chainId: signatureChainId }, types, primaryType: 'Mapping', value };
  };
  return {
    typedData,
    refuse: (mapping, signature) =>
      isSigned(mapping.account, JSON.stringify(typedData(mapping)), signature) ? undefined : 'was made by someone else',
    next: async (account): Promise<NextNonce> => {
      try {
        const nonce = await providers.run('state', ({ core, head }) => {
          let next = Number(core.tree.read(head, stateKey.sequence(account)));
          while (core.pool.holder(`${account}#${next}`) !== undefined) next += 1;
          return next;
        });
        return { is: 'known', nonce: nonce.toString() };
      } catch (error) {
        return { is: 'unavailable', message: error instanceof Error ? error.message : String(error) };
      }
    },
  };
}

/** Undefined where the nonce does not identify the transfer, or another account is named as its depositor. */
export function sentBy(
  config: FakeConfig,
  block: FakeBlock,
  { hash, orderId, depositor }: FakeDeposit,
): Pick<DepositObservation, 'sentBy'> {
  if (!config.mappings || orderId !== null) return {};
  const transaction = block.receipts.find((receipt) => receipt.transaction.hash === hash)?.transaction;
  const together = block.deposits.filter((other) => other.hash === hash && other.orderId === null);
  if (transaction === undefined || transaction.sequence === null || together.length !== 1) return {};
  if (transaction.from !== depositor) return {};
  const sender: SentBy = { account: depositor, nonce: transaction.sequence.toString() };
  return { sentBy: sender };
}
