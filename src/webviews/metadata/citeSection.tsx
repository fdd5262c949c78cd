import * as l10n from '@vscode/l10n';
import type { VNode } from 'preact';
import { Button, Section, ServerText } from '../shared/elements.tsx';
import { shortenText } from '../shared/text.ts';

const maxTextLength = 3000;

interface CiteSectionProps {
  readonly citation: string | undefined;
  readonly onCite: () => void;
}

/** Renders the citation of a file, with a button for other formats. */
export function CiteSection({ citation, onCite }: CiteSectionProps): VNode | null {
  if (citation === undefined) return null;
  return (
    <Section name="cite" heading={l10n.t('Cite')}>
      <p>
        <ServerText>{shortenText(citation, maxTextLength)}</ServerText>
      </p>
      <p>
        <Button kind="link" onClick={onCite}>
          {l10n.t('Copy or Save Citation…')}
        </Button>
      </p>
    </Section>
  );
}
