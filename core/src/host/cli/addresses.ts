import type { AddressBalance, AddressDetail } from '../../capabilities/deposit-addresses/address-detail.js';
import type { ListedAddress } from '../../capabilities/deposit-addresses/list-addresses.js';
import { addressLine, detailLines } from './address-lines.js';
import { ADMIN_OPTIONS, callAdmin } from './admin-client.js';
import { type Arguments, textFlag } from './arguments.js';
import { type Command, UsageError } from './command.js';
import { integratorIn, integrators } from './integrators.js';
import { explain } from './output.js';
import { limitIn, queryOf, type Report, runVerb, type Verb } from './verbs.js';

const FLAGS = {
  chain: { type: 'string' },
  integrator: { type: 'string' },
  'api-key': { type: 'string' },
  hot: { type: 'boolean' },
  unswept: { type: 'boolean' },
  limit: { type: 'string' },
  after: { type: 'string' },
} as const;

const NAME = 'ADDRESS|REQUEST_ID';
const MAX_PER_PAGE = 200;

interface Page {
  readonly addresses: readonly ListedAddress[];
  readonly continuation?: string;
}

const VERBS: Readonly<Record<string, Verb<keyof typeof FLAGS>>> = {
  list: {
    takes: [],
    flags: ['chain', 'integrator', 'api-key', 'hot', 'unswept', 'limit', 'after'],
    async run(target, _, parsed) {
      const most = limitIn(parsed, 50);
      const asked = {
        chainId: chainIn(parsed),
        integratorId: integratorIn(parsed, await integrators(target)),
        keyId: textFlag(parsed, 'api-key'),
        hot: parsed.flags['hot'] === true ? 'true' : undefined,
        unswept: parsed.flags['unswept'] === true ? 'true' : undefined,
      };
      const addresses: ListedAddress[] = [];
      let continuation = textFlag(parsed, 'after');
      do {
        const limit = String(Math.min(MAX_PER_PAGE, most - addresses.length));
        const page = await callAdmin<Page>(target, `addresses${queryOf({ ...asked, limit, continuation })}`);
        addresses.push(...page.addresses);
        continuation = page.continuation;
      } while (continuation !== undefined && addresses.length < most);
      const more = continuation === undefined ? {} : { continuation };
      const lines = addresses.length === 0 ? ['no addresses'] : addresses.map(addressLine);
      return {
        answer: { addresses, ...more },
        lines: continuation === undefined ? lines : [...lines, `there are more: --after ${continuation}`],
      };
    },
  },
  show: {
    takes: [NAME],
    flags: ['chain'],
    async run(target, [name = ''], parsed) {
      const detail = await callAdmin<AddressDetail>(
        target,
        `addresses/details${queryOf(named(name, chainIn(parsed)))}`,
      );
      return { answer: detail, lines: detailLines(detail) };
    },
  },
  reindex: {
    takes: [NAME],
    repeats: true,
    flags: ['chain'],
    run: (target, names, parsed) =>
      forEach(names, async (name) => {
        type Again = { chainId: number; address: string; balances: readonly Omit<AddressBalance, 'ledger'>[] };
        const answer = await callAdmin<Again>(target, 'addresses/reindex', bodyOf(name, parsed));
        return {
          answer,
          lines: [`${answer.address} is polled with every block again; it holds ${sumOf(answer.balances)}`],
        };
      }),
  },
  sweep: {
    takes: [NAME],
    repeats: true,
    flags: ['chain'],
    run: (target, names, parsed) =>
      forEach(names, async (name) => {
        type Swept = { state: string; message: string; transfers: readonly { fundingKey: string; message: string }[] };
        const answer = await callAdmin<Swept>(target, 'addresses/sweep', bodyOf(name, parsed));
        const { state, message, transfers } = answer;
        const done = state === 'alreadyDone' ? 'nothing to do: ' : '';
        return {
          answer,
          lines: [`${done}${message}`, ...transfers.map((one) => `  ${one.fundingKey}: ${one.message}`)],
        };
      }),
  },
  recover: {
    takes: ['CHAIN_ID', 'REQUEST_ID'],
    flags: [],
    async run(target, [chainId = '', requestId]) {
      if (!/^\d+$/.test(chainId)) throw new UsageError('CHAIN_ID is a number, e.g. 8453');
      const body = { chainId: Number(chainId), requestId };
      const answer = await callAdmin<{ state: string; message: string }>(target, 'addresses/recover', body);
      const done = answer.state === 'alreadyDone' ? 'nothing to do: ' : '';
      return { answer, lines: [`${done}${answer.message}`] };
    },
  },
};

