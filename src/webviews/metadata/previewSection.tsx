import * as l10n from '@vscode/l10n';
import type { VNode } from 'preact';
import type { MetadataSnapshot, ShownPreview } from '../messages/metadataMessages.ts';
import { Button, DataTable, Section, ServerText } from '../shared/elements.tsx';
import { JsonTree } from '../shared/jsonTree.tsx';
import { toVisibleText } from '../shared/text.ts';
import { ImageView } from './imageView.tsx';

interface PreviewProps {
  readonly snapshot: MetadataSnapshot;
  readonly onAction: (intent: 'preview' | 'open') => void;
}

/** Renders the beginning of the file or an image, or the button that requests it. */
export function PreviewSection({ snapshot, onAction }: PreviewProps): VNode | null {
  const { preview, offer, ref } = snapshot;
  if (preview === undefined && offer === undefined) return null;
  return (
    <Section name="preview" heading={l10n.t('Content')}>
      {preview && <Preview preview={preview} fileName={ref.name} />}
      {offer && <Offer snapshot={snapshot} onAction={onAction} />}
    </Section>
  );
}

function Offer({ snapshot: { preview, offer }, onAction }: PreviewProps): VNode | null {
  if (preview !== undefined && preview.state !== 'problem') return null;
  if (preview?.remedy !== undefined)
    return (
      <Button kind="link" onClick={() => onAction('open')}>
        {l10n.t('Open')}
      </Button>
    );
  return (
    <p>
      <Button kind="link" onClick={() => onAction('preview')}>
        {offer === 'image' ? l10n.t('Show Image') : l10n.t('Show Beginning of File')}
      </Button>
      <span class="aside"> {l10n.t('Reads at most 512 kB. A store may charge for that.')}</span>
    </p>
  );
}

interface ShownProps {
  readonly preview: ShownPreview;
  readonly fileName: string;
}

function Preview({ preview, fileName }: ShownProps): VNode {
  switch (preview.state) {
    case 'loading':
      return <p class="loading">{l10n.t('Reading…')}</p>;
    case 'problem':
      return <ServerText>{preview.text}</ServerText>;
    case 'json':
      return <JsonTree path="preview" value={preview.value} />;
    case 'image':
      return <ImageView image={preview} fileName={fileName} />;
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
