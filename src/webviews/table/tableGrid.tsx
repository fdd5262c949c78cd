import * as l10n from '@vscode/l10n';
import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import {
  getArrangementId,
  type ShownColumn,
  type ShownRow,
  type TableIntent,
  type TableSnapshot,
} from '../messages/tableMessages.ts';
import { usePage } from '../shared/pageContext.ts';
import { toVisibleText } from '../shared/text.ts';
import {
  findRow,
  getWidths,
  getRange,
  getScrollTop,
  moveActive,
  rowHeight,
  takeMissingChunks,
  toggleSort,
  type RowRange,
  type TableState,
} from './tableState.ts';

interface GridProps {
  readonly state: TableState;
  readonly send: (intent: TableIntent) => void;
}

/** Renders the table. Only the visible rows exist in the page. */
export function TableGrid({ state, send }: GridProps): VNode {
  const { snapshot } = state;
  const grid = useRef<HTMLDivElement>(null);
  const [active, setActive] = useActiveRow(snapshot);
  const range = useVisibleRows(grid, state, send);
  const moveTo = (index: number): void => {
    setActive(index);
    if (grid.current) grid.current.scrollTop = getScrollTop(index, grid.current.scrollTop, getBodyHeight(grid.current));
  };
  const widths = getWidths(snapshot);
  const isActiveDrawn = active >= range.first && active < range.end;
  return (
    <div
      ref={grid}
      class="scroller"
      role="grid"
      tabindex={0}
      aria-label={snapshot.title}
      aria-multiselectable={snapshot.hasChecks}
      aria-rowcount={snapshot.shown + 1}
      aria-colcount={snapshot.columns.length + (snapshot.hasChecks ? 1 : 0)}
      {...(isActiveDrawn && { 'aria-activedescendant': `row-${active}` })}
      onKeyDown={(event) => event.target === grid.current && handleKey(event, { state, active, moveTo, send })}
    >
      <div role="rowgroup" class="head" style={{ 'min-width': widths.total }}>
        <HeaderRow snapshot={snapshot} columnWidths={widths.columns} send={send} />
      </div>
      <div class="rows" style={{ 'min-width': widths.total, height: `${snapshot.shown * rowHeight}px` }}>
        <Rows
          state={state}
          range={range}
          active={active}
          columnWidths={widths.columns}
          onFocus={setActive}
          send={send}
        />
      </div>
    </div>
  );
}

interface RowsProps extends GridProps {
  readonly range: RowRange;
  readonly active: number;
  readonly columnWidths: string;
  readonly onFocus: (index: number) => void;
}

function Rows({ state, range, active, columnWidths, onFocus, send }: RowsProps): VNode {
  const { columns, hasChecks } = state.snapshot;
  const shared = { columns, hasChecks, columnWidths, onFocus, send };
  return (
    <div role="rowgroup" class="window" style={{ top: `${range.first * rowHeight}px` }}>
      {listPositions(range).map((index) => (
        <Row key={index} index={index} row={findRow(state, index)} isActive={index === active} {...shared} />
      ))}
    </div>
  );
}

interface KeyContext extends GridProps {
  readonly active: number;
  readonly moveTo: (index: number) => void;
}

function handleKey(event: KeyboardEvent & { readonly currentTarget: HTMLElement }, context: KeyContext): void {
  const { state, active, moveTo, send } = context;
  const { key } = event;
  const pageRows = Math.floor(getBodyHeight(event.currentTarget) / rowHeight);
  const target = moveActive(key, active, state.snapshot.shown, pageRows);
  const intent = toIntent(event, active, findRow(state, active));
  if (target !== undefined) moveTo(target);
  else if (intent) send(intent);
  else return;
  event.preventDefault();
  // The editor would run its own command for the key.
  event.stopPropagation();
}

function toIntent(
  { key: pressed, ctrlKey, metaKey }: KeyboardEvent,
  index: number,
  row: ShownRow | undefined,
): TableIntent | undefined {
  if (pressed === 'a' && (ctrlKey || metaKey)) return { type: 'checkShown', isChecked: true };
  if (!row) return undefined;
  const { key, isChecked } = row;
  if (pressed === ' ' && isChecked !== undefined) return { type: 'check', index, key, isChecked: !isChecked };
  return pressed === 'Enter' ? { type: 'open', index, key } : undefined;
}

function useActiveRow(snapshot: TableSnapshot): [number, (index: number) => void] {
  const { active: given, shown } = snapshot;
  const [active, setActive] = useState(given);
  useEffect(() => setActive(given), [getArrangementId(snapshot)]);
  return [Math.max(0, Math.min(active, shown - 1)), setActive];
}

interface ElementRef {
  readonly current: HTMLElement | null;
}

function useVisibleRows(grid: ElementRef, state: TableState, send: GridProps['send']): RowRange {
  const { shown } = state.snapshot;
  const { scrollTop, height } = usePlace(grid);
  const requested = useRef(new Map<number, number>());
  const range = getRange(scrollTop, height, shown);
  useLayoutEffect(() => {
    for (const chunk of takeMissingChunks(state, range, requested.current)) send({ type: 'rows', chunk });
  });
  return range;
}

interface Place {
  readonly scrollTop: number;
  readonly height: number;
}

function usePlace(grid: ElementRef): Place {
  const [place, setPlace] = useState<Place>({ scrollTop: 0, height: 0 });
  useLayoutEffect(() => {
    const { current } = grid;
    return current ? watchPlace(current, setPlace) : undefined;
  }, []);
  return place;
}

