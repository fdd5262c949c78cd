import * as l10n from '@vscode/l10n';
import type { VNode } from 'preact';
import { Button, Link, Section, ServerText } from '../shared/elements.tsx';
import { shortenText } from '../shared/text.ts';
import { splitCitation } from './citationLink.ts';

const maxTextLength = 3000;

interface CiteSectionProps {
  readonly citation: string | undefined;
  readonly onCite: () => void;
}

/** Renders a file's citation, with a button for other formats. */
export function CiteSection({ citation, onCite }: CiteSectionProps): VNode | null {
  if (citation === undefined) return null;
  return (
    <Section name="cite" heading={l10n.t('Cite')}>
      <p>
        <CitationText citation={citation} />
      </p>
      <p>
        <Button kind="link" onClick={onCite}>
          {l10n.t('Copy or Save Citation…')}
        </Button>
      </p>
    </Section>
  );
}

/** Renders a citation with its DOI as a link. Other addresses in a citation are plain text. */
function CitationText({ citation }: { readonly citation: string }): VNode {
  const { text, doi, address } = splitCitation(citation);
  const written = <ServerText>{shortenText(text, maxTextLength)}</ServerText>;
  if (doi === undefined) return written;
  return (
    <>
      {written} <Link address={address}>{doi}</Link>
    </>
  );
}
