import assert from 'node:assert/strict';
import { env } from 'vscode';
import { localConnectionId } from '../../src/extension/editor/machine.ts';
import { Stage } from './stage.ts';

describe('Copy MCP Configuration', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.openConnected();
  });
  afterEach(() => stage.close());

  /** Copies the configuration for an agent. Resolves to the text on the clipboard. */
  async function copyFor(agent: string): Promise<string> {
    const done = stage.run('dataTransfer.copyMcpConfiguration');
    (await stage.person.pick()).choose(agent);
    await done;
    return await env.clipboard.readText();
  }

  it('copies a configuration that uses the command line and the active connection, without the key', async () => {
    const text = await copyFor('Claude Desktop');
    const { mcpServers } = JSON.parse(text) as { mcpServers: Record<string, { command: string; args: string[] }> };
    const { command = '', args = [] } = mcpServers['data-transfer'] ?? {};
    assert.match(command, /data-transfer$/);
    const [{ id } = assert.fail()] = stage.parts.settings.connections;
    assert.deepEqual(args, ['mcp', '--connection', id, '--key-variable', 'DATA_TRANSFER_KEY']);
    assert.ok(!text.includes('the-key'));
    const { message } = await stage.person.notice(/^Copied/);
    assert.equal(
      message,
      'Copied the configuration for Claude Desktop. Add it to claude_desktop_config.json. ' +
        'The agent needs the API key in the DATA_TRANSFER_KEY environment variable.',
    );
  });

  it('copies only the command for another agent, and does not list the agent of this editor', async () => {
    const done = stage.run('dataTransfer.copyMcpConfiguration');
    const pick = await stage.person.pick();
    assert.deepEqual(pick.labels, ['Claude Desktop', 'Claude Code', 'Cursor', 'Another agent']);
    pick.choose('Another agent');
    await done;
    const copied = JSON.parse(await env.clipboard.readText()) as object;
    assert.deepEqual(Object.keys(copied), ['command', 'args']);
  });

  it('needs no variable for the local service', async () => {
    stage.parts.connectFlow.disconnect();
    const done = stage.run('dataTransfer.copyMcpConfiguration');
    (await stage.person.pick()).choose('Local Service');
    (await stage.person.pick()).choose('Cursor');
    await done;
    assert.ok((await env.clipboard.readText()).includes(localConnectionId));
    assert.deepEqual(stage.person.statusMessages, ['Copied the configuration for Cursor. Add it to .cursor/mcp.json.']);
  });
});