function watchPlace(element: HTMLElement, onChange: (place: Place) => void): () => void {
  const measure = (): void => onChange({ scrollTop: element.scrollTop, height: element.clientHeight });
  const observer = new ResizeObserver(measure);
  observer.observe(element);
  element.addEventListener('scroll', measure, { passive: true });
  measure();
  return () => {
    observer.disconnect();
    element.removeEventListener('scroll', measure);
  };
}

function getBodyHeight({ clientHeight }: HTMLElement): number {
  return clientHeight - rowHeight;
}

function listPositions({ first, end }: RowRange): readonly number[] {
  return Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index);
}

interface HeaderProps {
  readonly snapshot: TableSnapshot;
  readonly columnWidths: string;
  readonly send: (intent: TableIntent) => void;
}

function HeaderRow({ snapshot, columnWidths, send }: HeaderProps): VNode {
  return (
    <div role="row" aria-rowindex={1} class="row" style={{ 'grid-template-columns': columnWidths }}>
      {snapshot.hasChecks && (
        <div role="columnheader" class="cell">
          <CheckAll snapshot={snapshot} send={send} />
        </div>
      )}
      {snapshot.columns.map((column) => (
        <ColumnHeader key={column.id} column={column} snapshot={snapshot} send={send} />
      ))}
    </div>
  );
}

interface ColumnHeaderProps extends CheckAllProps {
  readonly column: ShownColumn;
}

function ColumnHeader({ column, snapshot: { sort, filter, isToggled }, send }: ColumnHeaderProps): VNode {
  const own = sort?.column === column.id ? sort : undefined;
  const arrange = (): void => send({ type: 'arrange', sort: toggleSort(sort, column), filter, isToggled });
  return (
    <div role="columnheader" class={`cell ${column.kind}`} aria-sort={own ? getSortName(own) : 'none'}>
      <button type="button" onClick={arrange}>
        {toVisibleText(column.label)}
        {own && <span aria-hidden="true"> {own.isDescending ? '↓' : '↑'}</span>}
      </button>
    </div>
  );
}

function getSortName({ isDescending }: NonNullable<TableSnapshot['sort']>): 'ascending' | 'descending' {
  return isDescending ? 'descending' : 'ascending';
}

interface CheckAllProps {
  readonly snapshot: TableSnapshot;
  readonly send: (intent: TableIntent) => void;
}

function CheckAll({ snapshot, send }: CheckAllProps): VNode {
  const { shownCheckable, shownChecked } = snapshot;
  const isAll = shownCheckable > 0 && shownChecked === shownCheckable;
  return (
    <button
      type="button"
      role="checkbox"
      aria-checked={shownChecked > 0 && !isAll ? 'mixed' : isAll}
      aria-label={l10n.t('Check all shown files')}
      onClick={() => send({ type: 'checkShown', isChecked: !isAll })}
    >
      <CheckBox mark={isAll ? '✓' : shownChecked > 0 ? '–' : ''} />
    </button>
  );
}

function CheckBox({ mark }: { readonly mark: string }): VNode {
  return (
    <span class="box" aria-hidden="true">
      {mark}
    </span>
  );
}

interface RowProps {
  readonly index: number;
  readonly row: ShownRow | undefined;
  readonly columns: readonly ShownColumn[];
  readonly hasChecks: boolean;
  readonly columnWidths: string;
  readonly isActive: boolean;
  readonly onFocus: (index: number) => void;
  readonly send: (intent: TableIntent) => void;
}

function Row({ index, row, columns, hasChecks, columnWidths, isActive, onFocus, send }: RowProps): VNode {
  const isChecked = row?.isChecked;
  const toggle = (): void => row && send({ type: 'check', index, key: row.key, isChecked: !isChecked });
  const open = (): void => row && send({ type: 'open', index, key: row.key });
  return (
    <div
      id={`row-${index}`}
      role="row"
      aria-rowindex={index + 2}
      {...(hasChecks && { 'aria-selected': isChecked ?? false })}
      class={isActive ? 'row active' : 'row'}
      style={{ 'grid-template-columns': columnWidths }}
      onMouseDown={() => onFocus(index)}
    >
      {hasChecks && <CheckCell isChecked={isChecked} onToggle={toggle} />}
      {columns.map(({ id, kind }, position) => (
        <Cell key={id} kind={kind} content={row?.cells[position] ?? ''} onOpen={open} />
      ))}
    </div>
  );
}

interface CheckCellProps {
  readonly isChecked: boolean | undefined;
  readonly onToggle: () => void;
}

function CheckCell({ isChecked, onToggle }: CheckCellProps): VNode {
  if (isChecked === undefined) return <div role="gridcell" class="cell" />;
  return (
    <div role="gridcell" class="cell check" onClick={onToggle}>
      <CheckBox mark={isChecked ? '✓' : ''} />
    </div>
  );
}

interface CellProps {
  readonly kind: ShownColumn['kind'];
  readonly content: string | number;
  readonly onOpen: () => void;
}

function Cell({ kind, content, onOpen }: CellProps): VNode {
  const { format } = usePage();
  const [text, exact] =
    typeof content === 'number' ? [format.size(content), format.exactSize(content)] : [toVisibleText(content)];
  return (
    <div role="gridcell" class={`cell ${kind}`} title={exact ?? text} onDblClick={onOpen}>
      <bdi>{text}</bdi>
    </div>
  );
}
