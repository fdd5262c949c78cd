import type { License } from './creditText.ts';

/** A person or organization in a citation. `literal` contains a name that can't be split reliably. */
export interface CitedName {
  readonly family?: string;
  readonly given?: string;
  readonly literal?: string;
  /** In the form `0000-0000-0000-000X`. */
  readonly orcid?: string;
  readonly affiliation?: string;
}

/** A contributor who is neither an author nor an editor, such as a contact person or a sponsor. */
export interface SupportingContributor {
  readonly name: CitedName;
  /** The English name of the role, such as `Contact person`. */
  readonly role: string;
}

/** The people and organizations that metadata credits. */
export interface CitedPeople {
  readonly authors: readonly CitedName[];
  readonly editors: readonly CitedName[];
  readonly contributors: readonly SupportingContributor[];
}

/** The work to cite for a file, from its metadata. Each string is one line without control characters. */
export interface CitedWork extends CitedPeople {
  readonly title: string | undefined;
  readonly otherTitles: readonly string[];
  readonly publisher: string | undefined;
  /** `YYYY`, `YYYY-MM` or `YYYY-MM-DD`. */
  readonly issued: string | undefined;
  readonly version: string | undefined;
  /** The DOI without a prefix such as `doi:` or `https://doi.org/`: `10.25345/C58K7520G`. */
  readonly doi: string | undefined;
  /** The work's identifier in the database; undefined if that is the DOI. */
  readonly identifier: string | undefined;
  /** An HTTP or HTTPS URL. */
  readonly url: string | undefined;
  readonly abstract: string | undefined;
  readonly licenses: readonly License[];
  /** Funding and related identifiers, for example `Proposal DOI: 10.46936/…`. */
  readonly notes: readonly string[];
}

/** A citation of one work, which may consist of many files. */
export interface Citation extends CitedWork {
  /** The citation key of ASCII letters, digits and hyphens, unique among citations that are written together. */
  readonly key: string;
  readonly title: string;
  readonly fileCount: number;
  /** The day on which the files were transferred, if known: `YYYY-MM-DD`. */
  readonly accessed: string | undefined;
}

/** Returns a name in its sortable form: `Family, Given`, or the literal name. */
export function formatSortedName({ family, given, literal }: CitedName): string {
  return literal ?? [family, given].filter((part) => part !== undefined).join(', ');
}

/** Splits a date in the format of {@link CitedWork.issued} into year, month and day. Leaves out missing parts. */
export function splitDate(date: string): readonly number[] {
  return date.split('-').map(Number);
}

/** Returns a citation's notes, after its supporting contributors and before its licenses. */
export function listNotes({ contributors, notes, licenses }: CitedWork): readonly string[] {
  if (contributors.length + licenses.length === 0) return notes;
  const supporters = contributors.map(({ name, role }) => `${role}: ${formatSortedName(name)}`);
  return [...supporters, ...notes, ...listLicenseNotes(licenses)];
}

function listLicenseNotes(licenses: readonly License[]): readonly string[] {
  if (licenses.length === 0) return [];
  return [`${licenses.length === 1 ? 'License' : 'Licenses'}: ${licenses.map(formatLicense).join(', ')}`];
}

function formatLicense({ name, url }: License): string {
  return url === undefined || url === name ? name : `${name} (${url})`;
}
