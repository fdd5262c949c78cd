import assert from 'node:assert/strict';
import type { Connection } from '../../../src/core/model/connection.ts';
import { findRecipeConnection } from '../../../src/core/recipes/parseRecipe.ts';

describe('The connection to the service of a recipe (D61)', () => {
  const lab = createConnection('lab', 'Lab', 'https://lab.example.org/dts/');
  const imitation = createConnection('imitation', 'https://lab.example.org/dts', 'https://other.example.org');
  const find = (service: string): string | undefined => findRecipeConnection([imitation, lab], service)?.id;

  it('is found by its name', () => {
    assert.equal(find('Lab'), 'lab');
    assert.equal(find('Laboratory'), undefined);
  });

  it('is found by its address, and never by a name that is an address', () => {
    assert.equal(find('https://lab.example.org/dts'), 'lab');
    for (const address of ['https://lab.example.org/dts//', 'HTTPS://LAB.example.org:443/dts'])
      assert.equal(find(address), 'lab', address);
    assert.equal(find('https://'), undefined);
    assert.equal(findRecipeConnection([imitation], 'https://lab.example.org/dts'), undefined);
    assert.equal(findRecipeConnection([{ ...imitation, name: 'HTTP://x' }], 'HTTP://x'), undefined);
  });
});

function createConnection(id: string, name: string, server: string): Connection {
  return { id, name, server };
}
