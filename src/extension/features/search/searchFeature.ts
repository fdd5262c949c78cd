import { command } from '../../editor/contributions.ts';
import { findFilesById } from './findFiles.ts';
import { matchTable, saveMatchedTable } from './matchTable.ts';
import {
  listFiles,
  openDatabase,
  refineSearch,
  searchAllDatabases,
  searchFiles,
  searchWithFilters,
} from './searchFiles.ts';
import {
  checkAllFiles,
  checkFolder,
  clearResults,
  dismissSearch,
  extendSelectionDown,
  extendSelectionUp,
  loadAll,
  loadMore,
  repeatSearch,
  showCheckedFiles,
  showTable,
  sortResults,
  stopSearch,
  toggleCheck,
  toggleFocusedRow,
  uncheckAllFiles,
} from './searchRows.ts';
import type { Uri } from 'vscode';
import { runCommand } from '../../editor/commandBoundary.ts';
import type { Explorer } from '../../../core/explorer.ts';
import { systemClock } from '../../../core/util/clock.ts';
import type { Lifetime } from '../../../core/util/lifetime.ts';
import type { SideBar } from '../../views/sideBar.ts';
import type { EditorServices } from '../services.ts';
import { StaleSearches } from './staleSearches.ts';
import { MatchPanels } from './matchPanel.ts';
import { TablePanels } from './tablePanel.ts';

/** The commands of searches. */
export const searchCommands = {
  'dataTransfer.searchFiles': command(searchFiles, { takes: ['database'], icon: 'search' }),
  'dataTransfer.searchWithFilters': command(searchWithFilters, { takes: ['database'], icon: 'filter' }),
  'dataTransfer.openDatabase': command(openDatabase, { takes: ['database'] }),
  'dataTransfer.listFiles': command(listFiles, { takes: ['database'], icon: 'list-unordered' }),
  'dataTransfer.searchAllDatabases': command(searchAllDatabases, { takes: ['leftOut'], icon: 'search-fuzzy' }),
  'dataTransfer.findFilesById': command(findFilesById, { takes: ['database'], icon: 'list-selection' }),
  'dataTransfer.matchTable': command(matchTable, { takes: ['document'], icon: 'table' }),
  'dataTransfer.saveMatchedTable': command(saveMatchedTable, { icon: 'save' }),
  'dataTransfer.refineSearch': command(refineSearch, { takes: ['search'], icon: 'edit' }),
  'dataTransfer.stopSearch': command(stopSearch, { takes: ['search'], icon: 'debug-stop' }),
  'dataTransfer.loadAll': command(loadAll, { takes: ['search'] }),
  'dataTransfer.sortResults': command(sortResults, { takes: ['search'], icon: 'sort-precedence' }),
  'dataTransfer.showTable': command(showTable, {
    takes: ['search'],
    icon: 'table',
    enablement: 'dataTransfer.hasSearches',
  }),
  'dataTransfer.showCheckedFiles': command(showCheckedFiles, { enablement: 'dataTransfer.hasChecked' }),
  'dataTransfer.checkAllFiles': command(checkAllFiles, { takes: ['search'], icon: 'check-all' }),
  'dataTransfer.checkFolder': command(checkFolder, { takes: ['file'] }),
  'dataTransfer.uncheckAllFiles': command(uncheckAllFiles, { takes: ['search'] }),
  'dataTransfer.toggleCheck': command(toggleCheck, { takes: ['file'] }),
  'dataTransfer.toggleFocusedRow': command(toggleFocusedRow, { takes: ['file'] }),
  'dataTransfer.extendSelectionDown': command(extendSelectionDown),
  'dataTransfer.extendSelectionUp': command(extendSelectionUp),
  'dataTransfer.loadMore': command(loadMore, { takes: ['search'] }),
  'dataTransfer.repeatSearch': command(repeatSearch, { takes: ['search'], icon: 'refresh' }),
  'dataTransfer.dismissSearch': command(dismissSearch, { takes: ['search', 'emptySearches'], icon: 'close' }),
  'dataTransfer.clearResults': command(clearResults, { icon: 'clear-all' }),
};

declare module '../../editor/contributions.ts' {
  interface CommandTables {
    readonly search: typeof searchCommands;
  }
}

/** Starts reloading the searches of earlier sessions, and of stores that are scanned, when they are shown. */
export function startSearch(
  lifetime: Lifetime,
  { searchStore: store, searchFlow, connectFlow, connectionStore, sessions }: Explorer,
  { searchResults: { view } }: SideBar,
): void {
  lifetime.track(
    new StaleSearches({
      store,
      connectionStore,
      view,
      getSession: () => sessions.active,
      onDidChangeSession: sessions.onDidChange,
      refresh: (key) => searchFlow.refresh(key),
      refreshDatabases: () => connectFlow.refreshDatabases(),
    }),
  );
}

/** Creates the manager for the tables of matches. */
export function createMatches(
  { searchStore: store }: Explorer,
  { log, notifications }: EditorServices,
  extensionUri: Uri,
): MatchPanels {
  return new MatchPanels({ extensionUri, log, notifications, store, run: runCommand });
}

/** Creates the manager for the tables of search results. */
export function createTables(
  { copies, searchStore, searchFlow, sessions }: Explorer,
  { log }: EditorServices,
  extensionUri: Uri,
): TablePanels {
  return new TablePanels({
    extensionUri,
    log,
    run: runCommand,
    store: searchStore,
    copies,
    clock: systemClock,
    isConnected: (id) => sessions.get(id) !== undefined,
    load: (key, count) => searchFlow.loadUpTo(key, count),
    onDidConnect: sessions.onDidChange,
  });
}
