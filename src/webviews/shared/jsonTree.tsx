import * as l10n from '@vscode/l10n';
import type { VNode } from 'preact';
import { Button, Fold, Link, ServerText, ShowMore } from './elements.tsx';
import type { Format } from './format.ts';
import { readIdentifier, shortenText } from './text.ts';
import { countChildren, formatLeaf, listChildren, type JsonNode } from './jsonNodes.ts';
import { usePage } from './pageContext.ts';

const initialChildren = 200;
const initialCharacters = 1000;

/** Renders the properties of an object or the elements of an array as a collapsible tree. */
export function JsonTree({ path, value }: Pick<JsonNode, 'path' | 'value'>): VNode {
  const limit = usePage().view.getLimit(path, initialChildren);
  const total = countChildren(value);
  return (
    <ul class="tree">
      {listChildren({ path, value }, limit).map((node) =>
        node.childCount === 0 ? <Leaf key={node.path} node={node} /> : <Branch key={node.path} node={node} />,
      )}
      {total > limit && (
        <li>
          <ShowMore path={path} shown={limit} total={total} />
        </li>
      )}
    </ul>
  );
}

interface NodeProps {
  readonly node: JsonNode;
}

function Branch({ node }: NodeProps): VNode {
  const { format } = usePage();
  const summary = (
    <>
      <ServerText class="label">{shortenText(node.label, initialCharacters)}</ServerText>{' '}
      <span class="count">{formatChildCount(node, format)}</span>
    </>
  );
  return (
    <li>
      <Fold path={node.path} summary={summary}>
        <JsonTree path={node.path} value={node.value} />
      </Fold>
    </li>
  );
}

function formatChildCount({ kind, childCount }: JsonNode, format: Format): string {
  if (kind === 'array') return format.plural(childCount, '{0} element', '{0} elements');
  return format.plural(childCount, '{0} field', '{0} fields');
}

function Leaf({ node }: NodeProps): VNode {
  return (
    <li class="leaf">
      <ServerText class="label">{shortenText(node.label, initialCharacters)}</ServerText>
      <span class="colon">: </span>
      <LeafValue node={node} />
    </li>
  );
}

function LeafValue({ node }: NodeProps): VNode {
  if (node.kind === 'text') return <LeafText node={node} />;
  return <span class={`value ${node.kind}`}>{describeEmpty(node) ?? formatLeaf(node)}</span>;
}

function LeafText({ node }: NodeProps): VNode {
  const { format, view } = usePage();
  const text = formatLeaf(node);
  if (text === '') return <span class="value nothing">{l10n.t('empty')}</span>;
  if (text.length <= initialCharacters) return <Link address={readIdentifier(text).address}>{text}</Link>;
  const limit = view.getLimit(node.path, initialCharacters);
  if (limit >= text.length) return <ServerText class="value text">{text}</ServerText>;
  return (
    <>
      <ServerText class="value text">{shortenText(text, limit)}</ServerText>{' '}
      <Button kind="link" onClick={() => view.raiseLimit(node.path, text.length)}>
        {format.plural(text.length, 'Show all {0} character', 'Show all {0} characters')}
      </Button>
    </>
  );
}

function describeEmpty({ kind, value }: JsonNode): string | undefined {
  if (kind === 'array') return l10n.t('empty list');
  if (kind === 'object') return l10n.t('empty object');
  return value === null ? l10n.t('none') : undefined;
}
