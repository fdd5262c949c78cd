import { HttpProblem } from './httpProblem.ts';
import { mostNamed, type FieldProblem } from './issues.ts';
import { quotable } from './quotable.ts';

/** A file id that something is wrong with, and where in the request it stood. */
interface PlacedId {
  readonly id: string;
  readonly location: string;
}

/** 404 for file ids that a database does not have. Each is named in quotes, the first hundred of them; more are counted. */
export function unknownIds(unknown: readonly PlacedId[], listLocation: string): HttpProblem {
  const errors = nameEach('unknown', unknown, listLocation);
  return new HttpProblem(404, 'The database does not have all of the files.', { errors });
}

/** 422 for file ids that a submission has more than once; they are named as {@link unknownIds} are. */
export function repeatedIds(repeated: readonly PlacedId[], listLocation: string): HttpProblem {
  const errors = nameEach('given more than once', repeated, listLocation);
  return new HttpProblem(422, 'A transfer takes each file once.', { errors });
}

function nameEach(problem: string, ids: readonly PlacedId[], listLocation: string): FieldProblem[] {
  const errors: FieldProblem[] = ids
    .slice(0, mostNamed)
    .map(({ id, location }) => ({ message: `${problem}: "${quotable(id)}"`, location }));
  const more = ids.length - errors.length;
  if (more > 0) errors.push({ message: `and ${more} more`, location: listLocation });
  return errors;
}
