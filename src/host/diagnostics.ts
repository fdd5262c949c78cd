import { homedir, release } from 'node:os';
import { env, UIKind, version, workspace } from 'vscode';
import type { Connection, ServiceInfo } from '../core/model/connection.ts';
import { isJsonObject } from '../core/util/json.ts';
import type { Trouble } from '../core/util/recentTroubles.ts';
import { redact } from '../core/util/redact.ts';
import { plainLine, plainPart } from './words.ts';

/** What is known of one connection; never its key. */
export interface DiagnosedConnection {
  readonly connection: Connection;
  readonly isShown: boolean;
  readonly service: ServiceInfo | undefined;
  /** Where its key comes from, or why there is none. */
  readonly key: string;
}

/** Everything that diagnostics tell; `secrets` are left out wherever they stand. */
export interface Diagnosed {
  readonly extensionVersion: string;
  /** Ids of the extension's settings. */
  readonly settingIds: readonly string[];
  readonly connections: readonly DiagnosedConnection[];
  readonly isLocalServiceRunning: boolean;
  readonly transferCounts: Readonly<Record<string, number>>;
  /** What was learned of servers, by address. */
  readonly learned: unknown;
  readonly troubles: readonly Trouble[];
  readonly secrets: readonly string[];
}

const mostLearned = 10;

/**
 * Diagnostics for a bug report, as Markdown. They are read by those who mend the program, so they are not translated.
 * They hold no key, no ORCID iD, no path of the person's home, and of addresses only scheme and host.
 */
export function diagnosticsText(diagnosed: Diagnosed): string {
  const { connections, learned, troubles } = diagnosed;
  const parts: [string, readonly string[]][] = [
    ['Versions', versionLines(diagnosed)],
    ['Connections', connections.map(connectionLine)],
    ['Local service and transfers', activityLines(diagnosed)],
    ['Learned of servers', learnedLines(learned)],
    ['Settings that differ from the default', diagnosed.settingIds.flatMap(settingLine)],
    ['Last warnings and errors', troubles.map(troubleLine)],
  ];
  const lines = parts.flatMap(([title, some]) => [
    `${title}:`,
    ...(some.length > 0 ? some : ['none']).map(indented),
    '',
  ]);
  // A line of the text is indented, so that none of them can end the block.
  const text = lines.join('\n').trimEnd();
  return `Data Transfer Explorer, diagnostics\n\n\`\`\`text\n${withoutPlaces(redact(text, diagnosed.secrets))}\n\`\`\`\n`;
}

function indented(line: string): string {
  return `  ${line}`;
}

function versionLines({ extensionVersion }: Diagnosed): string[] {
  const ui = env.uiKind === UIKind.Web ? 'in a browser' : 'on the desktop';
  return [
    `Data Transfer Explorer ${extensionVersion}`,
    `${env.appName} ${version}, ${ui}, ${env.appHost}`,
    `remote: ${env.remoteName ?? 'none'}`,
    `${process.platform} ${release()} ${process.arch}, Node.js ${process.versions.node}`,
    `language: ${env.language}; workspace: ${workspace.isTrusted ? 'trusted' : 'not trusted'}`,
  ];
}

function connectionLine({ connection, isShown, service, key }: DiagnosedConnection, index: number): string {
  const { server, scheme = 'base64', transport = 'direct', allowInsecureHttp = false } = connection;
  const what = [
    placeOf(connection.port === undefined ? server : `${server}:${connection.port}`),
    isShown ? 'shown' : '',
    service ? `open: ${plainLine(service.name)} ${plainLine(service.version)}` : 'not open',
    `key: ${key}`,
    `scheme: ${scheme}, transport: ${transport}`,
    allowInsecureHttp ? 'may be unencrypted' : '',
  ];
  return `${index + 1}. ${what.filter(Boolean).join('; ')}`;
}

function activityLines({ isLocalServiceRunning, transferCounts }: Diagnosed): string[] {
  const counts = Object.entries(transferCounts).map(([what, count]) => `${what}: ${count}`);
  return [
    `local service: ${isLocalServiceRunning ? 'used by this window' : 'not used'}`,
    `transfers: ${counts.join(', ')}`,
  ];
}

function learnedLines(learned: unknown): string[] {
  if (!isJsonObject(learned)) return [];
  const entries = Object.entries(learned).slice(-mostLearned);
  return entries.map(([address, what]) => `${placeOf(address)}: ${plainLine(JSON.stringify(what))}`);
}

function settingLine(id: string): string[] {
  const found = workspace.getConfiguration().inspect(id);
  const value = found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue;
  return value === undefined ? [] : [`${id}: ${valueText(value)}`];
}

/** Only what cannot name a person, a place or a service. */
function valueText(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `${value.length} entries`;
  return typeof value === 'string' && /^[a-z]{1,20}$/i.test(value) ? value : 'set';
}

function troubleLine({ at, level, message }: Trouble): string {
  return `${new Date(at).toISOString()} ${level}: ${plainPart(message, 1000)}`;
}

function withoutPlaces(text: string): string {
  return text.replaceAll(/\bhttps?:\/\/[^\s"'<>();,]+/gi, placeOf).replaceAll(homedir(), '~');
}

/** An address as scheme and host, also one at the end of a sentence. */
function placeOf(address: string): string {
  const [, bare = address, rest = ''] = /^(.*?)([.:]*)$/s.exec(address) ?? [];
  return URL.canParse(bare) ? new URL(bare).origin + rest : '(not an address)';
}
