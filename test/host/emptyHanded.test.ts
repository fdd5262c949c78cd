import assert from 'node:assert/strict';
import { extensions } from 'vscode';
import type { CommandId } from '../../src/host/contributions.ts';
import { publicLike } from '../support/faultPersonality.ts';
import { extensionId, Stage } from './stage.ts';

/** What a command does when there is nothing for it: it asks, says a sentence, or does its work. */
type Outcome = { readonly asks: RegExp } | { readonly says: RegExp } | { readonly works: string };

const noTransfer: Outcome = { says: /^There is no transfer for this\.$/ };
const noSearch: Outcome = { says: /^There is no search for this\. Search for files first\.$/ };
const noFiles: Outcome = { says: /^There are no files to choose from\. Search for files first\.$/ };
const whichFolder: Outcome = { asks: /Serve a Folder as a Database/ };
const whichService: Outcome = { asks: /Select a service to connect to/ };

/** The exceptions `works` return without a word, because what they do is seen. */
const unconnected: Readonly<Record<CommandId, Outcome>> = {
  'dataTransfer.connect': { asks: /Address of the service/ },
  'dataTransfer.disconnect': { says: /^There is no connection to close\.$/ },
  'dataTransfer.switchConnection': whichService,
  'dataTransfer.forgetConnection': { says: /^There is no saved connection to forget\.$/ },
  'dataTransfer.setApiKey': { says: /^There is no saved connection\. Connect to a service first\.$/ },
  'dataTransfer.testConnection': { asks: /Select the connection to test/ },
  'dataTransfer.setOrcid': { asks: /Your ORCID iD/ },
  'dataTransfer.startLocalService': { works: 'the databases appear' },
  'dataTransfer.stopLocalService': { says: /^The local service isn't running\.$/ },
  'dataTransfer.serveFolder': whichFolder,
  'dataTransfer.serveThisFolder': whichFolder,
  'dataTransfer.stopServing': { says: /^The settings name no folder that is served\.$/ },
  'dataTransfer.refreshDatabases': whichService,
  'dataTransfer.searchFiles': whichService,
  'dataTransfer.searchAllDatabases': whichService,
  'dataTransfer.findFilesById': whichService,
  'dataTransfer.refineSearch': noSearch,
  'dataTransfer.stopSearch': { says: /^No search is under way\.$/ },
  'dataTransfer.loadAll': noSearch,
  'dataTransfer.sortResults': noSearch,
  'dataTransfer.checkAllFiles': noSearch,
  'dataTransfer.uncheckAllFiles': { says: /^No files are checked\.$/ },
  'dataTransfer.toggleCheck': { says: /^Select a file in the search results first\.$/ },
  'dataTransfer.loadMore': noSearch,
  'dataTransfer.repeatSearch': noSearch,
  'dataTransfer.dismissSearch': noSearch,
  'dataTransfer.clearResults': { says: /^There are no searches to clear\.$/ },
  'dataTransfer.showFileMetadata': noFiles,
  'dataTransfer.showMetadataJson': noFiles,
  'dataTransfer.copyFileId': noFiles,
  'dataTransfer.transferFiles': whichService,
  'dataTransfer.transferCheckedFiles': whichService,
  'dataTransfer.useDescription': { says: /^No description is being written\.$/ },
  'dataTransfer.showTransferProgress': noTransfer,
  'dataTransfer.cancelTransfer': noTransfer,
  'dataTransfer.sendNow': { says: /^No request is waiting to be sent\.$/ },
  'dataTransfer.copyTransferId': noTransfer,
  'dataTransfer.refreshTransfers': { says: /^No transfer is running\.$/ },
  'dataTransfer.revealLandedFiles': noTransfer,
  'dataTransfer.verifyLandedFiles': { asks: /Select a manifest file/ },
  'dataTransfer.removeFromHistory': noTransfer,
  'dataTransfer.clearFinishedTransfers': { says: /^There are no finished transfers to clear\.$/ },
  'dataTransfer.restoreRemovedTransfers': { says: /^No transfers were removed in the last day\.$/ },
  'dataTransfer.showRunningTransfers': noTransfer,
  'dataTransfer.submitAgain': noTransfer,
  'dataTransfer.checkTransferById': whichService,
  'dataTransfer.transferDidStart': noTransfer,
  'dataTransfer.transferDidNotStart': noTransfer,
  'dataTransfer.findInHistory': { says: /^No transfer has ended yet\.$/ },
  'dataTransfer.exportTransferHistory': { says: /^There are no transfers to export\.$/ },
  'dataTransfer.showLog': { works: 'the log opens' },
  'dataTransfer.copyDiagnostics': {
    says: /^The diagnostics are on the clipboard, without keys\. Paste them into a report\.$/,
  },
};

const connected: Readonly<Partial<Record<CommandId, Outcome>>> = {
  'dataTransfer.testConnection': { says: /^The connection to DTS prototype works\.$/ },
  'dataTransfer.disconnect': { works: 'the databases go away' },
  'dataTransfer.switchConnection': whichService,
  'dataTransfer.forgetConnection': { asks: /Select the connection to forget/ },
  'dataTransfer.setApiKey': { asks: /developer token/ },
  'dataTransfer.refreshDatabases': { works: 'the databases are listed again' },
  'dataTransfer.searchFiles': { asks: /Select the database to search/ },
  'dataTransfer.searchAllDatabases': { asks: /Words to search all databases for/ },
  'dataTransfer.findFilesById': { asks: /Select the database that holds the files/ },
  'dataTransfer.checkTransferById': { asks: /The id that DTS prototype gave the transfer/ },
  'dataTransfer.transferFiles': noFiles,
  'dataTransfer.transferCheckedFiles': { says: /^No files are checked\. Check files in the search results first\.$/ },
};

describe('A command with nothing selected', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.open();
    publicLike(stage.server, 'the-key');
  });
  afterEach(() => stage.close());

  describe('and nothing connected', () => {
    it('is in this table', () => {
      const { contributes } = extensions.getExtension(extensionId)?.packageJSON as {
        readonly contributes: { readonly commands: readonly { readonly command: string }[] };
      };
      const declared = contributes.commands.map(({ command }) => command);
      assert.deepEqual(Object.keys(unconnected).sort(), declared.sort());
    });

    for (const [id, outcome] of entries(unconnected)) {
      it(`${id} ${words(outcome)}`, async () => {
        await assertOutcome(stage, id, outcome);
      });
    }
  });

  describe('on a service', () => {
    for (const [id, outcome] of entries(connected)) {
      it(`${id} ${words(outcome)}`, async () => {
        await stage.connect('the-key');
        await assertOutcome(stage, id, outcome);
      });
    }

    it('lists the databases by their names', async () => {
      await stage.connect('the-key');
      const done = stage.run('dataTransfer.searchFiles');
      const pick = await stage.person.pick();
      assert.deepEqual(pick.labels, [
        'JGI Data Portal',
        'KBase Workspace Service (KSS)',
        'National Microbiome Data Collaborative',
        'All databases',
      ]);
      pick.escape();
      await done;
    });
  });
});

async function assertOutcome({ run, person }: Stage, id: CommandId, outcome: Outcome): Promise<void> {
  const before = person.notices.length;
  const done = run(id);
  if ('asks' in outcome) {
    const input = await person.input();
    assert.match(input.text, outcome.asks);
    input.escape();
  } else if ('says' in outcome) {
    const notice = await person.notice();
    assert.match(notice.message, outcome.says);
  }
  await done;
  assert.equal(person.notices.length, 'says' in outcome ? before + 1 : before);
  assert.doesNotMatch(person.everythingShown, /Something went wrong/);
}

function entries(table: Readonly<Partial<Record<CommandId, Outcome>>>): readonly (readonly [CommandId, Outcome])[] {
  return Object.entries(table) as [CommandId, Outcome][];
}

function words(outcome: Outcome): string {
  if ('works' in outcome) return `just works: ${outcome.works}`;
  return 'asks' in outcome ? 'asks' : 'says what is missing';
}
