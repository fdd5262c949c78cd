import * as l10n from '@vscode/l10n';
import type { VNode } from 'preact';
import type { FileEntry } from '../../core/model/fileEntry.ts';
import { Link, Section, ServerText } from '../shared/elements.tsx';
import type { Identifier } from '../shared/identifiers.ts';
import { usePage } from '../shared/pageContext.ts';
import { shortenText } from '../shared/text.ts';
import { readCredit, type Contributor, type Credit, type CreditDate, type RelatedIdentifier } from './credit.ts';
import { filterDefined } from './references.ts';

const maxTextLength = 1000;

/** Renders the credit metadata of a file, such as people, organizations and dates. */
export function CreditSection({ file }: { readonly file: FileEntry }): VNode | null {
  const rows = listRows(readCredit(file, usePage().format)).filter(([, values]) => values.length > 0);
  if (rows.length === 0) return null;
  return (
    <Section name="credit" heading={l10n.t('Credit')}>
      <dl class="pairs">
        {rows.map(([label, values]) => (
          <div key={label}>
            <dt>{label}</dt>
            {values.map((value) => (
              <dd>{value}</dd>
            ))}
          </div>
        ))}
      </dl>
    </Section>
  );
}

type Row = readonly [label: string, values: readonly VNode[]];

function listRows(credit: Credit): readonly Row[] {
  return [
    [l10n.t('Title'), credit.titles.map(renderText)],
    [l10n.t('Contributors'), credit.contributors.map(renderContributor)],
    [l10n.t('Publisher'), filterDefined([credit.publisher]).map(renderIdentifier)],
    [l10n.t('Dates'), credit.dates.map(renderDate)],
    [l10n.t('Funding'), credit.funding.map(renderRelated)],
    [l10n.t('Identifiers'), credit.related.map(renderRelated)],
    [l10n.t('Type'), filterDefined([credit.type]).map(renderText)],
    [l10n.t('Version'), filterDefined([credit.version]).map(renderText)],
    [l10n.t('Address'), filterDefined([credit.address]).map(renderIdentifier)],
    [l10n.t('Comment'), filterDefined([credit.comment]).map(renderText)],
  ];
}

function renderText(text: string): VNode {
  return <ServerText>{shortenText(text, maxTextLength)}</ServerText>;
}

function renderIdentifier({ text, address }: Identifier): VNode {
  return <Link address={address}>{shortenText(text, maxTextLength)}</Link>;
}

function renderContributor({ name, identifier, roles, affiliations, email }: Contributor): VNode {
  const details = [...filterDefined([roles]).map(renderText), ...affiliations.map(renderIdentifier)];
  const title = shortenText(name, maxTextLength);
  const id = identifier && identifier.address === undefined ? ` (${identifier.text})` : '';
  return (
    <>
      <Link address={identifier?.address}>{title + id}</Link>
      {email !== undefined && ' · '}
      {email !== undefined && <Link address={`mailto:${email}`}>{email}</Link>}
      {details.length > 0 && (
        <div class="aside">{details.flatMap((detail, index) => (index === 0 ? [detail] : [' · ', detail]))}</div>
      )}
    </>
  );
}

function renderRelated({ identifier, description }: RelatedIdentifier): VNode {
  return (
    <>
      {renderIdentifier(identifier)}
      {description !== undefined && <div class="aside">{renderText(description)}</div>}
    </>
  );
}

function renderDate({ event, text, written }: CreditDate): VNode {
  return (
    <>
      <time datetime={written} title={written}>
        {text}
      </time>
      {event !== '' && (
        <span class="aside">
          {' '}
          <ServerText>{event}</ServerText>
        </span>
      )}
    </>
  );
}
