import * as l10n from '@vscode/l10n';
import type { VNode } from 'preact';
import {
  isTableHostMessage,
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
  getSubject: ({ snapshot: { search, sort, filter, checkedOnly } }) =>
    JSON.stringify([search, sort, filter, checkedOnly]),
  getSavedState: ({ snapshot: { search, sort, filter, checkedOnly, active } }) => ({
    search,
    sort,
    filter,
    checkedOnly,
    active,
  }),
  describeChange: ({ snapshot: before }, { snapshot: now }, format) => describeChange(before, now, format),
  isBusy: ({ snapshot }) => snapshot.isLoading,
  render: (state, send) => <TableScreen state={state} send={send} />,
};

function describeChange(before: TableSnapshot, now: TableSnapshot, format: Format): string | undefined {
  const isArranged = before.filter !== now.filter || before.checkedOnly !== now.checkedOnly;
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
  const { title, sort, filter, checkedOnly, search } = snapshot;
  const label = l10n.t('Filter by name or folder');
  const arrange = (words: string, isOnlyChecked: boolean): void =>
    send({ type: 'arrange', ...(sort && { sort }), filter: words, checkedOnly: isOnlyChecked });
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
        onInput={({ currentTarget }) => arrange(currentTarget.value, checkedOnly)}
      />
      {search !== undefined && <CheckedOnly isOn={checkedOnly} onChange={(isOn) => arrange(filter, isOn)} />}
      <Count snapshot={snapshot} send={send} />
    </header>
  );
}

interface CheckedOnlyProps {
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

function CheckedOnly({ isOn, onChange }: CheckedOnlyProps): VNode {
  const label = l10n.t('Checked only');
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
  const { isLoading, mayHaveMore, problem } = snapshot;
  return (
    <p class="count">
      {formatCount(snapshot, format)}
      {isLoading && (
        <Button kind="link" onClick={() => send({ type: 'stop' })}>
          {l10n.t('Stop')}
        </Button>
      )}
      {!isLoading && mayHaveMore && problem === undefined && (
        <Button kind="link" onClick={() => send({ type: 'more' })}>
          {l10n.t('Load All')}
        </Button>
      )}
    </p>
  );
}

function formatShare({ shown, total }: TableSnapshot, format: Format): string {
  return l10n.t('{0} of {1}', format.number(shown), format.plural(total, '{0} file', '{0} files'));
}

function formatCount(snapshot: TableSnapshot, format: Format): string {
  const { shown, total, isLoading, mayHaveMore } = snapshot;
  const [some, all] = [format.number(shown), format.number(total)];
  if (isLoading) return shown === total ? l10n.t('Loading… {0}', all) : l10n.t('Loading… {0} of {1}', some, all);
  if (shown !== total) return formatShare(snapshot, format);
  return mayHaveMore ? format.plural(total, '{0}+ files', '{0}+ files') : format.plural(total, '{0} file', '{0} files');
}

function listNotes({ problem, canRetry, omission }: TableSnapshot): readonly Note<'more'>[] {
  const retry = filterActions([canRetry && { intent: 'more' as const, label: l10n.t('Retry') }]);
  return [
    ...(problem === undefined ? [] : [{ key: 'problem', kind: 'error' as const, text: problem, actions: retry }]),
    ...(omission === undefined ? [] : [{ key: 'omission', kind: 'warning' as const, text: omission }]),
  ];
}

function Bar({ snapshot, send }: PartProps): VNode {
  const { checkedText, hasChecked, title, total } = snapshot;
  return (
    <footer>
      <p>{checkedText}</p>
      <div class="buttons" role="group" aria-label={hasChecked ? l10n.t('Checked files') : title}>
        {hasChecked && (
          <Button kind="primary" onClick={() => send({ type: 'transfer' })}>
            {l10n.t('Transfer…')}
          </Button>
        )}
        {(hasChecked || total > 0) && (
          <>
            <Button onClick={() => send({ type: 'cite' })}>{l10n.t('Cite…')}</Button>
            <Button onClick={() => send({ type: 'save' })}>{l10n.t('Save…')}</Button>
          </>
        )}
      </div>
    </footer>
  );
}
