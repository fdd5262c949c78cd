import assert from 'node:assert/strict';
import { EventEmitter, ThemeIcon, Uri } from 'vscode';
import { RecipeTree, type RecipeStatus } from '../../src/extension/features/recipes/recipeTree.ts';
import { describeRowDifference } from '../../src/extension/words/recipeWords.ts';

describe('The row of a recipe (D61)', () => {
  const cases: [what: string, icon: RecipeStatus['icon'], color: string | undefined][] = [
    ['has a problem, in the color of errors', 'error', 'problemsErrorIcon.foreground'],
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

  const same = { added: [], gone: [], changed: [], sameCount: 2 };
  const now = Date.UTC(2026, 4, 15, 12);

  it('shows since when nothing has changed', () => {
    assert.match(describeRowDifference(same, '2026-05-12T12:00:00.000Z', now), /^no changes since May 1[123], /);
  });

  it('shows that nothing has changed if the lock has no valid time', () => {
    assert.equal(describeRowDifference(same, 'some day', now), 'no changes');
  });

  it('counts the changes', () => {
    const file = { id: 'a', path: 'a' };
    const difference = { ...same, added: [file], gone: [file, file] };
    assert.equal(describeRowDifference(difference, '2026-05-12T12:00:00.000Z', now), '1 new, 2 gone');
  });
});
