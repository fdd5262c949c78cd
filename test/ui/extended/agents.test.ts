import assert from 'node:assert/strict';
import { join } from 'node:path';
import { planLifetimeMs } from '../../../src/core/transfers/planFiles.ts';
import { PlanStore } from '../../../src/core/agents/planStore.ts';
import { systemClock } from '../../../src/core/util/clock.ts';
import { getEditorDataHome, getLedgerIn } from '../../support/dataHome.ts';
import { savedConnection, type Editor } from '../../support/editor/editor.ts';
import { closeEditors, openEditorWith, type JourneyOptions } from '../../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../../support/editor/failureArtifacts.ts';
import { repositoryRoot } from '../../support/editor/places.ts';
import type { EditorWindow } from '../../support/editor/window.ts';
import { publicLike } from '../../support/faultPersonality.ts';
import { FaultServer } from '../../support/faultServer.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

const agent = join(repositoryRoot, 'test', 'support', 'agentExtension');
const destination = 'KBase Workspace Service (KSS)';
/** Settings that enable the editor's AI features and approve all tool calls without a prompt. */
const approveAll = { 'chat.disableAIFeatures': false, 'chat.tools.global.autoApprove': true };

describe('A user whose agent proposes transfers', () => {
  let server: FaultServer;
  let editor: Editor;
  let window: EditorWindow;

  beforeEach(async () => {
    server = await FaultServer.start();
    publicLike(server, 'the-key');
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
    await server.stop();
  });

  /** Opens a connected window with an additional extension that calls tools. */
  async function open(more: JourneyOptions = {}): Promise<void> {
    const saved = savedConnection(server.address, 'the-key');
    const machineSettings = { ...saved.machineSettings, ...more.machineSettings };
    editor = await openEditorWith([agent], { ...saved, ...more, machineSettings });
    window = await editor.openWindow();
    await window.openContainer('Data Transfer');
    await window.tree('Databases').see('JGI Data Portal');
  }

  /** Makes the agent call a tool. Doesn't wait for the answer. */
  async function call(name: string, input: object): Promise<void> {
    await callTool(`data_transfer_${name}`, input);
  }

  async function callTool(name: string, input: object): Promise<void> {
    await window.page.evaluate('navigator.clipboard.writeText("")');
    await window.command('Test Agent: Call a Tool');
    await window.input(JSON.stringify({ name, input }), /Tool and input/);
  }

  async function answer(name: string, prefix = 'data_transfer_'): Promise<Readonly<Record<string, unknown>>> {
    const text = await window.clipboard((copied) => copied.startsWith(`${prefix}${name}: `));
    return JSON.parse(text.slice(text.indexOf('{'))) as Readonly<Record<string, unknown>>;
  }

  /** Makes the agent plan a transfer. Resolves to the ID of the plan. */
  async function plan(): Promise<string> {
    await call('plan_transfer', { source: 'JGI Data Portal', destination, query: 'JDP:0000', description: 'Atlas' });
    const { planId, ...rest } = await answer('plan_transfer');
    assert.ok(typeof planId === 'string', JSON.stringify(rest));
    await window.tree('Transfers').see(/files? to KBase/, /^expires .* · an agent in /);
    return planId;
  }

  function countSubmissions(): number {
    return server.requestsTo('POST /api/v1/transfers').length;
  }

  it('is prompted even if the editor auto-approves all tools, and can confirm, decline or decide later (D64)', async () => {
    await open({ settings: approveAll });
    const transfers = window.tree('Transfers');
    const confirmed = await plan();
    const [first] = await transfers.rows();
    assert.equal(first?.label, 'Proposed by an agent');
    await call('submit_transfer', { planId: confirmed });
    const { message, detail, buttons } = await window.notifications.dialog();
    assert.match(message, /^Transfer \d+ files to KBase/);
    assert.match(detail, /^Requested by: an agent in /m);
    assert.match(detail, /^Description: Atlas$/m);
    assert.deepEqual([...buttons].sort(), ['Cancel', 'Decline', 'Transfer']);
    assert.equal(countSubmissions(), 0);
    await window.notifications.answer('Transfer');
    assert.equal((await answer('submit_transfer'))['error'], undefined);
    assert.equal(countSubmissions(), 1);
    assert.match(await (await transfers.row(/→ KBase/)).tooltip(), /Requested by: an agent in .*, confirmed by you/);

    const declined = await plan();
    await call('submit_transfer', { planId: declined });
    await window.notifications.dialog();
    await window.notifications.answer('Decline');
    assert.equal((await answer('submit_transfer'))['code'], 'declined');

    const later = await plan();
    await call('submit_transfer', { planId: later });
    await window.notifications.dialog();
    await window.notifications.answer('Cancel');
    assert.equal((await answer('submit_transfer'))['state'], 'waiting for user confirmation');
    await window.reload();
    await (await transfers.row(/^\d+ files to KBase/)).click();
    assert.match((await window.notifications.dialog()).detail, /^Requested by: an agent in /m);
    await window.notifications.answer('Cancel');
    await (await transfers.row(/^\d+ files to KBase/)).action('Decline Proposed Transfer');
    await transfers.waitFor('no proposal', (rows) => rows.every(({ label }) => label !== 'Proposed by an agent'));
    assert.equal(countSubmissions(), 1);
  });

  /** Saves a plan as an agent outside the editor would. */
  async function proposeElsewhere(): Promise<void> {
    const plans = new PlanStore(getLedgerIn(getEditorDataHome(editor.dataFolder)), systemClock, new MemoryLog());
    const createdAt = Date.now();
    await plans.create({
      createdAt,
      expiresAt: createdAt + planLifetimeMs,
      requestedBy: 'Claude Code',
      service: { connectionId: 'saved', name: 'Test', address: server.address, orcid: '0000-0002-1825-0097' },
      source: 'JGI Data Portal',
      destination,
      files: [{ id: 'JDP:000001', path: 'a.csv', bytes: 5 }],
      textOrigin: 'agent',
      licenses: [{ fileCount: 1, forbidsSharing: false }],
      copies: { atDestination: 0, isComplete: true, received: 0, underWay: 0 },
    });
    plans.dispose();
  }

  it('is notified of a plan from another program in a window that has not shown the view (D64)', async () => {
    editor = await openEditorWith([agent], savedConnection(server.address, 'the-key'));
    window = await editor.openWindow();
    await proposeElsewhere();
    await window.notifications.wait(/^Transfer proposed by Claude Code: 1 file to KBase/);
    assert.equal(server.requests.length, 0);
    await window.openContainer('Data Transfer');
    await window.tree('Transfers').see(/^1 file to KBase/, /^expires .* · Claude Code$/);
    assert.equal(countSubmissions(), 0);
  });

  /** Calls a tool of the MCP server through the editor's own client; resolves to the answer. */
  async function callServer(name: string, input: object): Promise<Readonly<Record<string, unknown>>> {
    await callTool(name, input);
    return await answer(name, '');
  }

  it("confirms a plan and a cancel that come through the editor's own MCP client (D64)", async () => {
    await open({ settings: approveAll });
    const transfers = window.tree('Transfers');
    const args = ['--server', server.address, '--orcid', '0000-0002-1825-0097', '--key-variable', 'THE_KEY'];
    await window.page.evaluate('navigator.clipboard.writeText("")');
    await window.command('Test Agent: Start the Server for Agents');
    await window.input(JSON.stringify({ args, variables: { THE_KEY: 'the-key' } }), /Arguments and variables/);
    assert.equal(await window.clipboard((text) => text.startsWith('started: ')), 'started: 9 tools');
    await callTool('list_databases', {});
    assert.equal((await window.notifications.dialog()).message, 'Enable global auto approve?');
    await window.notifications.answer('Enable');
    assert.match(JSON.stringify(await answer('list_databases', '')), /"name":"JGI Data Portal"/);
    const found = await callServer('search_files', { database: 'JGI Data Portal', query: 'JDP:000012' });
    assert.match(JSON.stringify(found), /"id":"JDP:000012"/);
    const ids = ['JDP:000012'];
    const { planId } = await callServer('plan_transfer', { source: 'JGI Data Portal', destination, ids });
    await transfers.see(/^1 file to KBase/);
    assert.equal((await callServer('submit_transfer', { planId }))['state'], 'waiting for user confirmation');
    assert.equal(countSubmissions(), 0);
    await (await transfers.row(/^1 file to KBase/)).click();
    await window.notifications.dialog();
    await window.notifications.answer('Transfer');
    await transfers.row(/→ KBase/);
    const { transferId } = await callServer('transfer_status', { id: planId });
    const canceled = (): number => server.requests.filter(({ method }) => method === 'DELETE').length;
    assert.equal((await callServer('cancel_transfer', { id: transferId }))['state'], 'waiting for user confirmation');
    assert.deepEqual([countSubmissions(), canceled()], [1, 0]);
    await (await transfers.row(/→ KBase/)).action('Cancel Transfer');
    await window.notifications.answer('Cancel Transfer');
    await transfers.spokenRow(/, cancel/);
    assert.match(String((await callServer('transfer_status', { id: transferId }))['state']), /^cancel/);
    assert.equal(canceled(), 1);
  });

  it('can forbid submissions by agents, and configure another agent (D64)', async () => {
    await open({ settings: approveAll, machineSettings: { 'dataTransfer.agents.submit': 'never' } });
    const planId = await plan();
    await call('submit_transfer', { planId });
    assert.equal((await answer('submit_transfer'))['code'], 'submissionOff');
    await (await window.tree('Transfers').row(/^\d+ files to KBase/)).click();
    await window.notifications.dialog();
    await window.notifications.answer('Transfer');
    await window.notifications.wait(/^Nothing was sent: the dataTransfer\.agents\.submit setting or /);
    assert.equal(countSubmissions(), 0);
    await window.command('Data Transfer: Copy MCP Configuration…');
    await window.pick('Claude Desktop', 'Select the agent to configure');
    assert.match(await window.clipboard((text) => text.includes('mcpServers')), /"mcp",\s+"--connection",\s+"saved"/);
  });
});
