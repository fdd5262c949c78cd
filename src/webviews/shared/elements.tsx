import * as l10n from '@vscode/l10n';
import { toChildArray, type ComponentChildren, type VNode } from 'preact';
import { toOpenableLink } from '../messages/pageMessages.ts';
import type { Action, Note } from './note.ts';
import { usePage } from './pageContext.ts';
import { toVisibleText } from './text.ts';

/** Renders text from a server, isolated so that its writing direction does not affect the surrounding text. */
export function ServerText(props: { readonly children: string; readonly class?: string | undefined }): VNode {
  return <bdi class={props.class}>{toVisibleText(props.children)}</bdi>;
}

/** Renders a link, or only its text if the address must not be opened. */
export function Link(props: { readonly children: string; readonly address: string | undefined }): VNode {
  const href = props.address === undefined ? undefined : toOpenableLink(props.address);
  const text = <ServerText>{props.children}</ServerText>;
  if (href === undefined) return text;
  return (
    <a title={href} href={href}>
      {text}
    </a>
  );
}

interface ButtonProps {
  readonly children: ComponentChildren;
  readonly onClick: () => void;
  readonly kind?: 'primary' | 'plain' | 'link';
  /** Label for screen readers, if the visible label is ambiguous on its own. */
  readonly spoken?: string;
}

/** Renders a button. */
export function Button({ children, onClick, kind = 'plain', spoken }: ButtonProps): VNode {
  return (
    <button type="button" class={`button ${kind}`} aria-label={spoken} onClick={onClick}>
      {children}
    </button>
  );
}

interface ActionButtonsProps<Intent extends string> {
  readonly actions: readonly Action<Intent>[];
  readonly onAction: (intent: Intent) => void;
}

function ActionButtons<Intent extends string>({ actions, onAction }: ActionButtonsProps<Intent>): VNode {
  const buttons = actions.map(({ intent, label, isPrimary }) => (
    <Button key={intent} kind={isPrimary ? 'primary' : 'plain'} onClick={() => onAction(intent)}>
      {label}
    </Button>
  ));
  return <>{buttons}</>;
}

/** Renders one button per action, as a group with a label for screen readers. */
export function ActionGroup<Intent extends string>({
  label,
  ...props
}: ActionButtonsProps<Intent> & { readonly label: string }): VNode {
  return (
    <div class="actions" role="group" aria-label={label}>
      <ActionButtons {...props} />
    </div>
  );
}

interface NoteBoxProps<Intent extends string> {
  readonly note: Note<Intent>;
  readonly onAction: (intent: Intent) => void;
}

/** Renders a note. An icon, not only the color, distinguishes warnings and errors from information. */
export function NoteBox<Intent extends string>({ note, onAction }: NoteBoxProps<Intent>): VNode {
  const { kind, text, actions = [] } = note;
  return (
    <div class={`note ${kind}`}>
      <Icon name={kind === 'info' ? 'info' : 'warning'} />
      <p>
        <bdi>{text}</bdi>
      </p>
      <ActionButtons actions={actions} onAction={onAction} />
    </div>
  );
}

interface SectionProps {
  readonly name: string;
  readonly heading: string;
  readonly children: ComponentChildren;
}

/** Renders a section with a heading, or nothing if it has no children. */
export function Section({ name, heading, children }: SectionProps): VNode | null {
  if (toChildArray(children).length === 0) return null;
  const id = `heading-${name}`;
  return (
    <section class={`part part-${name}`} aria-labelledby={id}>
      <h2 id={id}>{heading}</h2>
      {children}
    </section>
  );
}

interface FoldProps {
  /** Identifies the collapsible section within the page. */
  readonly path: string;
  readonly summary: ComponentChildren;
  readonly children: ComponentChildren;
  readonly class?: string;
}

