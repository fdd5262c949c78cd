import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createCommandContributions } from '../../../scripts/manifest/commands.ts';
import { commandIds, getCommandDeclaration, type CommandId } from '../../../src/extension/editor/contributions.ts';

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
    readonly menus: Readonly<Record<string, readonly MenuItem[]>>;
  };
}

const getArgumentKinds = (id: CommandId): readonly string[] => getCommandDeclaration(id).takes ?? [];

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

describe('The command table', () => {
  let contributes: Manifest['contributes'];
  before(async () => {
    ({ contributes } = (await readJson('package.json')) as Manifest);
  });

  it('agrees with the commands of package.json (otherwise run "npm run manifest")', () => {
    assert.deepEqual(contributes.commands, createCommandContributions());
  });

  it('declares every command that a menu shows', () => {
    const shown = Object.values(contributes.menus).flatMap((items) => items.flatMap(({ command }) => command ?? []));
    assert.deepEqual(
      shown.filter((command) => !commandIds.includes(command)),
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

  for (const menu of ['dataTransfer.share', 'explorer/context']) {
    it(`shows at most eight entries in ${menu}`, () => {
      const count = contributes.menus[menu]?.length ?? 0;
      assert.ok(count > 0 && count <= 8, `${count} entries`);
    });
  }

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
    assert.ok(conditions.includes("resourceScheme == data-transfer && resourceDirname == '/match'"));
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
        [...commandIds].sort(),
      );
    });
  }

  it('has exactly one handler for each command', async () => {
    const text = await readFile(join(root, 'src/extension/features/commandHandlers.ts'), 'utf8');
    const handled = [...text.matchAll(/^ +'(dataTransfer\.\w+)': /gm)].map(([, id = '']) => id);
    assert.deepEqual(handled.sort(), [...commandIds].sort());
  });
});
