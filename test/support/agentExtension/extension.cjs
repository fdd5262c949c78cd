/**
 * Calls tools of other extensions as an agent does. Prompts for each call and copies the answer to the clipboard. Also
 * registers the extension's MCP server with the editor's own MCP client, so that its tools can be called.
 */
const { join } = require('node:path');
const { commands, env, EventEmitter, extensions, lm, McpStdioServerDefinition, window } = require('vscode');

const changed = new EventEmitter();
const label = 'data-transfer';
let definitions = [];

exports.activate = ({ subscriptions }) => {
  const provideMcpServerDefinitions = () => definitions;
  const provider = { provideMcpServerDefinitions, onDidChangeMcpServerDefinitions: changed.event };
  subscriptions.push(
    commands.registerCommand('testAgent.call', call),
    commands.registerCommand('testAgent.startServer', startServer),
    lm.registerMcpServerDefinitionProvider('testAgent.servers', provider),
  );
};

async function call() {
  const text = await window.showInputBox({ prompt: 'Tool and input as JSON', ignoreFocusOut: true });
  if (text === undefined) return;
  const { name, input } = JSON.parse(text);
  const tool = lm.tools.find((one) => one.name === name || isOfServer(one, name));
  await env.clipboard.writeText(await invoke(tool?.name ?? name, name, input));
}

/**
 * Returns true if a tool of the editor is the given tool of the MCP server. The editor adds a prefix to the names of
 * its tools.
 */
function isOfServer({ name }, tool) {
  return name.startsWith('mcp_') && name.endsWith(`_${tool}`);
}

async function invoke(name, shown, input) {
  try {
    const { content } = await lm.invokeTool(name, { input, toolInvocationToken: undefined });
    return `${shown}: ${content.map(({ value }) => value).join('')}`;
  } catch (error) {
    return `${shown}: ${JSON.stringify({ thrown: error.message })}`;
  }
}

/** Starts the MCP server of the installed extension and copies the number of its tools to the clipboard. */
async function startServer() {
  const text = await window.showInputBox({ prompt: 'Arguments and variables as JSON', ignoreFocusOut: true });
  if (text === undefined) return;
  const { args, variables } = JSON.parse(text);
  const { extensionPath } = extensions.getExtension('data-transfer-explorer.data-transfer-explorer');
  const program = join(extensionPath, 'dist', 'cli', 'main.cjs');
  definitions = [new McpStdioServerDefinition(label, process.execPath, [program, 'mcp', ...args], variables, '1')];
  changed.fire();
  const isReady = () => lm.tools.some((tool) => isOfServer(tool, 'list_databases'));
  while (!isReady()) {
    await commands.executeCommand('workbench.mcp.startServer', `data-transfer-explorer.test-agent/${label}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  await env.clipboard.writeText(`started: ${lm.tools.filter(({ name }) => name.startsWith('mcp_')).length} tools`);
}
