import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createCommandContributions, readCommands, readTables } from '../../../scripts/manifest/commands.ts';
import type { CommandId } from '../../../src/extension/editor/contributions.ts';
import { documentTerms, listPaletteCommands, type PaletteManifest } from '../../support/paletteCommands.ts';

interface MenuItem {
  /** The command of a menu entry; undefined for a submenu. */
  readonly command?: CommandId;
  readonly submenu?: string;
  readonly when?: string;
  readonly group?: string;
}

interface Manifest {
  readonly contributes: {
    readonly commands: readonly unknown[];
    readonly keybindings: readonly { readonly command: CommandId }[];
    readonly menus: Readonly<Record<string, readonly MenuItem[]>>;
  };
}

const root = resolve(import.meta.dirname, '..', '..', '..');

async function readJson(name: string): Promise<unknown> {
  return JSON.parse(await readFile(join(root, name), 'utf8'));
}

/** Returns true if a `when` clause accepts the `viewItem` value of a row. Ignores its other conditions. */
function isShown(row: string, when: string): boolean {
  return [...when.matchAll(/viewItem (==|=~) (\S+)/g)].some(([, operator, value = '']) =>
    operator === '==' ? row === value : new RegExp(value.slice(1, -1)).test(row),
  );
}

/** Commands that act on the active connection or the local service, regardless of the row that starts them. */
const ignoreRow: readonly CommandId[] = [
  'dataTransfer.disconnect',
  'dataTransfer.switchConnection',
  'dataTransfer.startLocalService',
];

