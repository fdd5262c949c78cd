import assert from 'node:assert/strict';
import { extensions, TabInputWebview, ViewColumn, window, type WebviewPanel } from 'vscode';
import { CopyIndex } from '../../src/core/duplicates/copyIndex.ts';
import { SearchStore } from '../../src/core/search/searchStore.ts';
import type { FileRef } from '../../src/extension/editor/contributions.ts';
import { isMetadataIntent, type MetadataIntent } from '../../src/webviews/messages/metadataMessages.ts';
import type { ContentFlow } from '../../src/core/search/contentFlow.ts';
import { FilePreviews } from '../../src/extension/features/files/filePreviews.ts';
import { MetadataPanels } from '../../src/extension/features/files/metadataPanel.ts';
import { PanelHost } from '../../src/extension/editor/panelHost.ts';
import { eventually } from '../support/eventually.ts';
import { json, problem } from '../support/faultBehaviors.ts';
import { ManualClock } from '../support/manualClock.ts';
import { MemoryLog } from '../support/memoryLog.ts';
import { transfer } from './specimens.ts';
import { closePages, extensionId, Stage } from './stage.ts';

const kss = 'KBase Workspace Service (KSS)';

/** Returns the titles of the open pages. */
function pages(): string[] {
  return window.tabGroups.all.flatMap(({ tabs }) =>
    tabs.flatMap(({ input, label }) => (input instanceof TabInputWebview ? [label] : [])),
  );
}

/** Those of services that don't return the content of files. */
const noPreviews = new FilePreviews({ canRead: () => false } as unknown as ContentFlow);

describe('The pages', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.openConnected();
    await stage.closePages();
  });
  afterEach(async () => {
    await stage.closePages();
    await stage.close();
  });

  const refs = async (): Promise<readonly FileRef[]> => {
    const { connectionId, files } = await stage.search('JGI Data Portal', 'JDP:00000');
    return files.flatMap((file) =>
      file.kind === 'file' ? [{ connectionId, database: file.database, id: file.id, name: file.name }] : [],
    );
  };

  it('opens the metadata of a file in a page titled with its name', async () => {
    const [first] = await refs();
    assert.ok(first);
    await stage.run('dataTransfer.showFileMetadata', first);
    const { input } = await stage.tab('JDP:000000.csv');
    assert.ok(input instanceof TabInputWebview);
    assert.match(input.viewType, /dataTransfer\.metadata$/);
  });

  it('reuses the preview page for the next file', async () => {
    const [first, second] = await refs();
    assert.ok(first && second);
    await stage.run('dataTransfer.showFileMetadata', first);
    await stage.tab('JDP:000000.csv');
    await stage.run('dataTransfer.showFileMetadata', second);
    await stage.tab('JDP:000001.csv');
    assert.deepEqual(pages(), ['JDP:000001.csv']);
  });

  it('requests the metadata of the shown file once', async () => {
    const [first] = await refs();
    assert.ok(first);
    const route = 'POST /api/v1/files/by-id';
    await stage.run('dataTransfer.showFileMetadata', first);
    await stage.tab('JDP:000000.csv');
    await stage.run('dataTransfer.showFileMetadata', first);
    assert.equal(stage.server.requestsTo(route).length, 1);
  });

  it('opens a page even for a file without metadata', async () => {
    const [first] = await refs();
    assert.ok(first);
    stage.server.on('POST /api/v1/files/by-id', problem(500, 'gone'));
    await stage.run('dataTransfer.showFileMetadata', { ...first, id: 'JDP:none', name: 'lost.csv' });
    await stage.tab('lost.csv');
    assert.deepEqual(stage.person.notices, []);
  });

  it('shows transfers in one tab, titled with the destination, unless it is kept by a double-click', async () => {
    const { transferStore } = stage.parts;
    transferStore.put([transfer('one', {}, { destination: kss }), transfer('two', {}, { destination: 'Beta' })]);
    const show = (key: string): Promise<unknown> =>
      stage.run('dataTransfer.showTransferProgress', { kind: 'transfer', key });
    await show('one');
    const { input } = await stage.tab(`Transfer to ${kss}`);
    assert.ok(input instanceof TabInputWebview);
    assert.match(input.viewType, /dataTransfer\.transfer$/);
    await show('two');
    await stage.tab('Transfer to Beta');
    assert.deepEqual(pages(), ['Transfer to Beta']);
    for (const key of ['one', 'two', 'two', 'one']) await show(key);
    await stage.tab(`Transfer to ${kss}`);
    assert.deepEqual(pages(), ['Transfer to Beta', `Transfer to ${kss}`]);
    await show('two');
    assert.deepEqual(pages(), ['Transfer to Beta', `Transfer to ${kss}`], 'the transfer has its own tab');
  });

  it('opens a page for a transfer that is not loaded yet, and sets its title later', async () => {
    await stage.run('dataTransfer.showTransferProgress', { kind: 'transfer', key: 'later' });
    await stage.tab('Transfer');
    stage.parts.transferStore.put([transfer('later')]);
    await stage.tab('Transfer to Beta');
  });

  it('gives a page a short title of plain text for any file name', async () => {
    const { connectFlow, sessions } = stage.parts;
    stage.server.on('POST /api/v1/files/by-id', json({ resources: [] }));
    await connectFlow.open({ id: 'c', name: 'Test', server: stage.server.address }, 'the-key');
    const name = `a\nb\u202e${'long '.repeat(1000)}`;
    await stage.run('dataTransfer.showFileMetadata', { connectionId: 'c', database: kss, id: 'x', name });
    await stage.tab(`a b${'long '.repeat(12)}`.slice(0, 59) + '…');
    sessions.close('c');
  });
});

