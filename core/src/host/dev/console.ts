import { appendFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { accountsOf, type DevnetFile } from './devnet-file.js';

export class DevConsole {
  readonly #began = performance.now();

  step(text: string): void {
    const seconds = ((performance.now() - this.#began) / 1000).toFixed(2);
    process.stdout.write(`[${seconds.padStart(6)} s] ${text}\n`);
  }

  plain(text: string): void {
    process.stdout.write(`${text}\n`);
  }
}

/** Writes all service output to a file, and returns lines for the terminal. */
export function serviceLog(logs: string): (line: string) => string | undefined {
  const file = join(logs, 'service.log');
  try {
    renameSync(file, `${file}.1`);
  } catch {
    // On the first run there is no earlier log.
  }
  return (line) => {
    appendFileSync(file, `${line}\n`, { mode: 0o600 });
    if (!line.startsWith('{')) return line === '' ? undefined : `service: ${line}`;
    try {
      const { level, msg, err } = JSON.parse(line) as { level?: string; msg?: string; err?: { message?: string } };
      if (level !== 'warn' && level !== 'error') return undefined;
      return `service ${level}: ${msg ?? ''}${err?.message ? ` (${err.message})` : ''}`;
    } catch {
      return `service: ${line}`;
    }
  };
}

export function summary(devnet: DevnetFile, folder: string): string {
  const chains = devnet.chains.map(({ id, name, vmType, rpcUrl, currencies }) => [
    String(id),
    name,
    vmType,
    rpcUrl,
    currencies.map(({ symbol }) => symbol).join(' '),
  ]);
  return [
    '',
    table([
      ['service', devnet.baseUrl],
      ...(devnet.dashboardUrl === null ? [] : [['dashboard', devnet.dashboardUrl]]),
      ['health', `${devnet.baseUrl}/lives`],
      ['API key', devnet.apiKey],
      ['admin key', devnet.adminKey],
      ['everything', join(folder, 'devnet.json')],
      ['logs', join(folder, 'logs')],
    ]),
    '',
    table([['chain', 'name', 'family', 'RPC', 'currencies'], ...chains]),
    '',
    'funded accounts (private keys; worthless elsewhere)',
    table(
      devnet.accounts.map(({ vmType, chainId, address, privateKey }) => [
        chainId === undefined ? vmType : `${vmType} ${chainId}`,
        address,
        privateKey,
      ]),
    ),
    '',
    ...curlExample(devnet),
    'next: causeway demo performs one transfer of each kind. Ctrl-C stops everything.',
  ].join('\n');
}

function curlExample(devnet: DevnetFile): readonly string[] {
  const { baseUrl, chains } = devnet;
  const [from, to] = chains;
  const [user] = from === undefined ? [] : accountsOf(devnet, from);
  const [input] = from?.currencies ?? [];
  const output = to?.currencies.find(({ symbol }) => symbol === input?.symbol) ?? to?.currencies[0];
  if (!from || !to || !user || !input || !output) return [];
  const body = {
    user: user.address,
    originChainId: from.id,
    destinationChainId: to.id,
    originCurrency: input.address,
    destinationCurrency: output.address,
    amount: (10n ** BigInt(input.decimals) / 100n).toString(),
    tradeType: 'EXACT_INPUT',
  };
  return [
    `a quote for 0.01 ${input.symbol} from ${from.name} to ${to.name}:`,
    `curl -s ${baseUrl}/quote/v2 -H 'content-type: application/json' -d '${JSON.stringify(body)}'`,
    '',
  ];
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd())
    .join('\n');
}
