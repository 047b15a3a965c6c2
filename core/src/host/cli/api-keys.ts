import { DURATION_PATTERN, durationMs } from '../config/units.js';
import { ADMIN_OPTIONS, type AdminTarget, callAdmin } from './admin-client.js';
import { type Arguments, textFlag } from './arguments.js';
import { type Command, UsageError } from './command.js';
import { idOf, integratorIn, integrators } from './integrators.js';
import { integratorLine, keyLine, type ListedIntegrator, type ListedKey } from './key-lines.js';
import { queryOf, runVerb, type Verb } from './verbs.js';

const FLAGS = {
  integrator: { type: 'string' },
  name: { type: 'string' },
  scopes: { type: 'string' },
  tier: { type: 'string' },
  chains: { type: 'string' },
  withdraw: { type: 'string' },
  expires: { type: 'string' },
  overlap: { type: 'string' },
  funding: { type: 'string' },
} as const;

type Flag = keyof typeof FLAGS;

const VERBS: Readonly<Record<string, Verb<Flag>>> = {
  list: {
    takes: [],
    flags: ['integrator'],
    async run(target, _, parsed) {
      const known = await integrators(target);
      const integratorId = integratorIn(parsed, known);
      const { keys } = await callAdmin<{ keys: readonly ListedKey[] }>(target, `keys${queryOf({ integratorId })}`);
      return { answer: { keys }, lines: keys.length === 0 ? ['no keys'] : keys.map((key) => keyLine(key, known)) };
    },
  },
  integrators: {
    takes: [],
    flags: [],
    async run(target) {
      const known = await integrators(target);
      return {
        answer: { integrators: known },
        lines: known.length === 0 ? ['no integrators'] : known.map(integratorLine),
      };
    },
  },
  create: {
    takes: [],
    flags: ['integrator', 'name', 'scopes', 'tier', 'chains', 'expires', 'funding'],
    async run(target, _, parsed) {
      const integrator = await integratorFor(target, textFlag(parsed, 'integrator'), textFlag(parsed, 'funding'));
      const expires = seconds('expires', textFlag(parsed, 'expires'));
      const answer = await callAdmin<{ key: ListedKey; secret: string }>(target, 'keys', {
        integratorId: integrator.id,
        ...(textFlag(parsed, 'name') === undefined ? {} : { name: textFlag(parsed, 'name') }),
        ...rights(parsed),
        ...(expires === undefined ? {} : { expiresInSeconds: expires }),
      });
      return { answer, lines: [keyLine(answer.key, [integrator]), ...shownOnce(answer.secret)] };
    },
  },
  rotate: {
    takes: ['KEY_ID'],
    flags: ['overlap'],
    async run(target, [keyId], parsed) {
      const overlap = seconds('overlap', textFlag(parsed, 'overlap'));
      const body = { keyId, ...(overlap === undefined ? {} : { overlapSeconds: overlap }) };
      type Rotated = { key: ListedKey; secret: string; replaced: ListedKey };
      const answer = await callAdmin<Rotated>(target, 'keys/rotate', body);
      const known = await integrators(target);
      const { key, replaced } = answer;
      return { answer, lines: [keyLine(replaced, known), keyLine(key, known), ...shownOnce(answer.secret)] };
    },
  },
  revoke: {
    takes: ['KEY_ID'],
    flags: [],
    async run(target, [keyId]) {
      const answer = await callAdmin<{ key: ListedKey; alreadyDone: boolean }>(target, 'keys/revoke', { keyId });
      const done = `${answer.key.id} is revoked; every process refuses it within 10 s`;
      return { answer, lines: [answer.alreadyDone ? `nothing to do: ${answer.key.id} was revoked before` : done] };
    },
  },
  grant: {
    takes: ['KEY_ID'],
    flags: ['scopes', 'tier', 'chains', 'withdraw'],
    async run(target, [keyId], parsed) {
      const withdraw = listOf(textFlag(parsed, 'withdraw'));
      const change = { ...rights(parsed), ...(withdraw === undefined ? {} : { withdraw }) };
      if (Object.keys(change).length === 0)
        throw new UsageError('grant what? use --scopes, --tier, --chains or --withdraw');
      const answer = await callAdmin<{ key: ListedKey }>(target, 'keys/grant', { keyId, ...change });
      return { answer, lines: [keyLine(answer.key, await integrators(target))] };
    },
  },
  link: {
    takes: ['INTEGRATOR', 'ADDRESS'],
    flags: [],
    async run(target, [name = '', address = '']) {
      const integratorId = idOf(name, await integrators(target)) ?? name;
      const fundingAddress = address === 'none' ? null : address;
      const body = { integratorId, fundingAddress };
      const answer = await callAdmin<{ integrator: ListedIntegrator }>(target, 'integrators/link', body);
      return { answer, lines: [integratorLine(answer.integrator)] };
    },
  },
};

