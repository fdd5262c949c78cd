import { createHash } from 'node:crypto';
import { l10n } from 'vscode';
import type { Attempt, ConnectFlow } from '../../core/flows/connectFlow.ts';
import type { Session } from '../../core/flows/sessions.ts';
import type { Connection } from '../../core/model/connection.ts';
import { isLoopback } from '../../core/model/loopback.ts';
import { parseOrcid } from '../../core/model/orcid.ts';
import type { ApiKeys } from '../../host/apiKeys.ts';
import type { WelcomeButton } from '../../host/contributions.ts';
import type { Memory } from '../../host/memory.ts';
import type { Notices } from '../../host/notices.ts';
import { after, askText, pickOne, runSteps, type Answer, type Step, type StepPosition } from '../../host/quickInput.ts';
import type { Settings } from '../../host/settings.ts';
import { listText, plainLine, plural, reasonText } from '../../host/words.ts';
import { warnOfLostKeys } from './keyVariable.ts';
import { orcidQuestion } from './setOrcid.ts';

/** Dependencies of the command. */
export interface ConnectParts {
  readonly connectFlow: ConnectFlow;
  readonly settings: Settings;
  readonly apiKeys: ApiKeys;
  readonly memory: Memory;
  readonly notices: Notices;
  /** Moves the focus to the row of the connection. Only for a person who has pressed a button just now that goes away. */
  focusConnection(): void;
}

type SuccessfulAttempt = Extract<Attempt, { readonly session: Session }>;

/** The answers so far. */
interface Draft {
  server: string;
  port: number | undefined;
  key: string;
  orcid: string;
  /** The person wants the key to travel unencrypted. */
  allowInsecureHttp: boolean;
  attempt?: Attempt;
}

/** Asks for address, key and ORCID iD, tries them, and saves the connection only when they work (D6). */
export async function connect(parts: ConnectParts, button?: WelcomeButton): Promise<void> {
  const { enteredOrcid } = parts.settings;
  const draft: Draft = { server: '', port: undefined, key: '', orcid: enteredOrcid, allowInsecureHttp: false };
  const done = await runSteps(l10n.t('Connect to a Service'), [
    (position) => askServer(position, draft),
    (position) => askPort(position, draft),
    askKey(parts, draft),
    (position) => askOrcid(position, draft),
  ]);
  const { attempt } = draft;
  if (!done || !attempt?.session) {
    attempt?.session?.client.dispose();
    return;
  }
  await save(parts, draft, attempt);
  if (button) parts.focusConnection();
}

async function askServer(position: StepPosition, draft: Draft): ReturnType<Step> {
  const answer = await askText(position, {
    prompt: l10n.t('Address of the service'),
    placeholder: 'https://dts.example.org',
    value: draft.server,
    validate: addressTrouble,
  });
  if (typeof answer === 'string') return answer;
  draft.server = withoutSlash(answer.value);
  draft.allowInsecureHttp = false;
  if (!travelsInTheClear(draft.server)) return 'next';
  const choice = await askUnencrypted(position, draft.server);
  if (typeof choice === 'string') return choice;
  if (!choice.value) return await askServer(position, draft);
  draft.allowInsecureHttp = true;
  return 'next';
}

function withoutSlash(address: string): string {
  return address.replace(/\/+$/, '');
}

/** Whether a key would go unencrypted to another machine (D4). */
function travelsInTheClear(server: string): boolean {
  const { protocol, hostname } = new URL(server);
  return protocol === 'http:' && !isLoopback(hostname);
}

async function askUnencrypted(position: StepPosition, server: string): Promise<Answer<boolean>> {
  const { host } = new URL(server);
  return await pickOne(position, {
    placeholder: l10n.t('With http:// your key would travel unencrypted'),
    choices: [
      { label: l10n.t('Enter an address with https://'), value: false },
      {
        label: l10n.t('Send the key unencrypted'),
        detail: l10n.t('Whoever is on the way to {0} could read it.', host),
        value: true,
      },
    ],
  });
}

