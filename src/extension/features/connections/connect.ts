import { l10n } from 'vscode';
import type { ConnectAttempt } from '../../../core/connections/connectFlow.ts';
import type { OpenConnection } from '../../../core/connections/openConnections.ts';
import { chooseConnectionName, formatHost, isLoopback, type Connection } from '../../../core/model/connection.ts';
import { createConnectionId } from '../../../core/util/connectionId.ts';
import { parseOrcid } from '../../../core/util/userIdentity.ts';
import type { WelcomeButton } from '../../editor/contributions.ts';
import { createContinuation, runSteps } from '../../editor/inputSteps.ts';
import {
  toStepResult,
  askText,
  pickOne,
  type InputResult,
  type Step,
  type StepPosition,
} from '../../editor/quickInput.ts';
import { getDialogTitle } from '../../words/commandTitles.ts';
import { formatList, plural } from '../../words/localeFormats.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { describeFailedConnection } from '../../words/reasonWords.ts';
import type { CommandServices } from '../services.ts';
import { createOrcidInput, requireKey, warnAboutUnsavedKeys } from './credentials.ts';

type SuccessfulAttempt = Extract<ConnectAttempt, { readonly session: OpenConnection }>;

/** The user's answers so far. */
interface Draft {
  server: string;
  port: number | undefined;
  key: string;
  orcid: string;
  /** True if the user allows the key to be sent unencrypted. */
  allowInsecureHttp: boolean;
  attempt?: ConnectAttempt;
}

/** Connects to a new service. After the welcome button, which disappears, focuses the connection's row. */
export async function connect(services: CommandServices, button: WelcomeButton | undefined): Promise<void> {
  if ((await askNewConnection(services)) && button) services.views.focusConnection();
}

/**
 * Asks for the address, the port, the key and, unless one is set, the ORCID iD. Saves these values only if the service
 * accepts the key (D6: prove the key). Returns true if they were saved. `server` is the initial address.
 */
export async function askNewConnection(services: CommandServices, server = ''): Promise<boolean> {
  const { settings, connectFlow } = services;
  const { enteredOrcid, orcid } = settings;
  const draft: Draft = { server, port: undefined, key: '', orcid: enteredOrcid, allowInsecureHttp: false };
  const isDone = await runSteps(getDialogTitle('dataTransfer.connect'), [
    (position) => askServer(position, draft),
    createContinuation((position) => askPort(position, draft)),
    (position) => askKey(services, position, draft),
    ...(orcid === '' ? [(position: StepPosition) => askOrcid(position, draft)] : []),
  ]);
  const { attempt } = draft;
  if (!isDone || !attempt?.session) {
    if (attempt) connectFlow.discard(attempt);
    return false;
  }
  await save(services, draft, attempt);
  return true;
}

async function askKey(services: CommandServices, position: StepPosition, draft: Draft): ReturnType<Step> {
  const { connectFlow } = services;
  const answer = await askText(position, {
    prompt: l10n.t('API key (developer token) for your account on this service'),
    password: true,
    value: draft.key,
    validate: requireKey,
    check: async (key, signal) => {
      if (draft.attempt) connectFlow.discard(draft.attempt);
      draft.attempt = await connectFlow.attempt(toConnection(services, draft), key, signal);
      return draft.attempt.session ? undefined : describeFailedConnection(draft.attempt.reason);
    },
  });
  return toStepResult(answer, (value) => (draft.key = value));
}

/** Returns the connection to try: a saved one with this address keeps its name, its options and its ID. */
function toConnection({ settings }: CommandServices, { server, port, allowInsecureHttp }: Draft): Connection {
  const [id, address] = [createConnectionId(server, port), { server, ...(port !== undefined && { port }) }];
  const saved = settings.connections.find((one) => createConnectionId(one.server, one.port) === id);
  return {
    ...(saved ?? { id, name: formatHost(address), ...address }),
    ...(allowInsecureHttp && { allowInsecureHttp }),
  };
}

async function save(services: CommandServices, draft: Draft, attempt: SuccessfulAttempt): Promise<void> {
  const { settings, apiKeys, memory, connectFlow, notifications } = services;
  const connection = withUniqueName(settings.connections, attempt.session);
  await settings.saveConnection(connection);
  const isSaved = await apiKeys.set(connection, draft.key);
  await settings.saveOrcid(parseOrcid(draft.orcid) ?? draft.orcid);
  await memory.rememberConnection(connection.id);
  connectFlow.use({ ...attempt.session, connection }, attempt.databases);
  void notifications.info(l10n.t('Connected to {0}.', describeFoundService(attempt)));
  if (!isSaved) warnAboutUnsavedKeys(services, connection);
}

