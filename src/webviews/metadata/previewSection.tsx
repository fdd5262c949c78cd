import * as l10n from '@vscode/l10n';
import type { VNode } from 'preact';
import type { MetadataSnapshot, ShownPreview } from '../messages/metadataMessages.ts';
import { Button, DataTable, Section, ServerText } from '../shared/elements.tsx';
import { JsonTree } from '../shared/jsonTree.tsx';
import { toVisibleText } from '../shared/text.ts';

interface PreviewProps {
  readonly snapshot: MetadataSnapshot;
  readonly onPreview: () => void;
}

/** Renders the beginning of the file, or the button that requests it. */
export function PreviewSection({ snapshot, onPreview }: PreviewProps): VNode | null {
  const { preview, canPreview } = snapshot;
  if (preview === undefined && canPreview !== true) return null;
  return (
    <Section name="preview" heading={l10n.t('Content')}>
      {preview && <Preview preview={preview} />}
      {(preview === undefined || (preview.state === 'problem' && canPreview)) && <Offer onPreview={onPreview} />}
    </Section>
  );
}

function Offer({ onPreview }: { readonly onPreview: () => void }): VNode {
  return (
    <p>
      <Button kind="link" onClick={onPreview}>
        {l10n.t('Show Beginning of File')}
      </Button>
      <span class="aside"> {l10n.t('Reads at most 512 kB. A store may charge for that.')}</span>
    </p>
  );
}

function Preview({ preview }: { readonly preview: ShownPreview }): VNode {
  switch (preview.state) {
    case 'loading':
      return <p class="loading">{l10n.t('Reading…')}</p>;
    case 'problem':
      return <ServerText>{preview.text}</ServerText>;
    case 'json':
      return <JsonTree path="preview" value={preview.value} />;
    case 'table':
      return (
        <>
          {preview.note !== undefined && <ServerText>{preview.note}</ServerText>}
          <Rows header={preview.header} rows={preview.rows} />
        </>
      );
  }
}

interface RowsProps {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

function Rows({ header, rows }: RowsProps): VNode {
  return (
    <div class="scrolling" tabindex={0} role="region" aria-label={l10n.t('Beginning of the file')}>
      <DataTable
        headers={header.map(toVisibleText)}
        rows={rows.map((cells) => cells.map((cell) => <ServerText>{cell}</ServerText>))}
      />
    </div>
  );
}
