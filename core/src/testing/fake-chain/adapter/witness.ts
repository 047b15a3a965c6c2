import { isDeepStrictEqual } from 'node:util';
import type { Sighting } from '../../../contract/deposits.js';
import type { FakeProvider } from '../fake-provider.js';
import { observed } from './address-watch.js';
import { sentBy } from './nonce-mappings.js';
import type { AdapterParts, FakeConfig } from './setup.js';
import { shownOf } from './shown.js';

type Testimony = 'same' | 'different' | 'nothing';

/**
 * Asks every usable provider. A contradiction outweighs any number of agreements; missing data or answers count as
 * nothing.
 */
export async function witness(
  { providers, config }: AdapterParts,
  sightings: readonly Sighting[],
): Promise<readonly boolean[]> {
  const testimonies: (readonly Testimony[])[] = [];
  for (const provider of providers.usable()) {
    try {
      testimonies.push(
        await providers.call(provider, 'scan', (node) => sightings.map((one) => testify(node, config, one))),
      );
    } catch {}
  }
  return sightings.map((sighting, n) => {
    const same = testimonies.filter((one) => one[n] === 'same').length;
    return same >= sighting.providers && !testimonies.some((one) => one[n] === 'different');
  });
}

function testify(node: FakeProvider, config: FakeConfig, sighting: Sighting): Testimony {
  const { height, id } = sighting.block;
  if (node.head.height < height) return 'nothing';
  const block = node.core.tree.ancestor(node.head, height);
  if (block.id !== id) return 'different';
  if (node.receiptHead.height < height) return 'nothing';
  const found = block.deposits.find(({ fundingKey }) => fundingKey === sighting.fundingKey);
  const transfer = block.transfers.find(({ fundingKey }) => fundingKey === sighting.fundingKey);
  const reported = found ?? (transfer && { ...observed(transfer, config.facts.id, 0), orderId: null });
  const hash = found?.hash ?? (transfer?.shown ? transfer.hash : '');
  const same =
    reported !== undefined &&
    hash === sighting.transactionHash &&
    reported.currency === sighting.currency &&
    reported.amount === sighting.amount &&
    reported.depositor === sighting.depositor &&
    shownOf(config, reported.orderId) === sighting.orderId &&
    (sighting.sentBy === undefined ||
      (found !== undefined && isDeepStrictEqual(sentBy(config, block, found).sentBy, sighting.sentBy)));
  return same ? 'same' : 'different';
}
