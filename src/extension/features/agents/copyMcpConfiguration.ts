import { env, l10n } from 'vscode';
import { getLauncherCommand } from '../../editor/commandLineFiles.ts';
import { localConnectionId } from '../../editor/machine.ts';
import { chooseOne, type Choice } from '../../editor/quickInput.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { pickConnection } from '../connections/connectionPicker.ts';
import { keyVariable } from '../connections/localServiceCommands.ts';
import type { CommandServices } from '../services.ts';
import { getDialogTitle } from '../../words/commandTitles.ts';

/** A program that starts MCP servers, and its configuration file. */
interface McpClient {
  /** The program's name, as shown to the user. */
  readonly id: string;
  readonly file?: string;
}

/** The command that starts the MCP server, in the format of a client's configuration. */
interface McpServer {
  readonly command: string;
  readonly args: readonly string[];
}

const mcpClients: readonly McpClient[] = [
  { id: 'Claude Desktop', file: 'claude_desktop_config.json' },
  { id: 'Claude Code', file: '.mcp.json' },
  { id: 'Cursor', file: '.cursor/mcp.json' },
];

const thisSystem = { platform: process.platform, shell: process.env['ComSpec'] };

/**
 * Copies the configuration that lets an agent outside the editor start the MCP server. The configuration contains the
 * ID of a connection and may name the environment variable for its key, but never contains the key itself.
 */
export async function copyMcpConfiguration(services: CommandServices): Promise<void> {
  const { sessions, commandLinePaths, notifications } = services;
  const placeholder = l10n.t('Select the service for the agent');
  const id = sessions.active?.connection.id ?? (await pickConnection(services, placeholder));
  const client = id === undefined ? undefined : await pickClient();
  if (id === undefined || !client) return;
  const variable = getKeyVariable(services, id);
  const [command, ...args] = getLauncherCommand(commandLinePaths, thisSystem);
  const key = variable?.isNamed === false ? ['--key-variable', variable.name] : [];
  await env.clipboard.writeText(
    formatConfiguration(client, { command, args: [...args, 'mcp', '--connection', id, ...key] }),
  );
  const text = describeCopied(client);
  if (variable) void notifications.info(`${text} ${describeVariable(variable.name)}`);
  else notifications.showStatusMessage(text);
}

async function pickClient(): Promise<McpClient | undefined> {
  const other: McpClient = { id: l10n.t('Another agent') };
  const choices = [...mcpClients, other].map(createChoice);
  const placeholder = l10n.t('Select the agent to configure');
  return await chooseOne(getDialogTitle('dataTransfer.copyMcpConfiguration'), {
    placeholder,
    choices,
  });
}

function createChoice(client: McpClient): Choice<McpClient> {
  return { label: client.id, description: client.file ?? l10n.t('command and arguments as JSON'), value: client };
}

/**
 * Returns the name of the environment variable for a connection's key. Returns undefined for the local service, whose
 * key the MCP server finds by itself. `isNamed` is true if the connection's settings contain the name.
 */
function getKeyVariable({ settings }: CommandServices, id: string): { name: string; isNamed: boolean } | undefined {
  if (id === localConnectionId) return undefined;
  const name = settings.connections.find((connection) => connection.id === id)?.apiKeyVariable;
  return { name: name ?? keyVariable, isNamed: name !== undefined };
}

function formatConfiguration({ file }: McpClient, server: McpServer): string {
  const content = file === undefined ? server : { mcpServers: { 'data-transfer': server } };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

function describeCopied({ id, file }: McpClient): string {
  if (file === undefined) return l10n.t('Copied the configuration.');
  return l10n.t('Copied the configuration for {0}. Add it to {1}.', id, file);
}

function describeVariable(name: string): string {
  return l10n.t('The agent needs the API key in the {0} environment variable.', toPlainLine(name));
}