/** Renders collapsible content, which is created only while it is expanded. */
export function Fold({ path, summary, children, class: className }: FoldProps): VNode {
  const { view } = usePage();
  const isOpen = view.isOpen(path);
  return (
    <details class={className} open={isOpen} onToggle={(event) => view.setOpen(path, event.currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children}
    </details>
  );
}

interface FactProps {
  readonly label: string;
  readonly children: ComponentChildren;
  /** A more exact value, shown as a tooltip. */
  readonly exact?: string | undefined;
  readonly isWide?: boolean;
  readonly class?: string | undefined;
}

/** Renders one entry of the row that shows a page's key details. */
export function Fact({ label, children, exact, isWide = false, class: className }: FactProps): VNode {
  return (
    <div class={isWide ? 'fact wide' : 'fact'}>
      <dt>{label}</dt>
      <dd class={className} title={exact}>
        {children}
      </dd>
    </div>
  );
}

interface DataTableProps {
  readonly headers: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** True to mark the first cell of each row as its header. */
  readonly hasRowHeaders?: boolean;
}

/** Renders a table. */
export function DataTable({ headers, rows, hasRowHeaders = false }: DataTableProps): VNode {
  return (
    <table>
      <thead>
        <tr>
          {headers.map((title) => (
            <th scope="col">{title}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells) => (
          <tr>
            {cells.map((cell, index) => (hasRowHeaders && index === 0 ? <th scope="row">{cell}</th> : <td>{cell}</td>))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Maximum number of rows that one click adds. More would be noticeably slow. */
const maxStep = 2000;

interface ShowMoreProps {
  /** Identifies the list within the page. */
  readonly path: string;
  readonly shown: number;
  readonly total: number;
  readonly onClick?: (() => void) | undefined;
}

/** Renders a button that shows the rest of a long list, or the next part of a very long list. */
export function ShowMore({ path, shown, total, onClick }: ShowMoreProps): VNode {
  const { format, view } = usePage();
  const next = Math.min(total, shown + maxStep);
  const raiseLimit = (): void => {
    onClick?.();
    view.raiseLimit(path, next);
  };
  return (
    <Button kind="link" onClick={raiseLimit}>
      {next === total
        ? l10n.t('Show all {0}', format.number(total))
        : l10n.t('Show {0} more of {1}', format.number(next - shown), format.number(total))}
    </Button>
  );
}

/** The SVG paths of the icons, in a 16-by-16 view box. Text always conveys an icon's meaning as well. */
const paths = {
  arrow: 'M2.500 8h11M9.500 4l4 4-4 4',
  check: 'M8 1.500a6.500 6.500 0 1 1 0 13 6.500 6.500 0 0 1 0-13M5 8.200l2.200 2.200L11.200 6',
  cross: 'M8 1.500a6.500 6.500 0 1 1 0 13 6.500 6.500 0 0 1 0-13M5.700 5.700l4.600 4.600M10.300 5.700l-4.600 4.600',
  pause: 'M8 1.500a6.500 6.500 0 1 1 0 13 6.500 6.500 0 0 1 0-13M6.500 5.500v5M9.500 5.500v5',
  stop: 'M8 1.500a6.500 6.500 0 1 1 0 13 6.500 6.500 0 0 1 0-13M3.500 12.500l9-9',
  cloud:
    'M4.800 11.500a3 3 0 0 1-.100-6A4 4 0 0 1 12.200 6.200a2.700 2.700 0 0 1-.300 5.300M8 7.500v6M5.800 11.300L8 13.500l2.200-2.200',
  list: 'M2 4l1.200 1.200L5.300 3M7.500 4H14M2 8.500l1.200 1.200 2.100-2.200M7.500 8.500H14M2.500 13h2M7.500 13H14',
  clock: 'M8 1.500a6.500 6.500 0 1 1 0 13 6.500 6.500 0 0 1 0-13M8 4.500V8l2.500 1.500',
  history: 'M2.500 8a5.500 5.500 0 1 0 1.600-3.900M2.500 2.500v2.800h2.800M8 5v3l2 1.500',
  watch:
    'M8 3.500a4.500 4.500 0 1 1 0 9 4.500 4.500 0 0 1 0-9M8 5.800V8l1.500 1M5.800 4.100L6.300 1.500h3.400l.500 2.600M5.800 11.900l.500 2.600h3.400l.500-2.600',
  question:
    'M8 1.500a6.500 6.500 0 1 1 0 13 6.500 6.500 0 0 1 0-13M6 6.200a2 2 0 1 1 2.800 1.900c-.500.300-.800.600-.800 1.200M8 11.300v.200',
  running:
    'M13.800 5.100A6.500 6.500 0 0 0 2 5.800M2.200 10.900A6.500 6.500 0 0 0 14 10.200M14 2v3.300h-3.300M2 14v-3.300h3.300',
  warning: 'M8 2l6.500 11.500h-13zM8 6.500v3M8 11.500v.200',
  info: 'M8 1.500a6.500 6.500 0 1 1 0 13 6.500 6.500 0 0 1 0-13M8 7.200v4M8 4.800v.200',
} as const;

/** The name of an icon. */
export type IconName = keyof typeof paths;

/** Renders an icon that is hidden from screen readers. */
export function Icon({ name }: { readonly name: IconName }): VNode {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