async function askServer(position: StepPosition, draft: Draft): ReturnType<Step> {
  const answer = await askText(position, {
    prompt: l10n.t('Service address'),
    placeholder: 'https://dts.example.org',
    value: draft.server,
    validate: validateAddress,
  });
  if (typeof answer === 'string') return answer;
  draft.server = trimTrailingSlashes(answer.value);
  draft.allowInsecureHttp = false;
  if (!isSentUnencrypted(draft.server)) return 'next';
  const choice = await askUnencrypted(position, draft.server);
  if (typeof choice === 'string') return choice;
  if (!choice.value) return await askServer(position, draft);
  draft.allowInsecureHttp = true;
  return 'next';
}

function trimTrailingSlashes(address: string): string {
  return address.replace(/\/+$/, '');
}

/** Returns true if a key would be sent unencrypted to another machine (D4: server address). */
function isSentUnencrypted(server: string): boolean {
  const { protocol, hostname } = new URL(server);
  return protocol === 'http:' && !isLoopback(hostname);
}

async function askUnencrypted(position: StepPosition, server: string): Promise<InputResult<boolean>> {
  const detail = l10n.t('Anyone on the network path to {0} could read the key.', new URL(server).host);
  return await pickOne(position, {
    placeholder: l10n.t('http:// would send your key unencrypted'),
    choices: [
      { label: l10n.t('Enter an https:// address'), value: false },
      { label: l10n.t('Send the key unencrypted'), detail, value: true },
    ],
  });
}

function validateAddress(value: string): string | undefined {
  if (!/^https?:\/\//i.test(value)) return l10n.t('The address must start with https:// or http://.');
  if (!URL.canParse(value)) return l10n.t('Enter a valid address, for example https://dts.example.org.');
  const { username, password, search, hash } = new URL(value);
  if (username || password) return l10n.t("Remove the user name and password. You'll enter the API key later.");
  return search || hash ? l10n.t('Remove the part that starts with ? or #.') : undefined;
}

/** Returns false if the address already contains a port or a path. */
function canHavePort(server: string): boolean {
  return !/^https?:\/\/[^/]*:\d+(?:\/|$)/i.test(server) && new URL(server).pathname === '/';
}

async function askPort(position: StepPosition, draft: Draft): ReturnType<Step> {
  if (!canHavePort(draft.server)) {
    draft.port = undefined;
    return 'skip';
  }
  const answer = await askText(position, {
    prompt: l10n.t('Port (leave empty for the default)'),
    value: draft.port === undefined ? '' : String(draft.port),
    validate: (value) =>
      value === '' || (/^\d{1,5}$/.test(value) && Number(value) >= 1 && Number(value) <= 65_535)
        ? undefined
        : l10n.t('Enter a port number from 1 to 65535.'),
  });
  return toStepResult(answer, (value) => (draft.port = value === '' ? undefined : Number(value)));
}

/** Asks for the ORCID iD, and shows which service was found, if any. Nothing is saved at this point. */
async function askOrcid(position: StepPosition, draft: Draft): ReturnType<Step> {
  const { prompt, ...input } = createOrcidInput(draft.orcid);
  const found = draft.attempt?.session ? l10n.t('Found {0}.', describeFoundService(draft.attempt)) : '';
  const answer = await askText(position, { ...input, prompt: [found, prompt].filter(Boolean).join(' ') });
  return toStepResult(answer, (value) => (draft.orcid = value));
}

/** Describes a service, for example as "DTS prototype 0.12.1, 6 databases". */
function describeFoundService({ session: { service }, databases }: SuccessfulAttempt): string {
  const name = [service.name, service.version].map(toPlainLine).filter(Boolean).join(' ');
  return formatList([name, plural(databases.length, '{0} database', '{0} databases')]);
}

/**
 * Returns the connection to save. Names a new connection after its service. If the name is taken, appends the host and,
 * if necessary, a number. Omits `apiKeyVariable`, because the entered key replaces it.
 */
function withUniqueName(
  connections: readonly Connection[],
  { service, connection: { apiKeyVariable, ...connection } }: OpenConnection,
): Connection {
  if (connections.some(({ id }) => id === connection.id)) return connection;
  const name = toPlainLine(service.name) || connection.name;
  const taken = new Set(connections.map((saved) => saved.name));
  return { ...connection, name: chooseConnectionName(name, connection, taken) };
}
