import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationTarget, env, LanguageModelTextPart, lm, workspace } from 'vscode';
import { agentTools } from '../../src/core/agents/callAgentTool.ts';
import { WindowPolicy } from '../../src/extension/features/agents/windowPolicy.ts';
import { describeToolCall } from '../../src/extension/words/commandTitles.ts';
import { eventually } from '../support/eventually.ts';
import { MemoryLog } from '../support/memoryLog.ts';
import { deletePlans } from './planLeftovers.ts';
import { ledgerFolder, Stage } from './stage.ts';

type Answer = Readonly<Record<string, unknown>>;

describe('The tools for agents', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.openConnected();
  });
  afterEach(async () => {
    await setRule(undefined);
    await deletePlans(ledgerFolder);
    await stage.parts.proposedPlans.refresh();
    await stage.close();
  });

  async function setRule(rule: string | undefined): Promise<void> {
    await workspace.getConfiguration('dataTransfer').update('agents.submit', rule, ConfigurationTarget.Global);
  }

  /** Calls a tool as an agent does; resolves to the tool's answer. */
  async function call(name: string, input: object): Promise<Answer> {
    const { content } = await lm.invokeTool(`data_transfer_${name}`, { input, toolInvocationToken: undefined });
    const [part] = content;
    assert.ok(part instanceof LanguageModelTextPart);
    return JSON.parse(part.value) as Answer;
  }

  /** Plans a transfer of the files that a search finds. Resolves to the ID of the plan. */
  async function plan(more: object = {}): Promise<string> {
    const request = {
      source: 'JGI Data Portal',
      destination: 'KBase Workspace Service (KSS)',
      query: 'JDP:0000',
    };
    const { planId, ...rest } = await call('plan_transfer', { ...request, ...more });
    assert.ok(typeof planId === 'string', JSON.stringify(rest));
    return planId;
  }

  function countSubmissions(): number {
    return stage.server.requestsTo('POST /api/v1/transfers').length;
  }

  it('are all registered in the editor', () => {
    const listed = lm.tools.map(({ name }) => name).filter((name) => name.startsWith('data_transfer_'));
    assert.deepEqual(listed.sort(), agentTools.map(({ name }) => `data_transfer_${name}`).sort());
  });

  it('are described in a chat while they run, without text from the agent', () => {
    const sentences = agentTools.map(({ name }) => describeToolCall(name));
    assert.ok(sentences.every((sentence) => sentence !== undefined && sentence.length < 60));
    assert.equal(new Set(sentences).size, agentTools.length);
    assert.equal(describeToolCall('other'), undefined);
  });

  it('read data without a prompt', async () => {
    const { data } = await call('list_databases', {});
    assert.match(JSON.stringify(data), /JGI Data Portal/);
    const { data: found } = await call('search_files', { database: 'JGI Data Portal', query: 'JDP:0000' });
    assert.match(JSON.stringify(found), /JDP:/);
    assert.deepEqual(
      stage.person.notices.filter(({ isModal }) => isModal),
      [],
    );
  });

  it('reject input that their schema forbids but the editor passes on', async () => {
    assert.deepEqual(await call('search_files', { database: 5 }), {
      error: '"database" must be of type string.',
      code: 'badInput',
    });
    assert.equal((await call('search_files', { database: 'x', key: 'y' }))['error'], 'Unknown field "key".');
  });

  it('submit a plan once, after the user confirms it in the dialog (D64)', async () => {
    const planId = await plan({ description: 'For the atlas' });
    assert.equal(stage.parts.proposedPlans.getAll().length, 1);
    const submitted = call('submit_transfer', { planId });
    const summary = await stage.person.notice(/^Transfer .* to KBase.*\?$/);
    assert.ok(summary.isModal);
    assert.match(summary.detail, new RegExp(`^Requested by: an agent in ${env.appName}$`, 'm'));
    assert.match(summary.detail, /^Description: For the atlas$/m);
    assert.deepEqual(summary.buttons, ['Transfer', 'Decline']);
    assert.equal(countSubmissions(), 0);
    summary.press('Transfer');
    const { data, ...answer } = await submitted;
    assert.equal(answer['error'], undefined, JSON.stringify([answer, data]));
    assert.equal(countSubmissions(), 1);
    const shown = [...stage.person.statusMessages, ...stage.person.notices];
    assert.equal((await call('submit_transfer', { planId }))['code'], 'planDecided');
    assert.equal(countSubmissions(), 1);
    assert.deepEqual([...stage.person.statusMessages, ...stage.person.notices], shown);
    const [transfer] = stage.parts.transferStore.getAll();
    assert.deepEqual(transfer?.requestedBy, { agent: `an agent in ${env.appName}`, plan: planId });
    assert.deepEqual(stage.parts.proposedPlans.getAll(), []);
  });

  it('submit nothing if the user declines the plan (D64)', async () => {
    const planId = await plan();
    const submitted = call('submit_transfer', { planId });
    (await stage.person.notice(/^Transfer .* to KBase.*\?$/)).press('Decline');
    assert.equal((await submitted)['code'], 'declined');
    assert.equal((await call('submit_transfer', { planId }))['code'], 'planDecided');
    assert.equal(countSubmissions(), 0);
  });

  it('keep a plan pending if the user closes the dialog, and show one dialog at a time', async () => {
    const planId = await plan();
    const other = await plan();
    const submitted = call('submit_transfer', { planId });
    const summary = await stage.person.notice(/^Transfer .* to KBase.*\?$/);
    const answers = await Promise.all(Array.from({ length: 20 }, () => call('submit_transfer', { planId: other })));
    assert.ok(
      answers.every(({ state }) => state === 'waiting for user confirmation'),
      JSON.stringify(answers[0]),
    );
    summary.dismiss();
    assert.equal((await submitted)['state'], 'waiting for user confirmation');
    assert.equal(stage.parts.proposedPlans.getAll().length, 2);
    assert.equal(countSubmissions(), 0);
  });

  it('submit nothing while the setting forbids it, and save the rule for other programs (D64)', async () => {
    const planId = await plan();
    await setRule('never');
    assert.equal((await call('submit_transfer', { planId }))['code'], 'submissionOff');
    const rule = await eventually(() => readFile(join(ledgerFolder, 'agents.json'), 'utf8').catch(() => undefined));
    assert.deepEqual(JSON.parse(rule), { submit: 'never' });
    const done = stage.run('dataTransfer.confirmPlan', { kind: 'plan', id: planId });
    (await stage.person.notice(/^Transfer .* to KBase.*\?$/)).press('Transfer');
    await stage.person.notice(
      /^Nothing was sent: the dataTransfer\.agents\.submit setting or the agents\.json file doesn't allow agents to submit transfers\.$/,
    );
    await done;
    assert.equal(countSubmissions(), 0);
  });

  it('submit nothing if another window starts while the rule forbids it (D64)', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'agents-rule-'));
    const file = join(folder, 'agents.json');
    for (const text of ['{"submit":"never"}', '{"submit": "as']) {
      await writeFile(file, text);
      const policy = new WindowPolicy(folder, { agentSubmission: 'ask' });
      const following = policy.follow(new MemoryLog());
      assert.equal(await policy.read(), 'never');
      following.dispose();
      assert.equal(await readFile(file, 'utf8'), text);
    }
    await rm(folder, { recursive: true });
  });

  it('may submit again after the user has changed the setting to "never" and back (D64)', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'agents-rule-'));
    const policy = new WindowPolicy(folder, { agentSubmission: 'ask' });
    await policy.write('never');
    const following = policy.follow(new MemoryLog());
    await setRule('never');
    await eventually(async () => (await policy.read()) === 'ask' || undefined);
    assert.equal(await readFile(join(folder, 'agents.json'), 'utf8'), '{"submit":"ask"}\n');
    following.dispose();
    await rm(folder, { recursive: true });
  });

  it('show a prompt before they cancel a transfer, with the name of the agent', async () => {
    const planId = await plan();
    const submitted = call('submit_transfer', { planId });
    (await stage.person.notice(/^Transfer .* to KBase.*\?$/)).press('Transfer');
    await submitted;
    const id = stage.parts.transferStore.getAll()[0]?.id ?? assert.fail();
    const kept = call('cancel_transfer', { id });
    const question = await stage.person.notice(/^Cancel the transfer of/);
    assert.match(question.detail, /^Requested by: an agent in /);
    question.press('Keep Running');
    assert.equal((await kept)['code'], 'declined');
    const canceled = call('cancel_transfer', { id });
    (await stage.person.notice(/^Cancel the transfer of/)).press('Cancel Transfer');
    assert.equal((await canceled)['error'], undefined);
    assert.equal(stage.server.requestsTo('DELETE /api/v1/transfers/*').length, 1);
  });

  it('explain how to connect, and never connect by themselves', async () => {
    stage.parts.connectFlow.disconnect();
    const before = stage.server.requests.length;
    const { error, code } = await call('list_databases', {});
    assert.equal(code, 'notConnected');
    assert.match(String(error), /"Data Transfer: Connect to a Service…"/);
    assert.equal(stage.server.requests.length, before);
  });
});
