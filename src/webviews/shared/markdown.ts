import * as l10n from '@vscode/l10n';
import DOMPurify from 'dompurify';
import MarkdownIt from 'markdown-it';
import { openableLink } from '../../messages/links.ts';
import { element } from './dom.ts';
import { shortened, visibleText } from './text.ts';

const longestMarkdown = 100_000;

/** Headings of a description stand below the page's own: its `#` becomes an h3. */
const headingShift = 2;

const allowedTags = 'p br hr h3 h4 h5 h6 strong em s code pre blockquote ul ol li a table thead tbody tr th td'.split(
  ' ',
);

function createReader(): InstanceType<typeof MarkdownIt> {
  const reader = new MarkdownIt({ html: false, linkify: true, typographer: false });
  reader.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  reader.validateLink = (address) => openableLink(address) !== undefined;
  reader.core.ruler.push('shape', ({ tokens }) => {
    for (const token of tokens) {
      if (token.type === 'heading_open' || token.type === 'heading_close')
        token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + headingShift)}`;
      // The alignment of a column would be an inline style, which the page's policy refuses.
      token.attrs = token.attrs?.filter(([name]) => name !== 'style') ?? null;
    }
  });
  // Nothing is loaded from anywhere: a picture becomes a link to it.
  reader.renderer.rules['image'] = (tokens, index) => {
    const token = tokens[index];
    const address = token?.attrGet('src') ?? '';
    const { escapeHtml } = reader.utils;
    return `<a href="${escapeHtml(String(address))}">${escapeHtml(token?.content || String(address))}</a>`;
  };
  return reader;
}

const reader = createReader();

/** Markdown that somebody else wrote, as a part of the page: no markup of its own, no pictures, only links that may be opened. */
export function markdown(source: string): HTMLElement {
  const whole = element('div', { class: 'markdown', dir: 'auto', 'data-memo': memoOf(source) });
  const content = DOMPurify.sanitize(reader.render(visibleText(shortened(source, longestMarkdown))), {
    ALLOWED_TAGS: allowedTags,
    ALLOWED_ATTR: ['href', 'title', 'start'],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
  whole.append(content);
  for (const table of whole.querySelectorAll('table')) makeScrollable(table);
  return whole;
}

function makeScrollable(table: HTMLTableElement): void {
  const frame = element('div', { class: 'scrolling', tabindex: '0', role: 'region', 'aria-label': l10n.t('Table') });
  table.replaceWith(frame);
  frame.append(table);
}

/** Short and as good as unique within one page: the same text is not rendered into the page twice. */
function memoOf(source: string): string {
  let hash = 0;
  for (let index = 0; index < source.length; index += 1) hash = (Math.imul(hash, 31) + source.charCodeAt(index)) | 0;
  return `${source.length}:${hash}`;
}
