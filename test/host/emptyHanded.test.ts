import assert from 'node:assert/strict';
import { extensions, window } from 'vscode';
import type { CommandId } from '../../src/extension/editor/contributions.ts';
import { extensionId, Stage } from './stage.ts';

/** Result of a command with nothing to act on: a prompt, a message, text in the status bar, or a visible effect. */
type Outcome =
  | { readonly asks: RegExp }
  | { readonly says: RegExp; readonly next?: readonly string[] }
  | { readonly mentions: RegExp }
  | { readonly works: string };

const noTransfer: Outcome = { says: /^No transfers yet\.$/, next: ['Transfer Files…'] };
const noSearch: Outcome = { says: /^Run a search first\.$/, next: ['Search Files…'] };
const noFiles: Outcome = { says: /^No files yet\. Run a search first\.$/, next: ['Search Files…'] };
const noRecipe: Outcome = { says: /^There are no recipes in this workspace\.$/, next: ['Save as Recipe…'] };
const whichFolder: Outcome = { asks: /Serve a Folder as a Database/ };
const whichService: Outcome = { asks: /Select a service to connect to/ };

/**
 * Outcome of each command without a connection. Commands whose outcome has `works` show no message, because their
 * effect is visible.
 */
const unconnected: Readonly<Record<CommandId, Outcome>> = {
  'dataTransfer.connect': { asks: /Service address/ },
  'dataTransfer.disconnect': { says: /^There is no connection to close\.$/ },
  'dataTransfer.switchConnection': whichService,
  'dataTransfer.forgetConnection': {
    says: /^There are no saved connections to remove\.$/,
    next: ['Connect to a Service…'],
  },
  'dataTransfer.setApiKey': {
    says: /^There are no saved connections\. Connect to a service first\.$/,
    next: ['Connect to a Service…'],
  },
  'dataTransfer.testConnection': { asks: /Select the connection to test/ },
  'dataTransfer.setOrcid': { asks: /Your ORCID iD/ },
  'dataTransfer.startLocalService': { works: 'the databases appear' },
  'dataTransfer.copyLocalAccess': { asks: /Select what to copy/ },
  'dataTransfer.stopLocalService': { says: /^The local service isn't running\.$/ },
  'dataTransfer.serveFolder': whichFolder,
  'dataTransfer.serveThisFolder': whichFolder,
  'dataTransfer.serveStore': { says: /^rclone has no stores configured yet\.$/, next: ['Add a Store…'] },
  'dataTransfer.addStore': { works: 'a terminal with rclone opens' },
  'dataTransfer.scanStore': { says: /^No stores to scan\. Only the local service's stores/, next: ['Serve a Store…'] },
  'dataTransfer.stopServing': { says: /^Your settings list no databases to serve\.$/, next: ['Serve a Folder…'] },
  'dataTransfer.refreshDatabases': whichService,
  'dataTransfer.searchFiles': whichService,
  'dataTransfer.searchWithFilters': whichService,
  'dataTransfer.openDatabase': whichService,
  'dataTransfer.listFiles': whichService,
  'dataTransfer.searchAllDatabases': whichService,
  'dataTransfer.findFilesById': whichService,
  'dataTransfer.matchTable': whichService,
  'dataTransfer.saveMatchedTable': { says: /^No table has been matched in this window\.$/, next: ['Match Table…'] },
  'dataTransfer.refineSearch': noSearch,
  'dataTransfer.stopSearch': { says: /^No search is running\.$/ },
  'dataTransfer.loadAll': noSearch,
  'dataTransfer.showTable': noSearch,
  'dataTransfer.showCheckedFiles': { mentions: /^No files are checked\.$/ },
  'dataTransfer.sortResults': noSearch,
  'dataTransfer.checkAllFiles': noSearch,
  'dataTransfer.uncheckAllFiles': noSearch,
  'dataTransfer.checkFolder': { says: /^Select a file in the search results first\.$/, next: ['Search Files…'] },
  'dataTransfer.undoRemoval': { says: /^There is no removal to undo in this window\.$/ },
  'dataTransfer.toggleCheck': { says: /^Select a file in the search results first\.$/, next: ['Search Files…'] },
  'dataTransfer.toggleFocusedRow': { works: 'the focused row expands' },
  'dataTransfer.extendSelectionDown': { works: 'the selection is extended' },
  'dataTransfer.extendSelectionUp': { works: 'the selection is extended' },
  'dataTransfer.loadMore': noSearch,
  'dataTransfer.repeatSearch': noSearch,
  'dataTransfer.dismissSearch': noSearch,
  'dataTransfer.clearResults': { mentions: /^There are no searches to clear\.$/ },
  'dataTransfer.showFileMetadata': noFiles,
  'dataTransfer.showMetadataJson': noFiles,
  'dataTransfer.openFile': noFiles,
  'dataTransfer.copyFileId': noFiles,
  'dataTransfer.cite': noFiles,
  'dataTransfer.copyAvailabilityStatement': noFiles,
  'dataTransfer.transferFiles': whichService,
  'dataTransfer.transferCheckedFiles': whichService,
  'dataTransfer.transferToLastDestination': whichService,
  'dataTransfer.useDescription': { says: /^No description editor is open\.$/ },
  'dataTransfer.showTransferProgress': noTransfer,
  'dataTransfer.cancelTransfer': noTransfer,
  'dataTransfer.pauseTransfer': noTransfer,
  'dataTransfer.resumeTransfer': noTransfer,
  'dataTransfer.sendNow': { says: /^No request is waiting to be sent\.$/ },
  'dataTransfer.copyTransferId': noTransfer,
  'dataTransfer.refreshTransfers': { mentions: /^No transfers are running\.$/ },
  'dataTransfer.revealLandedFiles': noTransfer,
  'dataTransfer.verifyLandedFiles': { asks: /Select a manifest file/ },
  'dataTransfer.showVerificationReport': {
    says: /^There is no verification report\. Verify the files\.$/,
    next: ['Verify Transferred Files…'],
  },
  'dataTransfer.resendFiles': {
    says: /^The last verification found no missing or changed files to transfer again\.$/,
    next: ['Verify Transferred Files…'],
  },
  'dataTransfer.removeFromHistory': noTransfer,
  'dataTransfer.deleteFocusedTransfer': { works: 'no row has the focus' },
  'dataTransfer.clearFinishedTransfers': { says: /^There are no finished transfers to clear\.$/ },
  'dataTransfer.restoreRemovedTransfers': { says: /^No transfers were removed in the last day\.$/ },
  'dataTransfer.showRunningTransfers': noTransfer,
  'dataTransfer.submitAgain': noTransfer,
  'dataTransfer.checkTransferById': whichService,
  'dataTransfer.transferDidStart': noTransfer,
  'dataTransfer.transferDidNotStart': noTransfer,
  'dataTransfer.findInHistory': { says: /^No finished transfers yet\.$/, next: ['Transfer Files…'] },
  'dataTransfer.exportTransferHistory': { says: /^There are no transfers to export\.$/, next: ['Transfer Files…'] },
  'dataTransfer.exportRecords': { says: /^There are no files to export\.$/, next: ['Search Files…'] },
  'dataTransfer.copyAsCode': noSearch,
  'dataTransfer.copyOpeningCode': noTransfer,
  'dataTransfer.saveAsRecipe': noFiles,
  'dataTransfer.dryRunRecipe': noRecipe,
  'dataTransfer.runRecipe': noRecipe,
  'dataTransfer.runLockedRecipe': noRecipe,
  'dataTransfer.compareRecipe': noRecipe,
  'dataTransfer.verifyRecipe': noRecipe,
  'dataTransfer.citeRecipe': noRecipe,
  'dataTransfer.copyLink': noSearch,
  'dataTransfer.confirmPlan': { says: /^There are no proposed transfers\.$/ },
  'dataTransfer.declinePlan': { says: /^There are no proposed transfers\.$/ },
  'dataTransfer.copyMcpConfiguration': { asks: /Select the service for the agent/ },
  'dataTransfer.showLog': { works: 'the log opens' },
  'dataTransfer.copyDiagnostics': {
    says: /^Copied the diagnostics to the clipboard\. They contain no API keys and can be pasted into a report\.$/,
  },
};

const connected: Readonly<Partial<Record<CommandId, Outcome>>> = {
  'dataTransfer.testConnection': { says: /^The connection to DTS prototype works\.$/ },
  'dataTransfer.disconnect': { works: 'the databases disappear' },
  'dataTransfer.switchConnection': whichService,
  'dataTransfer.forgetConnection': { asks: /Select the connection to remove/ },
  'dataTransfer.setApiKey': { asks: /Developer token/ },
  'dataTransfer.refreshDatabases': { works: 'the databases are listed again' },
  'dataTransfer.searchFiles': { asks: /Select a database to search/ },
  'dataTransfer.searchWithFilters': { asks: /Select a database to search/ },
  'dataTransfer.openDatabase': { asks: /Select a database to search/ },
  'dataTransfer.listFiles': { asks: /Select the database to list files from/ },
  'dataTransfer.searchAllDatabases': { asks: /Search all databases \(leave empty to list all files\)/ },
  'dataTransfer.findFilesById': { asks: /Select the database that contains the files/ },
  'dataTransfer.matchTable': { asks: /Select the table to match/ },
  'dataTransfer.checkTransferById': { asks: /Transfer ID issued by DTS prototype/ },
  'dataTransfer.transferFiles': noFiles,
  'dataTransfer.transferCheckedFiles': noFiles,
  'dataTransfer.transferToLastDestination': noFiles,
  'dataTransfer.copyMcpConfiguration': { asks: /Select the agent to configure/ },
};

describe('A command with nothing selected', () => {
  let stage: Stage;
  const config = process.env['RCLONE_CONFIG'];
  before(() => (process.env['RCLONE_CONFIG'] = '/no/rclone.conf'));
  after(() => {
    if (config === undefined) delete process.env['RCLONE_CONFIG'];
    else process.env['RCLONE_CONFIG'] = config;
  });
  afterEach(async () => {
    for (const terminal of window.terminals) terminal.dispose();
    await stage.close();
  });

  describe('without a connection', () => {
    beforeEach(async () => {
      stage = await Stage.open();
    });

    it('is listed in this table', () => {
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

  describe('with a connection', () => {
    beforeEach(async () => {
      stage = await Stage.openConnected();
    });

    for (const [id, outcome] of entries(connected)) {
      it(`${id} ${words(outcome)}`, async () => {
        await assertOutcome(stage, id, outcome);
      });
    }

    it('lists the databases by name', async () => {
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
    assert.equal(notice.kind, 'information', 'a user mistake is not an error');
    assert.ok(!notice.buttons.includes('Show Log'));
    if (outcome.next) assert.deepEqual(notice.buttons, outcome.next);
  }
  await done;
  if ('mentions' in outcome) assert.match(person.statusMessages.at(-1) ?? '', outcome.mentions);
  assert.equal(person.notices.length, 'says' in outcome ? before + 1 : before);
  assert.doesNotMatch(person.everythingShown, /Unexpected error/);
}

function entries(table: Readonly<Partial<Record<CommandId, Outcome>>>): readonly (readonly [CommandId, Outcome])[] {
  return Object.entries(table) as [CommandId, Outcome][];
}

function words(outcome: Outcome): string {
  if ('works' in outcome) return `runs: ${outcome.works}`;
  return 'asks' in outcome ? 'shows a prompt' : 'shows a message';
}
