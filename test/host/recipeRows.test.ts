import assert from 'node:assert/strict';
import { EventEmitter, ThemeIcon, Uri } from 'vscode';
import { RecipeTree, type RecipeStatus } from '../../src/extension/views/recipeTree.ts';

describe('The row of a recipe (D61)', () => {
  const cases: [what: string, icon: RecipeStatus['icon'], color: string | undefined][] = [
    ['has a problem, in the color of errors', 'error', 'list.errorForeground'],
    ['has new files', 'bell-dot', undefined],
    ['has nothing new', 'beaker', undefined],
  ];
  for (const [what, icon, color] of cases) {
    it(`shows that the recipe ${what}`, async () => {
      const uri = Uri.file('/data/weather.transfer.json');
      const changed = new EventEmitter<void>();
      const tree = new RecipeTree({
        files: { all: [uri], onDidChange: changed.event },
        getStatus: () => Promise.resolve({ description: '', icon }),
        onDidChangeStatus: changed.event,
      });
      const { iconPath } = await tree.getTreeItem({ kind: 'recipe', uri });
      tree.dispose();
      changed.dispose();
      assert.ok(iconPath instanceof ThemeIcon);
      assert.deepEqual([iconPath.id, iconPath.color?.id], [icon, color]);
    });
  }
});
