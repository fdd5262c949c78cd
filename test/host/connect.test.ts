import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { Uri, workspace } from 'vscode';
import { html, json, problem } from '../support/faultBehaviors.ts';
import { publicLike } from '../support/faultPersonality.ts';
import { keysOfSecrets, orcid, Stage, readEditorState } from './stage.ts';

const oneSentence = /^[A-Z][^\n]{5,200}[.]$/;

describe('Connecting in the editor', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.open();
  });
  afterEach(() => stage.close());

  it('saves the address, key and ORCID iD, and shows the service (D6)', async () => {
    await stage.connectToPublic();
    const { settings, apiKeys, connectionStore, memory } = stage.parts;
    const [connection, ...others] = settings.connections;
    assert.ok(connection);
    assert.deepEqual(others, []);
    assert.deepEqual([connection.name, connection.server], ['DTS prototype', stage.server.address]);
    assert.equal(await apiKeys.get(connection), 'the-key');
    assert.equal(settings.orcid, orcid);
    assert.equal(await memory.getLastConnectionId(), connection.id);
    assert.equal(connectionStore.state.kind, 'connected');
    assert.equal(stage.person.notices[0]?.message, 'Connected to DTS prototype 0.12.1, 3 databases.');
  });

  it("doesn't ask for an ORCID iD that is set, and counts the steps without it", async () => {
    publicLike(stage.server, 'the-key');
    await stage.settings.update('orcid', orcid, true);
    const done = stage.run('dataTransfer.connect');
    const address = await stage.person.textBox();
    assert.deepEqual([address.step, address.totalSteps], [1, 2]);
    address.enter(stage.server.address);
    const apiKey = await stage.person.textBox();
    assert.deepEqual([apiKey.step, apiKey.totalSteps], [2, 2]);
    apiKey.enter('the-key');
    await done;
    await stage.person.notice(/^Connected to DTS prototype/);
    assert.equal(stage.settings.get('orcid'), orcid);
  });

  it('counts the prompt for the port as part of the address step', async () => {
    const done = stage.run('dataTransfer.connect');
    const address = await stage.person.textBox();
    assert.deepEqual([address.step, address.totalSteps], [1, 3]);
    address.enter('https://dts.example.org');
    const port = await stage.person.textBox();
    assert.deepEqual([port.step, port.totalSteps], [1, 3]);
    port.escape();
    await done;
    await assertNothingSaved(stage);
  });

  it('opens the only saved connection if the last one is unknown (D45)', async () => {
    await stage.connectToPublic();
    await stage.run('dataTransfer.disconnect');
    await rm(Uri.joinPath(stage.parts.context.globalStorageUri, 'state').fsPath, { recursive: true });
    const search = await stage.search('JGI Data Portal', 'JDP');
    assert.equal(search.connectionId, stage.parts.settings.connections[0]?.id);
    assert.equal(await stage.parts.memory.getLastConnectionId(), search.connectionId);
  });

  it('accepts an ORCID iD as a URL and saves its plain form (D19)', async () => {
    publicLike(stage.server, 'the-key');
    const done = stage.run('dataTransfer.connect');
    (await stage.person.textBox()).enter(stage.server.address);
    (await stage.person.textBox()).enter('the-key');
    const box = await stage.person.textBox();
    box.enter('0000-0002-1825-009');
    assert.match(await box.complaint(), /ORCID iD has 15 digits/);
    box.enter('0000-0002-1825-0098');
    assert.equal(await box.complaint(), "The check character doesn't match. Check the iD for typos.");
    box.enter(`https://orcid.org/${orcid}`);
    await done;
    assert.equal(workspace.getConfiguration('dataTransfer').get('orcid'), orcid);
  });

  it('shows a mistyped ORCID iD from the settings with its error, and confirms a valid one (D19)', async () => {
    await stage.settings.update('orcid', '0000-0002-1825-0098', true);
    const done = stage.run('dataTransfer.setOrcid');
    const box = await stage.person.textBox();
    assert.equal(box.value, '0000-0002-1825-0098');
    assert.equal(await box.complaint(), "The check character doesn't match. Check the iD for typos.");
    box.enter(orcid);
    await done;
    assert.equal(stage.settings.get('orcid'), orcid);
    assert.deepEqual(stage.person.statusMessages, ['ORCID iD saved.']);
  });

  describe('shows the error in the input, and saves nothing, if', () => {
    it('the address has no scheme', async () => {
      const done = stage.run('dataTransfer.connect');
      const box = await stage.person.textBox();
      box.enter('dts.example.org');
      assert.equal(await box.complaint(), 'The address must start with https:// or http://.');
      box.escape();
      await done;
      await assertNothingSaved(stage);
    });

    for (const [what, address, sentence] of [
      ['the address contains a user name', 'https://me:secret@dts.example.org', /^Remove the user name and password\./],
      ['the address contains a query', 'https://dts.example.org?key=1', /^Remove the part that starts with/],
      ['the address has no host', 'https://', /^Enter a valid address/],
    ] as const) {
      it(what, async () => {
        const done = stage.run('dataTransfer.connect');
        const box = await stage.person.textBox();
        box.enter(address);
        assert.match(await box.complaint(), sentence);
        box.escape();
        await done;
        await assertNothingSaved(stage);
      });
    }

    it('the key is wrong', async () => {
      publicLike(stage.server, 'the-key');
      assert.equal(
        await readInputError(stage, 'another-key'),
        'Could not connect: the service rejected the API key: KBase Auth error: 401.',
      );
      await assertNothingSaved(stage);
    });

    it('no server is listening', async () => {
      await stage.server.stop();
      assert.match(
        await readInputError(stage, 'the-key'),
        /^Could not connect: the service can't be reached \(ECONNREFUSED\)\.$/,
      );
      await assertNothingSaved(stage);
    });

    it('the server responds with a web page', async () => {
      stage.server.on('GET /', html(200, 'Welcome'));
      assert.equal(
        await readInputError(stage, 'the-key'),
        "Could not connect: the server didn't respond like a data transfer service.",
      );
      await assertNothingSaved(stage);
    });

    it('the address is that of the API', async () => {
      const done = stage.run('dataTransfer.connect');
      (await stage.person.textBox()).enter(`${stage.server.address}/api/v1`);
      const box = await stage.person.textBox();
      box.enter('the-key');
      assert.equal(
        await box.complaint(),
        `Could not connect: no data transfer service was found at this address; try ${stage.server.address}.`,
      );
      box.escape();
      await done;
      await assertNothingSaved(stage);
    });

    it('the service fails, with its message as one line of plain text', async () => {
      stage.server.on('GET /', json({ name: 'X', version: '1' }));
      stage.server.on('GET /api/v1/databases', problem(400, 'no\nsuch $(alert) [way](command:x)'));
      const complaint = await readInputError(stage, 'the-key');
      assert.match(complaint, oneSentence);
      assert.doesNotMatch(complaint, /\$\(|\]\(/);
      await assertNothingSaved(stage);
    });
  });

  it('lets the user correct the key and continue', async () => {
    publicLike(stage.server, 'the-key');
    const done = stage.run('dataTransfer.connect');
    (await stage.person.textBox()).enter(stage.server.address);
    const box = await stage.person.textBox();
    assert.equal(box.password, true);
    box.enter('wrong');
    await box.complaint();
    box.enter('the-key');
    (await stage.person.textBox()).enter(orcid);
    await done;
    assert.equal(stage.parts.connectionStore.state.kind, 'connected');
  });

  it('offers Retry and Set API Key if a saved key is rejected (D28)', async () => {
    await stage.connectToPublic();
    const [connection] = stage.parts.settings.connections;
    assert.ok(connection);
    stage.server.on('GET /api/v1/databases', problem(401, 'the token has expired'));
    await stage.run('dataTransfer.disconnect');
    const done = stage.run('dataTransfer.switchConnection');
    (await stage.person.pick()).choose(connection.name);
    await done;
    const notice = await stage.person.notice(
      /^Could not connect to DTS prototype: the service rejected the API key: the token has expired$/,
    );
    assert.deepEqual(notice.buttons, ['Retry', 'Set API Key…', 'Show Log']);
    assert.equal(await stage.parts.apiKeys.get(connection), 'the-key', 'the key is still saved');
  });

  it('asks before sending a key unencrypted to another machine, and sends nothing if the user declines (D4)', async () => {
    const done = stage.run('dataTransfer.connect');
    (await stage.person.textBox()).enter('http://dts.example.org');
    const question = await stage.person.pick();
    assert.deepEqual(question.labels, ['Enter an https:// address', 'Send the key unencrypted']);
    question.choose('Enter an https:// address');
    const again = await stage.person.textBox();
    assert.equal(again.prompt, 'Service address');
    again.enter('http://dts.example.org');
    (await stage.person.pick()).choose('Send the key unencrypted');
    const port = await stage.person.textBox();
    assert.match(port.prompt ?? '', /^Port/);
    port.escape();
    await done;
    assert.deepEqual(stage.parts.settings.connections, []);
  });

  it('shows the name of a database in a prompt as text, not as an icon or a link', async () => {
    await stage.connectToPublic();
    const done = stage.run('dataTransfer.searchFiles', { kind: 'database', name: '$(flame) [x](command:y)' });
    const box = await stage.person.textBox();
    assert.doesNotMatch(box.prompt ?? '', /\$\(|\]\(/);
    box.escape();
    await done;
  });

  it('keeps the input when the user goes back a step', async () => {
    const done = stage.run('dataTransfer.connect');
    (await stage.person.textBox()).enter(stage.server.address);
    (await stage.person.textBox()).goBack();
    const again = await stage.person.textBox();
    assert.equal(again.prompt, 'Service address');
    assert.equal(again.value, stage.server.address);
    again.escape();
    await done;
  });

  describe('changes nothing after Escape', () => {
    const steps = ['address', 'port', 'key', 'ORCID iD'];
    for (const [index, step] of steps.entries()) {
      it(`in the step that asks for the ${step}`, async () => {
        await stage.connectToPublic();
        await stage.settings.update('orcid', undefined, true);
        const before = await readSaved(stage);
        const session = stage.parts.sessions.active;
        const done = stage.run('dataTransfer.connect');
        for (const answer of ['http://127.0.0.1', String(stage.server.port), 'the-key'].slice(0, index)) {
          (await stage.person.textBox()).enter(answer);
        }
        const box = await stage.person.textBox();
        assert.equal(box.step, [1, 1, 2, 3][index], 'the port belongs to the address step');
        box.escape();
        await done;
        assert.deepEqual(await readSaved(stage), before);
        assert.equal(stage.parts.sessions.active, session);
      });
    }
  });
});

/** Enters a key and then cancels; resolves to the error that the input box showed. */
async function readInputError({ run, person, server }: Stage, key: string): Promise<string> {
  const done = run('dataTransfer.connect');
  (await person.textBox()).enter(server.address);
  const box = await person.textBox();
  box.enter(key);
  const complaint = await box.complaint();
  assert.match(complaint, oneSentence);
  box.escape();
  await done;
  return complaint;
}

async function assertNothingSaved(stage: Stage): Promise<void> {
  assert.deepEqual(await readSaved(stage), { connections: [], orcid: '', secrets: [], memory: {} });
  assert.equal(stage.parts.connectionStore.state.kind, 'disconnected');
  assert.deepEqual(stage.person.notices, []);
}

async function readSaved({ parts }: Stage): Promise<object> {
  const { settings, context } = parts;
  return {
    connections: settings.connections,
    orcid: workspace.getConfiguration('dataTransfer').get('orcid'),
    secrets: await keysOfSecrets(context),
    memory: await readEditorState(context),
  };
}
