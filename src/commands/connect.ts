import { randomUUID } from 'node:crypto';
import { l10n } from 'vscode';
import type { Attempt, ConnectFlow } from '../core/flows/connectFlow.ts';
import type { Connection } from '../core/model/connection.ts';
import { parseOrcid } from '../core/model/orcid.ts';
import type { ApiKeys } from '../host/apiKeys.ts';
import type { Memory } from '../host/memory.ts';
import type { Notices } from '../host/notices.ts';
import { after, askText, runSteps, type Step, type StepPosition } from '../host/quickInput.ts';
import type { Settings } from '../host/settings.ts';
import { numberText, plainLine, reasonText } from '../host/words.ts';
import { orcidQuestion } from './setOrcid.ts';

/** What the command needs. */
export interface ConnectParts {
  readonly connectFlow: ConnectFlow;
  readonly settings: Settings;
  readonly apiKeys: ApiKeys;
  readonly memory: Memory;
  readonly notices: Notices;
}

/** The answers so far. */
interface Draft {
  server: string;
  port: number | undefined;
  key: string;
  orcid: string;
  attempt?: Attempt;
}

/** Asks for address, key and ORCID iD, tries them, and saves the connection only when they work (D6). */
export async function connect(parts: ConnectParts): Promise<void> {
  const draft: Draft = { server: '', port: undefined, key: '', orcid: parts.settings.orcid };
  const done = await runSteps(l10n.t('Connect to a Service'), [
    (position) => askServer(position, draft),
    (position) => askPort(position, draft),
    askKey(parts, draft),
    async (position) => after(await askText(position, orcidQuestion(draft.orcid)), (value) => (draft.orcid = value)),
  ]);
  const { attempt } = draft;
  if (!done || !attempt?.session) {
    attempt?.session?.client.dispose();
    return;
  }
  await save(parts, draft, attempt);
}

async function askServer(position: StepPosition, draft: Draft): ReturnType<Step> {
  const answer = await askText(position, {
    prompt: l10n.t('Address of the service'),
    placeholder: 'https://dts.example.org',
    value: draft.server,
    validate: addressTrouble,
  });
  return after(answer, (value) => (draft.server = value.replace(/\/+$/, '')));
}

function addressTrouble(value: string): string | undefined {
  if (!/^https?:\/\//i.test(value)) return l10n.t('Begin with https:// (or http:// for this machine).');
  if (!URL.canParse(value)) return l10n.t('This is not an address. An example: https://dts.example.org');
  const { username, password, search, hash } = new URL(value);
  if (username || password) return l10n.t('Leave user name and password out; the key is asked for later.');
  return search || hash ? l10n.t('Leave out what begins with ? or #.') : undefined;
}

async function askPort(position: StepPosition, draft: Draft): ReturnType<Step> {
  draft.port = undefined;
  if (/^https?:\/\/[^/]*:\d+/i.test(draft.server)) return 'skip';
  const answer = await askText(position, {
    prompt: l10n.t('Port, or nothing for the usual one'),
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

/** A connection to the same place keeps its id, so that its transfers still find it. */
function connectionOf({ settings }: ConnectParts, { server, port }: Draft): Connection {
  const saved = settings.connections.find((one) => one.server === server && one.port === port);
  const name = new URL(server).host;
  return saved ?? { id: randomUUID(), name, server, ...(port !== undefined && { port }) };
}

async function save(parts: ConnectParts, draft: Draft, attempt: Attempt): Promise<void> {
  if (!attempt.session) return;
  const { settings, apiKeys, memory, connectFlow, notices } = parts;
  const { service, connection: tried } = attempt.session;
  const saved = settings.connections.some(({ id }) => id === tried.id);
  const connection = saved ? tried : { ...tried, name: plainLine(service.name) || tried.name };
  const kept = await apiKeys.set(connection, draft.key);
  await settings.saveConnection(connection);
  await settings.saveOrcid(parseOrcid(draft.orcid) ?? draft.orcid);
  await memory.remember('lastConnectionId', connection.id);
  connectFlow.use({ ...attempt.session, connection }, attempt.databases);
  const count = attempt.databases.length;
  const databases = count === 1 ? l10n.t('1 database') : l10n.t('{0} databases', numberText(count));
  const what = [plainLine(service.name), plainLine(service.version)].filter(Boolean).join(' ');
  void notices.info(l10n.t('Connected to {0}: {1}.', what, databases));
  if (!kept) void notices.warning(l10n.t('This editor did not keep the key; you will be asked for it again.'));
}
