import { chooseBehavior, dropBeforeAnswer, json, plainProblem, problem } from '../../test/support/faultBehaviors.ts';

/** Refuses searches as the public server does: with an error that depends on the database. */
export const refuseSearches = chooseBehavior(({ body }) => {
  const { database } = JSON.parse(body) as { readonly database: string };
  if (database === 'Lab Share') return plainProblem(500, 'Search not implemented for lab database');
  if (database === 'Genome Portal') return problem(400, 'A query must be the ID of a study.');
  if (database === 'Observatory Archive') return plainProblem(500, `I[#] S[#] doesn't validate with "data-resource#"`);
  return json({ resources: [{ id: 'weather.csv', bytes: 1200 }] });
});

/** Responds with full pages that contain the same files, each in a different order. */
export const repeatFiles = chooseBehavior(({ body }) => {
  const { offset = 0, limit = 100 } = JSON.parse(body) as { readonly offset?: number; readonly limit?: number };
  const ids = Array.from({ length: limit }, (_, index) => `run-${String((index + offset / limit) % limit)}.csv`);
  return json({ resources: ids.map((id) => ({ id, bytes: 1200 })) });
});

/** Drops the connection for one ID, and omits the files with certain other IDs. */
export const loseFiles = chooseBehavior(({ body }) => {
  const { file_ids: ids } = JSON.parse(body) as { readonly file_ids: readonly string[] };
  if (ids.includes('OBS:broken')) return dropBeforeAnswer();
  return json({ resources: ids.filter((id) => !id.startsWith('OBS:lost')).map((id) => ({ id, bytes: 1200 })) });
});
