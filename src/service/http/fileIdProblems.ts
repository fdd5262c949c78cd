import { HttpProblem } from './httpProblem.ts';
import { maxNamedFields, type FieldProblem } from './schemaIssues.ts';
import { toQuotable } from './quotable.ts';

interface LocatedId {
  readonly id: string;
  readonly location: string;
}

/** Returns a 404 problem for unknown file IDs. Quotes the first hundred and counts the rest. */
export function createUnknownIdsProblem(unknown: readonly LocatedId[], listLocation: string): HttpProblem {
  const errors = listIds('unknown', unknown, listLocation);
  return new HttpProblem(404, 'The database does not have all of the files.', { errors });
}

/** Returns a 422 problem that names the repeated file IDs, then the unknown ones (D26: service HTTP behavior). */
export function createRepeatedIdsProblem(
  repeated: readonly LocatedId[],
  unknown: readonly LocatedId[],
  listLocation: string,
): HttpProblem {
  const errors = [
    ...listIds('given more than once', repeated, listLocation),
    ...listIds('unknown', unknown, listLocation),
  ];
  return new HttpProblem(422, 'A transfer can contain each file only once.', { errors });
}

function listIds(problem: string, ids: readonly LocatedId[], listLocation: string): FieldProblem[] {
  const errors: FieldProblem[] = ids
    .slice(0, maxNamedFields)
    .map(({ id, location }) => ({ message: `${problem}: "${toQuotable(id)}"`, location }));
  const more = ids.length - errors.length;
  if (more > 0) errors.push({ message: `and ${more} more`, location: listLocation });
  return errors;
}
