import { HttpProblem } from './httpProblem.ts';
import { mostNamed, type FieldProblem } from './issues.ts';
import { quotable } from './quotable.ts';

/** An id that is not known, and where in the request it stood. */
interface UnknownId {
  readonly id: string;
  readonly location: string;
}

/** 404 for file ids that a database does not have. Each is named in quotes, the first hundred of them; more are counted. */
export function unknownIds(unknown: readonly UnknownId[], listLocation: string): HttpProblem {
  const errors: FieldProblem[] = unknown
    .slice(0, mostNamed)
    .map(({ id, location }) => ({ message: `unknown: "${quotable(id)}"`, location }));
  const more = unknown.length - errors.length;
  if (more > 0) errors.push({ message: `and ${more} more`, location: listLocation });
  return new HttpProblem(404, 'The database does not have all of the files.', { errors });
}
