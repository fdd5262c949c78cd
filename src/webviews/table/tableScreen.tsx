import * as l10n from '@vscode/l10n';
import type { VNode } from 'preact';
import {
  getArrangementId,
  isTableHostMessage,
  toPageState,
  type TableHostMessage,
  type TableIntent,
  type TableSnapshot,
} from '../messages/tableMessages.ts';
import { Button, NoteBox, ServerText } from '../shared/elements.tsx';
import type { Format } from '../shared/format.ts';
import { filterActions, type Note } from '../shared/note.ts';
import type { PageDefinition } from '../shared/pageApp.tsx';
import { usePage } from '../shared/pageContext.ts';
import { TableGrid } from './tableGrid.tsx';
import { updateTable, type TableState } from './tableState.ts';

type Send = (intent: TableIntent) => void;

interface PartProps {
  readonly snapshot: TableSnapshot;
  readonly send: Send;
}

/** The table of files. */
export const tableScreen: PageDefinition<TableHostMessage, TableState, TableIntent> = {
  isMessage: isTableHostMessage,
  update: updateTable,
  getSubject: ({ snapshot }) => getArrangementId(snapshot),
  getSavedState: ({ snapshot }) => toPageState(snapshot),
  describeChange: ({ snapshot: before }, { snapshot: now }, format) => describeChange(before, now, format),
  isBusy: ({ snapshot }) => snapshot.isLoading,
  render: (state, send) => <TableScreen state={state} send={send} />,
};

function describeChange(before: TableSnapshot, now: TableSnapshot, format: Format): string | undefined {
  const isArranged = before.filter !== now.filter || before.isToggled !== now.isToggled;
  if (!isArranged && (!before.isLoading || now.isLoading)) return undefined;
  return l10n.t('Shown: {0}', formatShare(now, format));
}

function TableScreen({ state, send }: { readonly state: TableState; readonly send: Send }): VNode {
  const { snapshot } = state;
  return (
    <div class="table" onKeyDown={focusFilter}>
      <Header snapshot={snapshot} send={send} />
      {listNotes(snapshot).map((note) => (
        <NoteBox key={note.key} note={note} onAction={(type) => send({ type })} />
      ))}
      {snapshot.shown > 0 ? <TableGrid state={state} send={send} /> : <p class="nothing">{snapshot.emptyText}</p>}
      <Bar snapshot={snapshot} send={send} />
    </div>
  );
}

/** The ID of the filter box. */
const filterId = 'filter';

function focusFilter(event: KeyboardEvent): void {
  if (event.key !== 'f' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.stopPropagation();
  document.getElementById(filterId)?.focus();
}

function Header({ snapshot, send }: PartProps): VNode {
  const { title, sort, filter, isToggled, filterLabel: label, toggleLabel } = snapshot;
  const arrange = (words: string, isOn: boolean): void =>
    send({ type: 'arrange', ...(sort && { sort }), filter: words, isToggled: isOn });
  return (
    <header>
      <div class={snapshot.isLoading ? 'busy on' : 'busy'} />
      <h1 tabindex={-1}>
        <ServerText>{title}</ServerText>
      </h1>
      <input
        id={filterId}
        type="search"
        placeholder={label}
        aria-label={label}
        defaultValue={filter}
        onInput={({ currentTarget }) => arrange(currentTarget.value, isToggled)}
      />
      {toggleLabel !== undefined && (
        <Toggle label={toggleLabel} isOn={isToggled} onChange={(isOn) => arrange(filter, isOn)} />
      )}
      <Count snapshot={snapshot} send={send} />
    </header>
  );
}

interface ToggleProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

function Toggle({ label, isOn, onChange }: ToggleProps): VNode {
  const change = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }): void =>
    onChange(currentTarget.checked);
  return (
    <label class="only">
      <input type="checkbox" aria-label={label} checked={isOn} onChange={change} />
      {label}
    </label>
  );
}

function Count({ snapshot, send }: PartProps): VNode {
  const { format } = usePage();
  const { isLoading, mayHaveMore, remarks } = snapshot;
  const hasFailed = remarks.some(({ kind }) => kind === 'error');
  return (
    <p class="count">
      {formatCount(snapshot, format)}
      {isLoading && (
        <Button kind="link" onClick={() => send({ type: 'stop' })}>
          {l10n.t('Stop')}
        </Button>
      )}
      {!isLoading && mayHaveMore && !hasFailed && (
        <Button kind="link" onClick={() => send({ type: 'more' })}>
          {l10n.t('Load All')}
        </Button>
      )}
    </p>
  );
}

function formatShare({ shown, total, unit }: TableSnapshot, format: Format): string {
  return l10n.t('{0} of {1}', format.number(shown), formatTotal(total, unit, format));
}

function formatTotal(total: number, unit: TableSnapshot['unit'], format: Format): string {
  return unit === 'file' ? format.plural(total, '{0} file', '{0} files') : format.plural(total, '{0} row', '{0} rows');
}

function formatCount(snapshot: TableSnapshot, format: Format): string {
  const { shown, total, unit, isLoading, mayHaveMore } = snapshot;
  const [some, all] = [format.number(shown), format.number(total)];
  if (isLoading) return shown === total ? l10n.t('Loading… {0}', all) : l10n.t('Loading… {0} of {1}', some, all);
  if (shown !== total) return formatShare(snapshot, format);
  return mayHaveMore ? format.plural(total, '{0}+ files', '{0}+ files') : formatTotal(total, unit, format);
}

function listNotes({ remarks, canRetry }: TableSnapshot): readonly Note<'more'>[] {
  const retry = filterActions([canRetry && { intent: 'more' as const, label: l10n.t('Retry') }]);
  return remarks.map(({ kind, text }) => ({ key: text, kind, text, ...(kind === 'error' && { actions: retry }) }));
}

function Bar({ snapshot: { barText, barLabel, buttons }, send }: PartProps): VNode {
  return (
    <footer>
      <p>
        <ServerText>{barText}</ServerText>
      </p>
      <div class="buttons" role="group" aria-label={barLabel}>
        {buttons.map(({ type, label, isPrimary }) => (
          <Button key={type} {...(isPrimary && { kind: 'primary' })} onClick={() => send({ type })}>
            {label}
          </Button>
        ))}
      </div>
    </footer>
  );
}
