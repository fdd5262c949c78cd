import * as l10n from '@vscode/l10n';
import type { VNode } from 'preact';
import type { PageFileStates, PageTransfer } from '../messages/transferMessages.ts';
import { Icon, Section, ServerText, type IconName } from '../shared/elements.tsx';
import { shortenText } from '../shared/text.ts';

type FileRow = PageFileStates['rows'][number];

const icons: Readonly<Record<FileRow['look'], IconName>> = {
  failed: 'cross',
  running: 'running',
  waiting: 'clock',
  stopped: 'stop',
  transferred: 'check',
};

const maxPathLength = 500;
const maxProblemLength = 1000;

/** Renders the first files that weren't transferred, with their states, and the number of files in each state. */
export function FileStatesSection({ transfer }: { readonly transfer: PageTransfer }): VNode | null {
  const { fileStates, ended } = transfer;
  if (fileStates === undefined) return null;
  const { summary, rows, more } = fileStates;
  return (
    <Section name="fileStates" heading={ended ? l10n.t('Files not transferred') : l10n.t('Files not transferred yet')}>
      <p class="summary">{summary}</p>
      <ul class="states">
        {rows.map((row) => (
          <StateRow row={row} />
        ))}
      </ul>
      {more !== undefined && <p class="more">{more}</p>}
    </Section>
  );
}

function StateRow({ row }: { readonly row: FileRow }): VNode {
  const { path, look, state, size, problem } = row;
  return (
    <li class={look}>
      <Icon name={icons[look]} />
      <span class="name">
        <ServerText>{shortenText(path, maxPathLength)}</ServerText>
        {problem !== undefined && (
          <span class="problem">
            <ServerText>{shortenText(problem, maxProblemLength)}</ServerText>
          </span>
        )}
      </span>
      <span class="word">{size === undefined ? state : `${state} · ${size}`}</span>
    </li>
  );
}
