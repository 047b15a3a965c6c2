import type { Assembly } from '../assemble.js';
import { databaseFile } from '../compose-store.js';
import { CORE } from '../core-tokens.js';

/** Plugins, chains, currencies, signers. Never a secret or an RPC URL. */
export function graphLines({ config, container, plugins, policy }: Assembly): readonly string[] {
  const registries = container.resolve(CORE.registries);
  const { service, keys } = config;
  const owner = new Map(registries.chains.owned().map((each) => [each.item, each.owner]));
  const storeOwner = registries.stores.all()[0]?.owner;
  const rehearses = service.mode === 'rehearsal';
  const signer = rehearses || service.orderSigner === undefined ? 'none' : keys.secp256k1(service.orderSigner).address;
  const lines = [
    ...(rehearses ? ['mode          rehearsal: nothing is signed or sent, and no signer has a key'] : []),
    `network       ${service.network}`,
    `listens on    ${service.host}:${service.port}${service.publicUrl ? `, reached at ${service.publicUrl}` : ''}`,
    `roles         ${service.roles.join(', ')}`,
    `store         ${storeOwner === undefined ? `embedded, ${databaseFile(config)}` : `of plugin ${storeOwner}`}`,
    `solver        ${signer} on ${policy.solverChain}`,
    `admin         ${service.adminKey === undefined ? 'closed (no adminKey)' : 'open with the admin key'}`,
    `plugins       ${plugins.map(({ id, use }) => (id === use ? id : `${id} (${use})`)).join(', ')}`,
    `prices        ${
      registries.prices
        .all()
        .map(({ id }) => id)
        .join(', ') || 'none'
    }`,
    `screening     ${
      registries.screeners
        .all()
        .map(({ id }) => id)
        .join(', ') || 'no address is screened'
    }`,
  ];
  for (const chain of registries.chains.all()) {
    const { id, name, vmType } = chain.facts;
    lines.push(`chain         ${id} ${name} (${vmType}, plugin ${owner.get(chain) ?? '?'})`);
    if (!rehearses)
      lines.push(
        `  depository  ${chain.facts.depository}${chain.facts.router === null ? '' : `, router ${chain.facts.router}`}`,
        `  signers     ${chain.lanes.map(({ signer, sends, former }) => `${signer} (${former === true ? 'former' : sends.join(', ')})`).join(', ') || 'none'}`,
      );
    lines.push(
      `  currencies  ${chain
        .currencies()
        .map((currency) => `${currency.symbol} [${currency.group}]`)
        .join(', ')}`,
    );
  }
  return lines;
}