describe('The commands of the features', () => {
  let contributes: Manifest['contributes'];
  let commands: Awaited<ReturnType<typeof readCommands>>;
  const getArgumentKinds = (id: CommandId): readonly string[] => commands.get(id)?.takes ?? [];

  before(async () => {
    ({ contributes } = (await readJson('package.json')) as Manifest);
    commands = await readCommands();
  });

  it('agree with the commands of package.json (otherwise run "npm run manifest")', async () => {
    assert.deepEqual(contributes.commands, await createCommandContributions());
  });

  it('declares every command that a menu shows', () => {
    const shown = Object.values(contributes.menus).flatMap((items) => items.flatMap(({ command }) => command ?? []));
    assert.deepEqual(
      shown.filter((command) => !commands.has(command)),
      [],
    );
  });

  it('lets commands accept the rows whose context menus show them', () => {
    for (const { command, when = '' } of contributes.menus['view/item/context'] ?? []) {
      if (command === undefined) continue;
      const kind = /viewItem (?:==|=~) \/?\^?(\w+)/.exec(when)?.[1] ?? '';
      assert.ok(getArgumentKinds(command).includes(kind) || ignoreRow.includes(command), `${command} takes a ${kind}`);
    }
  });

  const rows = [
    ...[
      'connection',
      'connection.local',
      'database',
      'database.saved',
      'database.saved.store',
      'search',
      'search.loading',
      'file',
      'recipe',
      'plan',
    ],
    ...['running', 'waiting', 'paused', 'notConfirmed', 'unheeded'].map((state) => `transfer.${state}`),
    ...['ended', 'endedElsewhere'].flatMap((state) => [`transfer.${state}`, `transfer.${state}.withFiles`]),
  ];
  for (const row of rows) {
    it(`shows at most eight entries in the context menu of ${row}`, () => {
      const shown = (contributes.menus['view/item/context'] ?? []).filter(
        ({ when = '', group = '' }) => !group.startsWith('inline') && isShown(row, when),
      );
      assert.ok(shown.length > 0 && shown.length <= 8, `${shown.length} entries`);
    });
  }

  it('shows at most one button in a row, and two in those of recipes and of ended transfers with files', () => {
    for (const row of [...rows, 'transfer.running.pause', 'transfer.running.resume', 'emptySearches']) {
      const buttons = (contributes.menus['view/item/context'] ?? []).flatMap(({ command, when = '', group = '' }) =>
        group.startsWith('inline') && isShown(row, when) ? (command ?? []) : [],
      );
      const most = row === 'recipe' || row === 'transfer.ended.withFiles' ? 2 : 1;
      assert.ok(buttons.length <= most, `${row}: ${buttons.join()}`);
      if (/^(?:connection|database)/.test(row)) assert.deepEqual(buttons, [], 'a click searches, or switches');
    }
  });

  for (const menu of ['dataTransfer.share', 'explorer/context']) {
    it(`shows at most eight entries in ${menu}`, () => {
      const count = contributes.menus[menu]?.length ?? 0;
      assert.ok(count > 0 && count <= 8, `${count} entries`);
    });
  }

  describe('in the palette', () => {
    /** Terms of the `when` clauses that are true if everything is there; only one document is active at a time. */
    let everything: readonly string[];
    let palette: PaletteManifest;
    before(async () => {
      palette = (await readJson('package.json')) as PaletteManifest;
      const clauses = [...palette.contributes.commands, ...palette.contributes.menus.commandPalette];
      const terms = clauses.flatMap((clause) => Object.values(clause)).join(' ');
      everything = [
        ...(terms.match(/dataTransfer\.(?:has\w+|can\w+|connected|localServiceRunning|descriptionDrafts)\b/g) ?? []),
        'resourceScheme == data-transfer',
      ];
    });

    it('are at most 45, whatever there is', () => {
      const stopped = everything.filter((term) => term !== 'dataTransfer.localServiceRunning');
      const counts = documentTerms.flatMap((term) =>
        [everything, stopped].map((terms) => listPaletteCommands(palette, new Set([...terms, term])).length),
      );
      console.log(`commands in the palette: at most ${Math.max(...counts)} of ${commands.size}`);
      assert.ok(Math.max(...counts) <= 45, counts.join());
    });

    it('need neither a connection nor results if there are none', () => {
      const listed = listPaletteCommands(palette, new Set());
      assert.deepEqual(
        listed.map((id) => id.replace('dataTransfer.', '')),
        [
          ...['showLog', 'copyMcpConfiguration', 'connect', 'switchConnection', 'forgetConnection', 'setApiKey'],
          ...['setOrcid', 'startLocalService', 'serveFolder', 'serveStore', 'addStore', 'stopServing'],
          ...['copyDiagnostics', 'restoreRemovedTransfers', 'verifyLandedFiles', 'showVerificationReport'],
        ],
      );
    });

    it('run the open recipe without others', () => {
      const listed = listPaletteCommands(palette, new Set(['resourceFilename =~ /\\.transfer\\.json$/']));
      assert.ok(listed.includes('dataTransfer.runRecipe'));
    });

    it('are each listed there, in a menu or by a key, unless a click or a button of the extension runs them', () => {
      const { commandPalette = [], ...menus } = contributes.menus;
      const inMenus = new Set(Object.values(menus).flatMap((items) => items.map(({ command }) => command)));
      const hidden = commandPalette.flatMap(({ command, when }) => (when === 'false' && command ? [command] : []));
      const byKey = new Set(contributes.keybindings.map(({ command }) => command));
      assert.deepEqual(
        hidden.filter((id) => !inMenus.has(id) && !byKey.has(id)),
        [
          ...['dataTransfer.showFileMetadata', 'dataTransfer.openDatabase', 'dataTransfer.showTransferProgress'],
          'dataTransfer.showRunningTransfers',
        ],
      );
    });
  });

  it('contributes each submenu once to a menu, because the editor ignores it the second time', () => {
    for (const items of Object.values(contributes.menus)) {
      const submenus = items.flatMap(({ submenu }) => submenu ?? []);
      assert.equal(new Set(submenus).size, submenus.length);
    }
  });

  it('quotes values with a slash in conditions, because the editor always shows an item whose condition is invalid', () => {
    const conditions = Object.values(contributes.menus).flatMap((items) => items.flatMap(({ when }) => when ?? []));
    assert.deepEqual(
      conditions.filter((when) => /[!=]= \//.test(when)),
      [],
    );
    assert.ok(conditions.includes("resourceScheme == data-transfer && resourceDirname == '/verification'"));
  });

  it('lets commands accept the folders and files whose context menus show them', () => {
    for (const { command, when = '' } of contributes.menus['explorer/context'] ?? []) {
      if (command === undefined) continue;
      const kind = when.includes('explorerResourceIsFolder') ? 'folder' : 'document';
      assert.ok(getArgumentKinds(command).includes(kind), `${command} takes a ${kind}`);
    }
  });

  for (const language of ['package.nls.json', 'package.nls.fr.json']) {
    it(`has a title for each command in ${language}, and no title without a command`, async () => {
      const texts = Object.keys((await readJson(language)) as object).filter((key) => key.startsWith('command.'));
      assert.deepEqual(
        texts.map((key) => `dataTransfer.${key.slice('command.'.length)}`).sort(),
        [...commands.keys()].sort(),
      );
    });
  }

  it('are in one table each', async () => {
    const ids = (await readTables()).flatMap((table) => Object.keys(table));
    assert.deepEqual([...new Set(ids)].sort(), [...ids].sort());
  });
});