function addressTrouble(value: string): string | undefined {
  if (!/^https?:\/\//i.test(value)) return l10n.t('Begin with https:// (or http:// for this machine).');
  if (!URL.canParse(value)) return l10n.t('This is not an address. An example: https://dts.example.org');
  const { username, password, search, hash } = new URL(value);
  if (username || password) return l10n.t('Leave user name and password out; the key is asked for later.');
  return search || hash ? l10n.t('Leave out what begins with ? or #.') : undefined;
}

/** An address that has a port already, or goes on after the host, takes no other. */
function canTakePort(server: string): boolean {
  return !/^https?:\/\/[^/]*:\d+(?:\/|$)/i.test(server) && new URL(server).pathname === '/';
}

async function askPort(position: StepPosition, draft: Draft): ReturnType<Step> {
  if (!canTakePort(draft.server)) {
    draft.port = undefined;
    return 'skip';
  }
  const answer = await askText(position, {
    prompt: l10n.t('Port, or nothing for the usual one'),
    value: draft.port === undefined ? '' : String(draft.port),
    validate: (value) =>
      value === '' || (/^\d{1,5}$/.test(value) && Number(value) >= 1 && Number(value) <= 65_535)
        ? undefined
        : l10n.t('A port is a whole number from 1 to 65535.'),
  });
  return after(answer, (value) => (draft.port = value === '' ? undefined : Number(value)));
}

function askKey(parts: ConnectParts, draft: Draft): Step {
  return async (position) => {
    const answer = await askText(position, {
      prompt: l10n.t('API key: the developer token of your account at this service'),
      password: true,
      value: draft.key,
      validate: (value) => (value === '' ? l10n.t('Enter the key.') : undefined),
      check: async (key, signal) => {
        draft.attempt?.session?.client.dispose();
        draft.attempt = await parts.connectFlow.attempt(connectionOf(parts, draft), key, signal);
        return draft.attempt.session ? undefined : l10n.t('Could not connect: {0}.', reasonText(draft.attempt.reason));
      },
    });
    return after(answer, (value) => (draft.key = value));
  };
}

/** The last step says what was found: nothing has been saved yet. */
async function askOrcid(position: StepPosition, draft: Draft): ReturnType<Step> {
  const { prompt, ...question } = orcidQuestion(draft.orcid);
  const found = draft.attempt?.session ? l10n.t('Found {0}.', foundText(draft.attempt)) : '';
  const answer = await askText(position, { ...question, prompt: [found, prompt].filter(Boolean).join(' ') });
  return after(answer, (value) => (draft.orcid = value));
}

/** "DTS prototype 0.12.1, 6 databases" */
function foundText({ session: { service }, databases }: SuccessfulAttempt): string {
  const what = [service.name, service.version].map(plainLine).filter(Boolean);
  const count = databases.length;
  return listText([what.join(' '), plural(count, '{0} database', '{0} databases')]);
}

/** A connection to the same place has the same id, also after it was forgotten: its transfers find it again. */
function connectionOf({ settings }: ConnectParts, { server, port, allowInsecureHttp }: Draft): Connection {
  const saved = settings.connections.find((one) => withoutSlash(one.server) === server && one.port === port);
  const address = port === undefined ? server : `${server}:${port}`;
  const id = createHash('sha256').update(address).digest('hex').slice(0, 16);
  return {
    ...(saved ?? { id, name: new URL(server).host, server, ...(port !== undefined && { port }) }),
    ...(allowInsecureHttp && { allowInsecureHttp }),
  };
}

async function save(parts: ConnectParts, draft: Draft, attempt: SuccessfulAttempt): Promise<void> {
  const { settings, apiKeys, memory, connectFlow, notices } = parts;
  const connection = named(parts, attempt.session);
  await settings.saveConnection(connection);
  const kept = await apiKeys.set(connection, draft.key);
  await settings.saveOrcid(parseOrcid(draft.orcid) ?? draft.orcid);
  await memory.rememberConnection(connection.id);
  connectFlow.use({ ...attempt.session, connection }, attempt.databases);
  void notices.info(l10n.t('Connected to {0}.', foundText(attempt)));
  if (!kept) warnOfLostKeys(parts, connection);
}

/** A new connection is called what its service says, and where another has that name, also by its address. */
function named({ settings }: ConnectParts, { service, connection }: Session): Connection {
  // The key that was entered is the one that counts from now on.
  const { apiKeyVariable, ...tried } = connection;
  if (settings.connections.some(({ id }) => id === tried.id)) return tried;
  const name = plainLine(service.name) || tried.name;
  const isTaken = settings.connections.some((saved) => saved.name === name);
  return { ...tried, name: isTaken ? `${name} (${new URL(tried.server).host})` : name };
}