describe('A file that is shown twice', () => {
  const clock = new ManualClock();
  let panels: MetadataPanels;
  beforeEach(() => {
    const extension = extensions.getExtension(extensionId);
    assert.ok(extension);
    panels = new MetadataPanels({
      extensionUri: extension.extensionUri,
      log: new MemoryLog(),
      clock,
      run: () => assert.fail('unexpected command'),
      onDidConnect: () => ({ dispose: () => undefined }),
      getStaging: () => undefined,
      copies: new CopyIndex(new SearchStore()),
      isConnected: () => true,
      previews: noPreviews,
      fetchFile: async () => ({}),
    });
  });
  afterEach(async () => {
    panels.dispose();
    await closePages();
  });

  const show = (name: string): void => panels.show({ connectionId: 'c', database: 'Alpha', id: name, name });

  const showAgain = async (ms: number): Promise<void> => {
    await clock.pass(ms);
    show('a.csv');
    show('b.csv');
  };
  const hasPages = async (...titles: readonly string[]): Promise<void> => {
    await eventually(() => Promise.resolve(pages().join() === titles.join() || undefined));
  };
  const hasLoaded = async (): Promise<void> => {
    await eventually(() => Promise.resolve([...panels['pages']].some(({ loadedAt }) => loadedAt) || undefined));
  };

  it('keeps its page if the second click is reported within a second', async () => {
    show('a.csv');
    await hasLoaded();
    await showAgain(999);
    await hasPages('a.csv', 'b.csv');
  });

  it('is replaced by the next file if the second click is reported later', async () => {
    show('a.csv');
    await hasLoaded();
    await showAgain(1_000);
    await hasPages('b.csv');
  });

  it('keeps its page if the second click is reported before the page is loaded, however late', async () => {
    show('a.csv');
    await showAgain(60_000);
    await hasPages('a.csv', 'b.csv');
  });
});

describe('The host of a page', () => {
  let panel: WebviewPanel;
  let host: PanelHost<MetadataIntent, object>;
  let log: MemoryLog;
  let starts: number;
  let intents: MetadataIntent[];
  let onMessage: () => void;

  beforeEach(() => {
    const extensionUri = extensions.getExtension(extensionId)?.extensionUri;
    assert.ok(extensionUri);
    log = new MemoryLog();
    starts = 0;
    intents = [];
    onMessage = () => undefined;
    panel = window.createWebviewPanel('dataTransfer.underTest', 'Under test', ViewColumn.Active);
    host = new PanelHost<MetadataIntent, object>(
      panel,
      { extensionUri, log },
      {
        page: 'metadata',
        isIntent: isMetadataIntent,
        createStartMessage: () => {
          starts += 1;
          onMessage();
          return { type: 'start', words: { language: 'en' }, snapshot: {} };
        },
        onIntent: (intent) => {
          intents.push(intent);
          onMessage();
        },
      },
    );
  });
  afterEach(() => {
    host.dispose();
    panel.dispose();
  });

  it('responds when the page is ready, under a strict content security policy', async () => {
    const policy =
      /default-src 'none'; script-src 'nonce-[\w-]{30,}'; style-src [^;]+; img-src blob:; base-uri 'none';/;
    assert.match(panel.webview.html, policy);
    assert.doesNotMatch(panel.webview.html, /unsafe|data:|http:/);
    await new Promise<void>((resolve) => {
      onMessage = resolve;
    });
    assert.equal(starts, 1);
  });

  it('allows no other page any image', () => {
    const policies = (['table', 'transfer'] as const).map((page) => {
      const { extensionUri } = extensions.getExtension(extensionId) ?? assert.fail();
      const contract = { page, isIntent: isMetadataIntent, createStartMessage: () => ({}), onIntent: () => undefined };
      new PanelHost<MetadataIntent, object>(panel, { extensionUri, log }, contract).dispose();
      return /default-src 'none'.*?"/.exec(panel.webview.html)?.[0] ?? assert.fail();
    });
    for (const policy of policies) assert.doesNotMatch(policy, /img-src|blob:/);
  });

  it('ignores unknown messages, and logs each one without its content', async () => {
    const unknown = ['{ type: "runCommand", id: "secret" }', '"secret"', 'null', '{ type: "openLink" }'];
    const posts = ['{ type: "ready" }', ...unknown, '{ type: "copyId" }']
      .map((message) => `api.postMessage(${message});`)
      .join('\n');
    const done = new Promise<void>((resolve) => {
      onMessage = () => intents.length > 0 && resolve();
    });
    panel.webview.html = `<!DOCTYPE html><body><script>const api = acquireVsCodeApi();\n${posts}</script></body>`;
    await done;
    assert.deepEqual(intents, [{ type: 'copyId' }]);
    const warnings = log.lines.filter((line) => line.startsWith('warn '));
    assert.deepEqual(
      warnings,
      unknown.map(() => 'warn Page metadata: ignored an unknown message.'),
    );
  });
});
