import assert from 'node:assert/strict';
import { readScenes } from '../../../scripts/screenshots/scenes.ts';
import { themes } from '../../support/editor/settings.ts';

describe('The scenes of the screenshots', () => {
  // `readScenes` throws if a step doesn't exist.
  const states = readScenes().flatMap((scene) => scene.states);

  it('have states with different names and known themes', () => {
    const names = states.map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
    assert.ok(!names.includes(''), 'each state has a name');
    for (const { name, theme } of states) assert.ok(theme === undefined || theme in themes, name);
  });

  it('show the states of the README first', () => {
    const [readme] = readScenes();
    assert.deepEqual(
      readme?.states.map(({ name, theme }) => `${name}-${theme ?? ''}.png`),
      [
        'metadata-dark.png',
        'summary-light.png',
        'running-light.png',
        'transfer-dark.png',
        'cite-light.png',
        'stores-dark.png',
      ],
    );
  });
});
