import { until } from '../../test/support/editor/until.ts';
import type { StepMatch } from '../../test/support/editor/quickInput.ts';
import type { TreeView } from '../../test/support/editor/treeView.ts';
import type { EditorWindow } from '../../test/support/editor/window.ts';
import type { PictureStatus } from './pictureService.ts';
import type { Stage } from './stage.ts';

/** What the saved service of most stages is called. */
export const serviceName = 'Research Data Service';

const waitMs = 30_000;

/** Waits for a row whose label and description fit. */
export async function seeRow(tree: TreeView, label: string | RegExp, description: string | RegExp = ''): Promise<void> {
  const fits = (text: string, wanted: string | RegExp): boolean =>
    typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
  await tree.waitFor(
    `a row ${label} ${description}`,
    (rows) => rows.some((row) => fits(row.label, label) && fits(row.description, description)),
    waitMs,
  );
}

/** Opens a saved service. */
export async function connect({ window, databases }: Stage, name = serviceName): Promise<void> {
  await window.command('Data Transfer: Switch Connection…');
  await window.pick(name, 'Select a service to connect to');
  await seeRow(databases, 'Vega Datasets');
}

/** Goes through the steps of a search up to the last one. */
export async function askSearch({ window }: Stage, database: string, words: string): Promise<void> {
  await window.command('Data Transfer: Search Files…');
  await window.pick(database, /1\/3/);
  await window.input(words, /2\/3/);
}

/** Searches, and waits for what comes of it. */
export async function search(
  stage: Stage,
  database: string,
  words: string,
  outcome: RegExp = /\d\+? files?/,
): Promise<void> {
  await askSearch(stage, database, words);
  await stage.window.pick('Search', /3\/3/);
  await seeRow(stage.results, words === '' ? 'All files' : words, outcome);
}

/** Closes what is open over the editor: inputs, questions, notices. */
export async function tidy({ window }: Stage): Promise<void> {
  await window.press('Escape', 'Escape');
  if ((await window.notifications.all()).length > 0) await window.notifications.clear();
}

/** Waits for an input that shows an error. */
export async function seeError({ window }: Stage): Promise<void> {
  await until('an error in the input', async () =>
    (await window.quickInput.state())?.severity === 'error' ? true : undefined,
  );
}

/** Types what the input refuses. */
export async function mistype(stage: Stage, text: string, step: StepMatch): Promise<void> {
  await stage.window.quickInput.type(text, step);
  await seeError(stage);
}

/** Checks files; one that is checked already stays so. */
export async function check({ results }: Stage, ...names: readonly string[]): Promise<void> {
  for (const name of names)
    await until(`${name} to be checked`, async () => {
      if ((await results.rows()).some(({ label, isChecked }) => label === name && isChecked)) return true;
      await (await results.row(name)).toggleCheck();
      return undefined;
    });
}

/** Goes through the steps of a transfer up to the summary. */
export async function askTransfer({ window }: Stage, destination: string, description = ''): Promise<void> {
  await window.command('Data Transfer: Transfer Checked Files…');
  await window.pick(destination, /1\/4/);
  await window.input(description, /2\/4/);
  await window.pick('No instructions', /3\/4/);
  await window.notifications.dialog();
}

/** Transfers the checked files. */
export async function transfer(stage: Stage, destination: string, description?: string): Promise<void> {
  await askTransfer(stage, destination, description);
  await stage.window.notifications.answer('Transfer');
  await seeRow(stage.transfers, `to ${destination}`);
  await seeNothingChecked(stage);
}

/** Waits until the files that were submitted are no longer checked. */
export async function seeNothingChecked({ results }: Stage): Promise<void> {
  await until('no checked files', async () => ((await results.description()) === '' ? true : undefined));
}

/** Longer, in seconds, than a window lets pass between two questions to one service. */
const gap = 0.25;

/** The window asks for every transfer that runs, one after the other; the time moves on as much as that wants. */
export async function refresh({ service, clock, transfers }: Stage): Promise<void> {
  service.countQuestions();
  let left = service.unaskedCount;
  clock.pass({ seconds: gap });
  await transfers.action('Refresh Transfers');
  await until('all transfers to be asked for', async () => {
    const now = service.unaskedCount;
    if (now < left) clock.pass({ seconds: gap });
    left = now;
    return left === 0 ? true : undefined;
  });
  clock.passToSecond();
}

/** The service moves the transfers to a destination on, and the window learns of it. */
export async function become(
  stage: Stage,
  destination: string,
  status: PictureStatus,
  shown = status.status,
): Promise<void> {
  stage.service.become(destination, status);
  await refresh(stage);
  await seeRow(stage.transfers, `to ${destination}`, shown);
}

/** Opens the page of a transfer by its row. */
export async function openPage({ transfers, window }: Stage, destination: string): Promise<void> {
  await (await transfers.row(new RegExp(`to ${destination}$`))).click();
  await seePage(window, new RegExp(destination));
}

/** Waits until a page with this title has drawn itself. */
export async function seePage(window: EditorWindow, title: string | RegExp): Promise<void> {
  const page = await window.pageFrame(title);
  await page.getByRole('heading', { level: 1 }).waitFor();
}
