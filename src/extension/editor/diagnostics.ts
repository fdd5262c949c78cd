import { homedir, release } from 'node:os';
import { env, UIKind, version, workspace } from 'vscode';
import { getEnteredAddress, type Connection, type ServiceInfo } from '../../core/model/connection.ts';
import { isJsonObject } from '../../core/util/json.ts';
import type { LoggedProblem } from '../../core/util/logger.ts';
import { redact, redactHome } from '../../core/util/redact.ts';
import { toShortLine } from '../../core/util/visibleText.ts';
import { toPlainLine } from '../words/plainText.ts';

/** A connection as described in diagnostics. Does not contain the key itself. */
export interface DiagnosedConnection {
  readonly connection: Connection;
  readonly isShown: boolean;
  readonly service: ServiceInfo | undefined;
  /** The source of the connection's key, or the reason why there is no key. */
  readonly key: string;
}

/** The data for the diagnostics. `secrets` are removed from the entire text. */
interface DiagnosticsData {
  readonly extensionVersion: string;
  /** IDs of the extension's settings. */
  readonly settingIds: readonly string[];
  readonly connections: readonly DiagnosedConnection[];
  readonly isLocalServiceRunning: boolean;
  readonly transferCounts: Readonly<Record<string, number>>;
  /** Learned server dialects, by address. */
  readonly learned: unknown;
  readonly recentProblems: readonly LoggedProblem[];
  readonly secrets: readonly string[];
}

const maxLearnedServers = 10;

/**
 * Formats diagnostics for a bug report as Markdown. The text is not translated, because maintainers read it. It
 * contains no key, ORCID iD or path to the user's home folder, and only the scheme and host of addresses.
 */
export function formatDiagnostics(data: DiagnosticsData): string {
  const { connections, learned, recentProblems } = data;
  const sections: [string, readonly string[]][] = [
    ['Versions', formatVersions(data)],
    ['Connections', connections.map(formatConnection)],
    ['Local service and transfers', formatActivity(data)],
    ['Learned of servers', formatLearned(learned)],
    ['Configured settings', data.settingIds.flatMap(formatSetting)],
    ['Last warnings and errors', recentProblems.map(formatProblem)],
  ];
  const lines = sections.flatMap(([title, entries]) => [
    `${title}:`,
    ...(entries.length > 0 ? entries : ['none']).map(indent),
    '',
  ]);
  // All entries are indented, so none can end the code block.
  const text = lines.join('\n').trimEnd();
  return `Data Transfer Explorer, diagnostics\n\n\`\`\`text\n${redactIdentity(redact(text, data.secrets))}\n\`\`\`\n`;
}

function indent(line: string): string {
  return `  ${line}`;
}

function formatVersions({ extensionVersion }: DiagnosticsData): string[] {
  const ui = env.uiKind === UIKind.Web ? 'in a browser' : 'on the desktop';
  return [
    `Data Transfer Explorer ${extensionVersion}`,
    `${env.appName} ${version}, ${ui}, ${env.appHost}`,
    `remote: ${env.remoteName ?? 'none'}`,
    `${process.platform} ${release()} ${process.arch}, Node.js ${process.versions.node}`,
    `language: ${env.language}; workspace: ${workspace.isTrusted ? 'trusted' : 'not trusted'}`,
  ];
}

function formatConnection({ connection, isShown, service, key }: DiagnosedConnection, index: number): string {
  const { scheme = 'base64', transport = 'direct', allowInsecureHttp = false } = connection;
  const facts = [
    redactAddress(getEnteredAddress(connection)),
    isShown ? 'shown' : '',
    service ? `open: ${toPlainLine(service.name)} ${toPlainLine(service.version)}` : 'not open',
    `key: ${key}`,
    `scheme: ${scheme}, transport: ${transport}`,
    allowInsecureHttp ? 'may be unencrypted' : '',
  ];
  return `${index + 1}. ${facts.filter(Boolean).join('; ')}`;
}

function formatActivity({ isLocalServiceRunning, transferCounts }: DiagnosticsData): string[] {
  const counts = Object.entries(transferCounts).map(([state, count]) => `${state}: ${count}`);
  return [
    `local service: ${isLocalServiceRunning ? 'used by this window' : 'not used'}`,
    `transfers: ${counts.join(', ')}`,
  ];
}

function formatLearned(learned: unknown): string[] {
  if (!isJsonObject(learned)) return [];
  const entries = Object.entries(learned).slice(-maxLearnedServers);
  return entries.map(([address, dialect]) => `${redactAddress(address)}: ${toPlainLine(JSON.stringify(dialect))}`);
}

function formatSetting(id: string): string[] {
  const found = workspace.getConfiguration().inspect(id);
  const value = found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue;
  return value === undefined ? [] : [`${id}: ${formatValue(value)}`];
}

/** Formats a setting's value without revealing names, paths or services. */
function formatValue(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `${value.length} entries`;
  return typeof value === 'string' && /^[a-z]{1,20}$/i.test(value) ? value : 'set';
}

function formatProblem({ at, level, message }: LoggedProblem): string {
  return `${new Date(at).toISOString()} ${level}: ${toShortLine(message, 1000)}`;
}

/** Redacts ORCID iDs and the path to the user's home folder, and reduces addresses to their scheme and host. */
function redactIdentity(text: string): string {
  const redacted = text
    .replaceAll(/\bhttps?:\/\/[^\s"'<>();,]+/gi, redactAddress)
    .replaceAll(/\b(?:\d{4}-){3}\d{3}[\dX]\b/gi, '[ORCID iD]');
  return redactHome(redacted, homedir());
}

/** Reduces an address to its scheme and host. Preserves punctuation that follows the address. */
function redactAddress(address: string): string {
  const [, bare = address, rest = ''] = /^(.*?)([.:]*)$/s.exec(address) ?? [];
  return URL.canParse(bare) ? new URL(bare).origin + rest : '(not an address)';
}
