import assert from 'node:assert/strict';
import { describeSchema, findSchema, toInputSchema } from '../../../src/service/http/httpProblem.ts';
import { leaseSchema, searchSchema, transferSchema } from '../../../src/service/wire/apiSchemas.ts';

describe('The message about an invalid field of a request', () => {
  const [lease, search, transfer] = [leaseSchema, searchSchema, transferSchema].map(toInputSchema);
  const phrases: [schema: typeof lease, path: readonly PropertyKey[], phrase: string][] = [
    [lease, ['databases'], 'a list of objects with at most 1000 entries'],
    [lease, ['databases', 0, 'name'], 'text that is not empty of at most 200 characters'],
    [lease, ['databases', 0, 'rescanMinutes'], 'a number of more than 0'],
    [lease, ['databases', 0, 'restore', 'days'], 'a whole number from 1 to 365'],
    [search, ['offset'], 'a whole number of 0 or more'],
    [search, ['specific', 'minBytes'], 'a number of 0 or more or null'],
    [transfer, ['file_ids'], 'a list of text with at least 1 entry'],
  ];
  for (const [schema = {}, path, phrase] of phrases) {
    it(`describes ${path.join('.')} as ${phrase}`, () => {
      assert.equal(describeSchema(findSchema(schema, path) ?? {}), phrase);
    });
  }

  it('contains all bounds of a number', () => {
    assert.equal(
      describeSchema({ type: 'number', exclusiveMinimum: 0, maximum: 5 }),
      'a number of more than 0 and at most 5',
    );
    assert.equal(describeSchema({ type: 'integer', maximum: 5 }), 'a whole number of at most 5');
  });
});
