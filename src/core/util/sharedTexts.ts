/** Completes a sentence about a file, folder or database. */
export const cannotBeRead = "can't be read";

/** Completes a sentence about a field of a request or of a tool's input. */
export const mustNotBeEmpty = 'must not be empty';

/** Completes a sentence about a field of a request or of a tool's input, if the problem has no description. */
export const isNotValid = 'is not valid';

/** Describes the fields that requests to the service, recipes and the input of tools have in common. */
export const fieldTexts = {
  source: 'Name or ID of the database that has the files.',
  fileIds: 'IDs of the files.',
  query: 'The query, in the syntax of the database. Empty for all files.',
} as const;

/** Describes a cancellation without an answer from the service, without a period. */
export const unconfirmedCancellation = "The cancellation wasn't confirmed";

/** Describes a destination that takes no files, as a clause. */
export function describeReadOnlyDatabase(name: string): string {
  return `the database ${name} is read-only`;
}

/** Describes a file that would have the name of another one's folder; both are quoted paths. */
export function describeNestedPaths(outer: string, inner: string): string {
  const reason = "because a folder can't have the name of a file";
  return `A transfer can't contain ${outer} and ${inner}, ${reason}. Transfer them separately.`;
}

/** Converts a clause to a sentence with a capital letter and a period. */
export function toSentence(clause: string): string {
  return `${capitalize(clause)}.`;
}

/** Returns a clause with a capital letter, for a line of its own. */
export function capitalize(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}`;
}
