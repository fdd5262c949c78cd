import assert from 'node:assert/strict';
import type { Recipe } from '../../../src/core/recipes/recipeSchema.ts';
import { loadServiceFacts } from '../../../src/extension/features/recipes/recipeChecks.ts';

type Services = Parameters<typeof loadServiceFacts>[0];

describe('The facts about the service of an open recipe (D61)', () => {
  const databases = [{ id: 'a', name: 'Alpha', organization: '', url: '' }];
  const recipe = { from: { database: 'Alpha', search: { query: '', specific: { size: '1' } } } } as unknown as Recipe;
  let requests: string[];

  const load = async (isTrusted: boolean): ReturnType<typeof loadServiceFacts> => {
    const parameterFlow = {
      load: async (name: string) => {
        requests.push(name);
        return await Promise.resolve({ parameters: { size: {} } });
      },
    };
    const services = {
      settings: { connections: [] },
      connectionStore: { listing: { databases, isLoading: false } },
      sessions: { active: { connection: { id: 'lab' } } },
      recipeFlow: { missingIds: { get: () => new Set<string>() } },
      parameterFlow,
    };
    return await loadServiceFacts(services as unknown as Services, recipe, isTrusted);
  };

  beforeEach(() => (requests = []));

  it('include the search parameters, which are requested', async () => {
    assert.deepEqual((await load(true))?.parameters, ['size']);
    assert.deepEqual(requests, ['Alpha']);
  });

  it('are unknown in an untrusted workspace, where nothing is requested', async () => {
    assert.equal(await load(false), undefined);
    assert.deepEqual(requests, []);
  });
});
