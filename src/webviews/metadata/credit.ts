import type { FileEntry } from '../../core/model/fileEntry.ts';
import { record } from '../../messages/guards.ts';
import type { Format } from '../shared/format.ts';
import { readIdentifier, type Identifier } from '../shared/identifiers.ts';
import { readable } from '../shared/text.ts';
import { fieldOf, objectsIn, present, reference } from './origins.ts';

/** Somebody who contributed. */
export interface Contributor {
  readonly name: string;
  readonly identifier?: Identifier;
  readonly roles?: string;
  readonly affiliations: readonly Identifier[];
  readonly email?: string;
}

/** An identifier with what it is. */
export interface RelatedIdentifier {
  readonly identifier: Identifier;
  readonly description?: string;
}

/** A day of note: `Created`, `Aug 26, 2021`, and as it was written. */
interface CreditDate {
  readonly event: string;
  readonly text: string;
  readonly written: string;
}

/** Who and what a file is owed to, as far as its database tells. Empty lists and absent fields: it did not. */
export interface Credit {
  readonly contributors: readonly Contributor[];
  readonly publisher?: Identifier;
  readonly dates: readonly CreditDate[];
  readonly funding: readonly RelatedIdentifier[];
  readonly related: readonly RelatedIdentifier[];
  readonly titles: readonly string[];
  readonly version?: string;
  readonly type?: string;
  readonly address?: Identifier;
  readonly comment?: string;
}

/** Reads the credit of a resource, and what data packages say in its place; servers write "" and "," for "not known". */
export function creditOf({ resource, title }: FileEntry, format: Format): Credit {
  const credit = record(resource['credit']) ? resource['credit'] : {};
  const publisher = organization(credit['publisher']);
  const version = readable(credit['version']) ?? readable(resource['version']);
  const type = readable(credit['resource_type']);
  const address = reference(undefined, credit['url']) ?? reference(undefined, credit['content_url']);
  const comment = readable(credit['comment']);
  const titles = present(objectsIn(credit['titles']).map((entry) => readable(entry['title'])));
  return {
    contributors: [...objectsIn(credit['contributors']), ...objectsIn(resource['contributors'])].flatMap(contributor),
    dates: objectsIn(credit['dates']).flatMap((entry) => creditDate(entry, format)),
    funding: objectsIn(credit['funding']).flatMap(grant),
    related: objectsIn(credit['related_identifiers']).flatMap(related),
    titles: titles.filter((entry) => entry !== title),
    ...(publisher && { publisher }),
    ...(version !== undefined && { version }),
    ...(type !== undefined && { type }),
    ...(address && { address }),
    ...(comment !== undefined && { comment }),
  };
}

type Entry = Readonly<Record<string, unknown>>;

function contributor(entry: Entry): readonly Contributor[] {
  const given = [readable(entry['given_name']), readable(entry['family_name'])].filter((part) => part !== undefined);
  const name = readable(entry['name']) ?? readable(entry['title']) ?? (given.length > 0 ? given.join(' ') : undefined);
  const identifier = reference(undefined, readable(entry['contributor_id']) ?? entry['path']);
  const written = name ?? identifier?.text;
  if (written === undefined) return [];
  const roles = rolesOf(entry);
  const email = readable(entry['email']);
  return [
    {
      name: written,
      affiliations: affiliationsOf(entry),
      ...(identifier && name !== undefined && { identifier }),
      ...(roles !== undefined && { roles }),
      ...(email !== undefined && { email }),
    },
  ];
}

function rolesOf(entry: Entry): string | undefined {
  const written = entry['contributor_roles'] ?? entry['roles'] ?? entry['role'];
  const roles: unknown[] = Array.isArray(written) ? written : (readable(written) ?? '').split(',');
  const words = present(roles.map(readable));
  return words.length > 0 ? words.join(', ') : undefined;
}

function affiliationsOf(entry: Entry): readonly Identifier[] {
  const named = reference(entry['organization'], undefined);
  return present([...objectsIn(entry['affiliations']).map(organization), named]);
}

function organization(entry: unknown): Identifier | undefined {
  return reference(fieldOf(entry, 'organization_name'), fieldOf(entry, 'organization_id'));
}

function creditDate(entry: Entry, format: Format): readonly CreditDate[] {
  const written = readable(entry['date']);
  if (written === undefined) return [];
  return [{ event: readable(entry['event']) ?? '', text: dayText(written, format), written }];
}

/** A day without a time of day is that day everywhere; read as a moment it could be the day before. */
function dayText(written: string, format: Format): string {
  const at = Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(written) ? `${written}T00:00:00` : written);
  return Number.isNaN(at) ? written : format.date(at);
}

function grant(entry: Entry): readonly RelatedIdentifier[] {
  const funder = organization(entry['funder']);
  const award = reference(readable(entry['grant_title']) ?? entry['grant_id'], entry['grant_url']);
  const identifier = award ?? funder;
  if (identifier === undefined) return [];
  const details = [award && funder?.text, award && readable(entry['grant_title']) && readable(entry['grant_id'])];
  const description = present(details).join(', ');
  return [{ identifier, ...(description !== '' && { description }) }];
}

function related(entry: Entry): readonly RelatedIdentifier[] {
  const written = readable(entry['id']);
  if (written === undefined) return [];
  const description = readable(entry['description']) ?? readable(entry['relationship_type']);
  return [{ identifier: readIdentifier(written), ...(description !== undefined && { description }) }];
}
