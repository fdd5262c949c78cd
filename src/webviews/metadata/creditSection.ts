import * as l10n from '@vscode/l10n';
import type { FileEntry } from '../../core/model/fileEntry.ts';
import { element, foreign, link, section, type Child } from '../shared/dom.ts';
import type { Format } from '../shared/format.ts';
import type { Identifier } from '../shared/identifiers.ts';
import { shortened } from '../shared/text.ts';
import { creditOf, type Contributor, type Credit, type RelatedIdentifier } from './credit.ts';

const longestText = 1000;

/** Whom and what the data is owed to. */
export function creditSection(file: FileEntry, format: Format): HTMLElement | undefined {
  const credit = creditOf(file, format);
  const rows = creditRows(credit).filter(([, values]) => values.length > 0);
  if (rows.length === 0) return undefined;
  const groups = rows.map(([label, values]) =>
    element('div', {}, element('dt', {}, label), ...values.map((value) => element('dd', {}, ...value))),
  );
  return section('credit', l10n.t('Credit'), element('dl', { class: 'pairs' }, ...groups));
}

type Row = readonly [label: string, values: readonly (readonly Child[])[]];

function creditRows(credit: Credit): readonly Row[] {
  return [
    [l10n.t('Title'), credit.titles.map((title) => [foreign(shortened(title, longestText))])],
    [l10n.t('Contributors'), credit.contributors.map(person)],
    [l10n.t('Publisher'), optional(credit.publisher)],
    [l10n.t('Dates'), credit.dates.map(({ event, text, written }) => [dated(event, text, written)])],
    [l10n.t('Funding'), credit.funding.map(described)],
    [l10n.t('Identifiers'), credit.related.map(described)],
    [l10n.t('Type'), word(credit.type)],
    [l10n.t('Version'), word(credit.version)],
    [l10n.t('Address'), optional(credit.address)],
    [l10n.t('Comment'), word(credit.comment)],
  ];
}

function person({ name, identifier, roles, affiliations, email }: Contributor): readonly Child[] {
  const title = identifier === undefined ? foreign(shortened(name, longestText)) : named(name, identifier);
  const mail: readonly Child[] = email === undefined ? [] : [' · ', link(email, `mailto:${email}`)];
  const details = [
    ...(roles === undefined ? [] : [foreign(shortened(roles, longestText))]),
    ...affiliations.map(anchor),
  ];
  const aside = details.length === 0 ? undefined : element('div', { class: 'aside' }, ...joined(details));
  return [title, ...mail, aside];
}

function named(name: string, { text, address }: Identifier): HTMLElement {
  if (address === undefined) return foreign(`${shortened(name, longestText)} (${text})`);
  return link(shortened(name, longestText), address);
}

function joined(parts: readonly HTMLElement[]): readonly Child[] {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [' · ', part]));
}

function described({ identifier, description }: RelatedIdentifier): readonly Child[] {
  if (description === undefined) return [anchor(identifier)];
  return [anchor(identifier), element('div', { class: 'aside' }, foreign(shortened(description, longestText)))];
}

function dated(event: string, text: string, written: string): HTMLElement {
  const day = element('time', { datetime: written, title: written }, text);
  return event === '' ? day : element('span', {}, day, ' ', element('span', { class: 'aside' }, foreign(event)));
}

function anchor({ text, address }: Identifier): HTMLElement {
  return link(shortened(text, longestText), address);
}

function optional(identifier: Identifier | undefined): readonly (readonly Child[])[] {
  return identifier === undefined ? [] : [[anchor(identifier)]];
}

function word(text: string | undefined): readonly (readonly Child[])[] {
  return text === undefined ? [] : [[foreign(shortened(text, longestText))]];
}