export const apiKeys: Command = {
  name: 'api-keys',
  help: `causeway api-keys create --integrator NAME [--name NAME] [--scopes A,B] [--tier TIER] [--chains UUID,UUID]
                         [--expires 90d] [--funding ADDRESS]
causeway api-keys list [--integrator NAME]
causeway api-keys rotate KEY_ID [--overlap 24h]
causeway api-keys revoke KEY_ID
causeway api-keys grant KEY_ID [--scopes A,B] [--tier TIER] [--chains UUID,UUID] [--withdraw UUID,UUID]
causeway api-keys integrators
causeway api-keys link INTEGRATOR (ADDRESS | none)

Manages API keys of a running service. A key is shown once, when it is created or rotated; only its hash is stored. A rotated
key is still accepted during the overlap (default 24h, at most 30d). A revoked key is refused within 10 s, permanently.
The first key of a new integrator also creates the integrator.

  --integrator NAME    owner of the key: a name, or an id
  --name NAME          label of the key
  --scopes A,B         quote, requests, execute, webhooks, balance; * for everything (default)
  --tier TIER          rate limits: default, elevated
  --chains UUID,UUID   grants access to these private chains
  --withdraw UUID,UUID withdraws access to these private chains
  --expires 90d        validity; unlimited if absent
  --funding ADDRESS    links a new integrator's funding address; see also link
  --json               print JSON
${ADMIN_OPTIONS}`,

  run: (args) => runVerb('api-keys', args, FLAGS, VERBS),
};

async function integratorFor(
  target: AdminTarget,
  asked: string | undefined,
  fundingAddress: string | undefined,
): Promise<ListedIntegrator> {
  if (asked === undefined) throw new UsageError('whose key? use --integrator NAME');
  const known = await integrators(target);
  const id = idOf(asked, known);
  const found = known.find((one) => one.id === id);
  if (found && fundingAddress !== undefined)
    throw new UsageError(`${asked} exists already: use causeway api-keys link`);
  if (found) return found;
  if (asked.startsWith('int_')) throw new UsageError(`no integrator has the id ${asked}`);
  const body = { name: asked, ...(fundingAddress === undefined ? {} : { fundingAddress }) };
  return (await callAdmin<{ integrator: ListedIntegrator }>(target, 'integrators', body)).integrator;
}

function rights(parsed: Arguments): object {
  const [scopes, privateChains] = [listOf(textFlag(parsed, 'scopes')), listOf(textFlag(parsed, 'chains'))];
  return {
    ...(scopes === undefined ? {} : { scopes }),
    ...(textFlag(parsed, 'tier') === undefined ? {} : { tier: textFlag(parsed, 'tier') }),
    ...(privateChains === undefined ? {} : { privateChains }),
  };
}

function listOf(text: string | undefined): readonly string[] | undefined {
  return text?.split(',').map((part) => part.trim());
}

function seconds(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!new RegExp(DURATION_PATTERN).test(text)) throw new UsageError(`--${name} takes a duration, e.g. 90d or 24h`);
  return Math.ceil(durationMs(text) / 1000);
}

function shownOnce(secret: string): readonly string[] {
  return ['', secret, '', 'This is the only time that the key is shown.'];
}