export const addresses: Command = {
  name: 'addresses',
  help: `causeway addresses list [--chain ID] [--integrator NAME] [--api-key KEY_ID] [--hot] [--unswept] [--limit N] [--after CURSOR]
causeway addresses show (ADDRESS | REQUEST_ID) [--chain ID]
causeway addresses reindex (ADDRESS | REQUEST_ID)... [--chain ID]
causeway addresses sweep (ADDRESS | REQUEST_ID)... [--chain ID]
causeway addresses recover CHAIN_ID REQUEST_ID

Deposit addresses of a running service. REQUEST_ID is the request that an address was created for, or that of a transfer to it.
All commands are safe to repeat.

list prints addresses by chain and age. show prints requests, transfers, sweeps, holds and balances of one address.
reindex polls an address with every block again, as after its quote. From a week after the quote it is polled hourly.
sweep sends a sweep that waits because it costs more than the transfer is worth. Each transfer is swept once.
recover adds an address that a restored database lost. Transfers to it are held: \`causeway hold release\` pays them out.

  --chain ID         this chain only
  --integrator NAME  created with any key of this integrator: a name, or an id
  --api-key KEY_ID   created with this key; none: without a key
  --hot              only addresses that are polled with every block
  --unswept          only addresses with a transfer that is not swept yet
  --limit N          maximum number of addresses (default 50)
  --after CURSOR     next page; the cursor is printed at the end of a page
  --json             print JSON
${ADMIN_OPTIONS}`,

  run: (args) => runVerb('addresses', args, FLAGS, VERBS),
};

/** Runs a command for each name. A failure does not stop the others. */
async function forEach(names: readonly string[], run: (name: string) => Promise<Report>): Promise<Report> {
  const answers: unknown[] = [];
  const lines: string[] = [];
  let failed = false;
  for (const name of names) {
    try {
      const one = await run(name);
      answers.push(one.answer);
      lines.push(...one.lines);
    } catch (error) {
      if (names.length === 1) throw error;
      failed = true;
      answers.push({ name, error: explain(error) });
      lines.push(`${name}: ${explain(error)}`);
    }
  }
  return { answer: names.length === 1 ? answers[0] : answers, lines, failed };
}

function named(name: string, chainId: string | undefined) {
  return { ...(/^0x[0-9a-f]{64}$/i.test(name) ? { requestId: name } : { address: name }), chainId };
}

function bodyOf(name: string, parsed: Arguments): object {
  const { chainId, ...rest } = named(name, chainIn(parsed));
  return { ...rest, ...(chainId === undefined ? {} : { chainId: Number(chainId) }) };
}

function chainIn(parsed: Arguments): string | undefined {
  const chain = textFlag(parsed, 'chain');
  if (chain !== undefined && !/^\d+$/.test(chain)) throw new UsageError('--chain takes a chain id, e.g. 8453');
  return chain;
}

function sumOf(balances: readonly Omit<AddressBalance, 'ledger'>[]): string {
  const parts = balances.flatMap(({ balance, symbol }) => {
    if (balance === null) return [`an unknown amount of ${symbol}`];
    return balance === '0' ? [] : [`${balance} ${symbol} (smallest unit)`];
  });
  return parts.length === 0 ? 'nothing now' : parts.join(', ');
}
