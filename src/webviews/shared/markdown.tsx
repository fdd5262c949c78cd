import * as l10n from '@vscode/l10n';
import DOMPurify from 'dompurify';
import MarkdownIt from 'markdown-it';
import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { toOpenableLink } from '../messages/pageMessages.ts';
import { Section } from './elements.tsx';
import { shortenText, toReadableText, toVisibleText } from './text.ts';

const maxSourceLength = 100_000;

/** Number of levels by which headings in a description are demoted, so that `#` ranks below the page's headings. */
const headingShift = 2;

const allowedTags = 'p br hr h3 h4 h5 h6 strong em s code pre blockquote ul ol li a table thead tbody tr th td'.split(
  ' ',
);

function createReader(): InstanceType<typeof MarkdownIt> {
  const reader = new MarkdownIt({ html: false, linkify: true, typographer: false });
  reader.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  reader.validateLink = (address) => toOpenableLink(address) !== undefined;
  reader.core.ruler.push('shape', ({ tokens }) => {
    for (const token of tokens) {
      if (token.type === 'heading_open' || token.type === 'heading_close')
        token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + headingShift)}`;
      // The alignment of a column would be an inline style, which the page's content security policy blocks.
      token.attrs = token.attrs?.filter(([name]) => name !== 'style') ?? null;
    }
  });
  // The page does not load images, so each one becomes a link.
  reader.renderer.rules['image'] = (tokens, index) => {
    const token = tokens[index];
    const address = token?.attrGet('src') ?? '';
    const { escapeHtml } = reader.utils;
    return `<a href="${escapeHtml(String(address))}">${escapeHtml(token?.content || String(address))}</a>`;
  };
  return reader;
}

const reader = createReader();

/** Renders Markdown from a server without raw HTML or images, and with links only to allowed addresses. */
function Markdown({ source }: { readonly source: string }): VNode {
  const container = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => container.current?.replaceChildren(toSafeContent(source)), [source]);
  return <div ref={container} class="markdown" dir="auto" />;
}

/** Renders a description in Markdown; nothing if it is empty. */
export function DescriptionSection({ text }: { readonly text: string | undefined }): VNode | null {
  const source = toReadableText(text);
  if (source === undefined) return null;
  return (
    <Section name="description" heading={l10n.t('Description')}>
      <Markdown source={source} />
    </Section>
  );
}

function toSafeContent(source: string): DocumentFragment {
  const content = DOMPurify.sanitize(reader.render(toVisibleText(shortenText(source, maxSourceLength))), {
    ALLOWED_TAGS: allowedTags,
    ALLOWED_ATTR: ['href', 'title', 'start'],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const table of content.querySelectorAll('table')) makeScrollable(table);
  return content;
}

function makeScrollable(table: HTMLTableElement): void {
  const frame = document.createElement('div');
  Object.assign(frame, { className: 'scrolling', tabIndex: 0, role: 'region', ariaLabel: l10n.t('Table') });
  table.replaceWith(frame);
  frame.append(table);
}
