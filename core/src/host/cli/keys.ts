import { DURATION_PATTERN, durationMs } from '../config/units.js';
import { ADMIN_FLAGS, ADMIN_OPTIONS, type AdminTarget, adminTarget, callAdmin } from './admin-client.js';
import { type Arguments, readArguments, textFlag } from './arguments.js';
import { type Command, EXIT, UsageError } from './command.js';
import { idOf, integrators } from './integrators.js';
import { integratorLine, keyLine, type ListedIntegrator, type ListedKey } from './key-lines.js';
import { print } from './output.js';

const FLAGS = {
  ...ADMIN_FLAGS,
  integrator: { type: 'string' },
  name: { type: 'string' },
  scopes: { type: 'string' },
  tier: { type: 'string' },
  chains: { type: 'string' },
  withdraw: { type: 'string' },
  expires: { type: 'string' },
  overlap: { type: 'string' },
  funding: { type: 'string' },
  json: { type: 'boolean' },
} as const;

type Flag = Exclude<keyof typeof FLAGS, keyof typeof ADMIN_FLAGS | 'json'>;

interface Verb {
  readonly takes: readonly string[];
  readonly flags: readonly Flag[];
  run(
    target: AdminTarget,
    args: readonly string[],
    flag: (name: Flag) => string | undefined,
  ): Promise<{ readonly answer: unknown; readonly lines: readonly string[] }>;
}

const VERBS: Readonly<Record<string, Verb>> = {
  list: {
    takes: [],
    flags: ['integrator'],
    async run(target, _, flag) {
      const asked = flag('integrator');
      const known = await integrators(target);
      const integratorId = asked === undefined ? undefined : idOf(asked, known);
      if (asked !== undefined && integratorId === undefined) throw new UsageError(`no integrator is called ${asked}`);
      const query = integratorId === undefined ? '' : `?integratorId=${encodeURIComponent(integratorId)}`;
      const { keys } = await callAdmin<{ keys: readonly ListedKey[] }>(target, `keys${query}`);
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
    async run(target, _, flag) {
      const integrator = await integratorFor(target, flag('integrator'), flag('funding'));
      const expires = seconds('expires', flag('expires'));
      const answer = await callAdmin<{ key: ListedKey; secret: string }>(target, 'keys', {
        integratorId: integrator.id,
        ...(flag('name') === undefined ? {} : { name: flag('name') }),
        ...rights(flag),
        ...(expires === undefined ? {} : { expiresInSeconds: expires }),
      });
      return { answer, lines: [keyLine(answer.key, [integrator]), ...shownOnce(answer.secret)] };
    },
  },
  rotate: {
    takes: ['KEY_ID'],
    flags: ['overlap'],
    async run(target, [keyId], flag) {
      const overlap = seconds('overlap', flag('overlap'));
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
      const done = `${answer.key.id} is revoked; every process knows within 10 s`;
      return { answer, lines: [answer.alreadyDone ? `nothing to do: ${answer.key.id} was revoked before` : done] };
    },
  },
  grant: {
    takes: ['KEY_ID'],
    flags: ['scopes', 'tier', 'chains', 'withdraw'],
    async run(target, [keyId], flag) {
      const withdraw = listOf(flag('withdraw'));
      const change = { ...rights(flag), ...(withdraw === undefined ? {} : { withdraw }) };
      if (Object.keys(change).length === 0)
        throw new UsageError('grant what? say --scopes, --tier, --chains or --withdraw');
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

export const keys: Command = {
  name: 'keys',
  help: `causeway keys create --integrator NAME [--name NAME] [--scopes A,B] [--tier TIER] [--chains UUID,UUID]
                     [--expires 90d] [--funding ADDRESS]
causeway keys list [--integrator NAME]
causeway keys rotate KEY_ID [--overlap 24h]
causeway keys revoke KEY_ID
causeway keys grant KEY_ID [--scopes A,B] [--tier TIER] [--chains UUID,UUID] [--withdraw UUID,UUID]
causeway keys integrators
causeway keys link INTEGRATOR (ADDRESS | none)

API keys of a running service. A key is shown once, when it is made or rotated; what is kept of it is a hash. A rotated
key is accepted for the overlap (default 24h, at most 30d) together with its replacement. A revoked one is refused
within 10 s, for good. An integrator that is not known yet is added by the first key.

  --integrator NAME    whose key it is: a name, or an id
  --name NAME          of the key, for people
  --scopes A,B         quote, requests, execute; * for everything (default)
  --tier TIER          rates it is held to: default, elevated
  --chains UUID,UUID   private chains whose requests it may see
  --withdraw UUID,UUID private chains that it may not see any more
  --expires 90d        how long it is accepted; for ever when absent
  --funding ADDRESS    links a new integrator's funding address; see also link
  --json               the answer as JSON
${ADMIN_OPTIONS}`,

  async run(args) {
    const names = ['VERB', 'KEY_ID', 'ADDRESS'];
    const parsed = readArguments(args, { flags: FLAGS, positionals: names, optional: 2 });
    const [name = '', ...rest] = parsed.positionals;
    const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
    if (!verb) throw new UsageError(`keys ${name} is not known; say one of ${Object.keys(VERBS).join(', ')}`);
    checkArguments(name, verb, rest, parsed);
    const { answer, lines } = await verb.run(await adminTarget(parsed), rest, (flag) => textFlag(parsed, flag));
    if (parsed.flags['json'] === true) print(JSON.stringify(answer, null, 2));
    else for (const line of lines) print(line);
    return EXIT.ok;
  },
};

function checkArguments(name: string, verb: Verb, rest: readonly string[], { flags }: Arguments): void {
  if (rest.length < verb.takes.length) throw new UsageError(`${verb.takes[rest.length]} is missing`);
  if (rest.length > verb.takes.length) throw new UsageError(`unexpected argument ${rest[verb.takes.length]}`);
  const known: readonly string[] = [...verb.flags, ...Object.keys(ADMIN_FLAGS), 'json'];
  const other = Object.keys(flags).find((flag) => !known.includes(flag));
  if (other !== undefined) throw new UsageError(`--${other} means nothing to keys ${name}`);
}

async function integratorFor(
  target: AdminTarget,
  asked: string | undefined,
  fundingAddress: string | undefined,
): Promise<ListedIntegrator> {
  if (asked === undefined) throw new UsageError('whose key? say --integrator NAME');
  const known = await integrators(target);
  const id = idOf(asked, known);
  const found = known.find((one) => one.id === id);
  if (found && fundingAddress !== undefined) throw new UsageError(`${asked} exists already: use causeway keys link`);
  if (found) return found;
  if (asked.startsWith('int_')) throw new UsageError(`no integrator has the id ${asked}`);
  const body = { name: asked, ...(fundingAddress === undefined ? {} : { fundingAddress }) };
  return (await callAdmin<{ integrator: ListedIntegrator }>(target, 'integrators', body)).integrator;
}

function rights(flag: (name: Flag) => string | undefined): object {
  const [scopes, privateChains] = [listOf(flag('scopes')), listOf(flag('chains'))];
  return {
    ...(scopes === undefined ? {} : { scopes }),
    ...(flag('tier') === undefined ? {} : { tier: flag('tier') }),
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
