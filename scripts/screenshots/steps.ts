import { glob, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Frame } from 'playwright-core';
import { fillTransfer } from '../../test/support/editor/journeySteps.ts';
import { readLocalService } from '../../test/support/editor/localServices.ts';
import { journeyKey } from '../../test/support/editor/preparedEditor.ts';
import type { TreeRow } from '../../test/support/editor/treeRow.ts';
import type { TreeView } from '../../test/support/editor/treeView.ts';
import { until } from '../../test/support/editor/until.ts';
import { dropBeforeAnswer, json, problem, silence } from '../../test/support/faultBehaviors.ts';
import { openCopiedLink } from './copiedLink.ts';
import { dragSideBar } from './layouts.ts';
import { loseFiles, refuseSearches, repeatFiles } from './oddReplies.ts';
import { writePastTransfers } from './pastTransfers.ts';
import { toId } from './screenshotService.ts';
import { proposeTransfer } from './proposedTransfers.ts';
import { waitForPage } from './shownPage.ts';
import type { Stage } from './stage.ts';

/** Performs a step, with the arguments from the scene. */
export type Action = (stage: Stage, ...args: readonly string[]) => unknown;

/** The folder of the database "Local Archive", which becomes unavailable during a transfer to it. */
const archive = join(tmpdir(), 'Local Archive');
/** Seconds by which the clock advances between polls of one service: more than the window's own delay between polls. */
const gap = 0.25;
/** The real time, in milliseconds, after which {@link passUntil} advances the clock by another second. */
const passMs = 250;

/** Returns a regular expression for a string of the form `/x/`; otherwise, the string itself. */
function toPattern(text: string): string | RegExp {
  const [, source, flags] = /^\/(.+)\/(i?)$/.exec(text) ?? [];
  return source === undefined ? text : new RegExp(source, flags);
}

function tree({ window }: Stage, view: string): TreeView {
  return window.tree(view === 'Results' ? 'Search Results' : view);
}

function row(stage: Stage, view: string, label: string): Promise<TreeRow> {
  return tree(stage, view).row(toPattern(label));
}

function see(stage: Stage, view: string, label: string, description = ''): Promise<void> {
  return tree(stage, view).see(toPattern(label), toPattern(description));
}

function openPage({ window }: Stage): Promise<Frame> {
  return window.pageFrame(/./);
}

function seePage({ window }: Stage, title: string, text?: string): Promise<true> {
  return waitForPage(window, toPattern(title), text);
}

async function waitForError({ window }: Stage): Promise<void> {
  await until('an error in the input', async () => (await window.quickInput.wait()).severity === 'error' || undefined);
}

/** Closes inputs, dialogs and notifications. */
async function closePrompts({ window }: Stage): Promise<void> {
  await window.press('Escape', 'Escape');
  await window.notifications.clear();
}

async function openSearchSteps({ window }: Stage, database: string, words = ''): Promise<void> {
  await window.command('Data Transfer: Search Files with Filters…');
  await window.pick(database, '1/3');
  await window.input(words, '2/3');
}

/** Selects the checkboxes of those files that aren't checked yet. */
async function check(stage: Stage, ...names: readonly string[]): Promise<void> {
  const results = tree(stage, 'Results');
  for (const name of names)
    await until(`${name} to be checked`, async () => {
      if ((await results.rows()).some(({ label, isChecked }) => label === name && isChecked)) return true;
      await (await results.row(name)).toggleCheck();
      return undefined;
    });
}

/** Selects a range of files, with a click and a Shift-click. */
async function select(stage: Stage, ...[first = '', last = '']: readonly string[]): Promise<void> {
  await (await row(stage, 'Results', first)).click();
  await stage.window.page.keyboard.down('Shift');
  await (await row(stage, 'Results', last)).click();
  await stage.window.page.keyboard.up('Shift');
}

/** Advances the clock until a row is shown. */
async function passUntil(stage: Stage, ...[view = '', label = '', description = '']: readonly string[]): Promise<void> {
  const seen = see(stage, view, label, description).then(() => true);
  while (!(await Promise.race([seen, pause(passMs)]))) stage.clock.pass(1);
}

async function openTransferSteps({ window }: Stage, destination: string, description?: string): Promise<void> {
  await window.command('Data Transfer: Transfer Checked Files…');
  await fillTransfer(window, destination, description);
}

/** Confirms a transfer in its summary. */
async function submit(stage: Stage): Promise<void> {
  await stage.window.notifications.answer('Transfer');
  const results = tree(stage, 'Results');
  await until('no checked files', async () => (await results.description()) === '' || undefined);
  await until('no checkboxes', async () => !(await results.rows()).some(({ isChecked }) => isChecked) || undefined);
}

/** Changes the status that the service reports for all transfers to a destination. */
function become(
  { service }: Stage,
  ...[destination = '', status, moved = '0', message, count]: readonly string[]
): void {
  for (const transfer of service.transfers.values())
    if (transfer.destination === toId(destination)) {
      const counts = { num_files: Number(count ?? transfer.num_files), num_files_transferred: Number(moved) };
      Object.assign(transfer, { status, message, ...counts });
    }
}

/** Refreshes until the window has polled every running transfer; advances the clock as far as necessary. */
async function refresh(stage: Stage): Promise<void> {
  const { service, clock } = stage;
  const running = [...service.transfers].filter(([id]) => !service.ended.has(id));
  const listPolls = (): readonly string[] => service.http.requestsTo('GET /api/v1/transfers/*').map(({ path }) => path);
  const before = listPolls().length;
  let polled = 0;
  clock.pass(gap);
  await tree(stage, 'Transfers').action('Refresh Transfers');
  await until('all transfers to be polled', async () => {
    const { size } = new Set(listPolls().slice(before));
    if (size > polled) clock.pass(gap);
    polled = size;
    return polled === running.length || undefined;
  });
  clock.passToSecond();
  for (const [id, { status }] of running) if (/succeeded|failed/.test(status)) service.ended.add(id);
}

/** Refreshes while the service fails, and waits until the transfer to `destination` is shown as outdated. */
async function refreshOutdated(stage: Stage, destination: string): Promise<void> {
  await tree(stage, 'Transfers').action('Refresh Transfers');
  await until('an old status', async () => {
    stage.clock.pass(1);
    const rows = await tree(stage, 'Transfers').rows();
    return rows.some((one) => one.label.includes(destination) && one.description.includes('as of')) || undefined;
  });
}

/** Stops the local service, as another window might. */
async function endLocalService({ editor }: Stage): Promise<void> {
  const service = await readLocalService(editor.dataFolder);
  const headers = { authorization: `Bearer ${service?.sharingToken ?? ''}` };
  await fetch(new URL('/service', service?.address), { method: 'DELETE', headers });
}

/** Deletes a file from the local service's folder "Received Files". */
async function loseReceived({ editor }: Stage, name = ''): Promise<void> {
  for await (const file of glob(`**/dts-*/**/${name}`, { cwd: editor.dataFolder }))
    await rm(join(editor.dataFolder, file));
}

/** The steps that scenes consist of. */
export const actions: Readonly<Record<string, Action>> = {
  command: ({ window }, title) => window.command(title),
  run: ({ window }, title) => window.command(`Data Transfer: ${title}`),
  press: ({ window }, ...keys) => window.press(...keys),
  closePrompts,
  text: ({ window }, text) => window.page.getByText(text).first().waitFor(),
  gone: ({ window }, text) => window.page.getByText(text).first().waitFor({ state: 'hidden' }),
  narrow: (stage) => dragSideBar(stage),
  clickRow: ({ window }, label) => window.quickInput.clickRow(toPattern(label)),
  pick: ({ window }, label, step) => window.pick(toPattern(label), step),
  input: ({ window }, text, step) => window.input(text, step),
  type: ({ window }, text, step) => window.quickInput.type(text, step),
  accept: ({ window }) => window.quickInput.accept(),
  prompt: ({ window }, step) => window.quickInput.wait(step),
  rejected: waitForError,
  mistype: async (stage, text, step) => {
    await stage.window.quickInput.type(text, step);
    await waitForError(stage);
  },
  notification: ({ window }, text) => window.notifications.wait(text),
  pressNotification: ({ window }, text, button) => window.notifications.press(text, button),
  dialog: ({ window }) => window.notifications.dialog(),
  answer: ({ window }, button) => window.notifications.answer(button),
  status: ({ window }, text) => window.statusBar(text),
  clickStatus: ({ window }, text) => window.clickStatusBar(text),
  hoverStatus: (stage, text) => (stage.hover = () => stage.window.statusBarTooltip(text)),
  see,
  find: row,
  welcome: (stage, view) => tree(stage, view).welcome(),
  followWelcome: (stage, view, link) => tree(stage, view).welcomeLink(link),
  pressTitle: (stage, view, button) => tree(stage, view).action(button),
  click: async (stage, view, label) => (await row(stage, view, label)).click(),
  expand: async (stage, view, label) => (await row(stage, view, label)).expand(),
  collapse: async (stage, view, label) => (await row(stage, view, label)).collapse(),
  pressRow: async (stage, view, label, button) => (await row(stage, view, label)).action(button),
  menu: async (stage, view, label, entry) => (await row(stage, view, label)).menu(entry),
  submenu: async (stage, view, label, entry = '') => (await row(stage, view, label)).submenu('Share', entry),
  openShare: async (stage, view, label, entry = '', title = 'Share') =>
    (await row(stage, view, label)).openSubmenu(title, entry),
  openMenu: async (stage, view, label, entry = '') => (await row(stage, view, label)).openMenu(entry),
  saveAs: ({ editor, window }, name = '', step = '') => window.quickInput.saveAs(join(editor.workspace, name), step),
  writeFile: ({ editor }, name = '', text = '') => writeFile(join(editor.workspace, name), text),
  openCopiedLink,
  paste: async ({ window }) => {
    await window.command('File: New Untitled Text File');
    await window.press('Control+V', 'Alt+Z');
  },
  hover: (stage, view, label) => (stage.hover = async () => (await row(stage, view, label)).tooltip()),

  page: seePage,
  pressPage: async (stage, name) => (await openPage(stage)).getByRole('button', { name }).click(),
  waitForBusyPage: async (stage) => (await openPage(stage)).locator('.busy.on').waitFor({ state: 'attached' }),
  scrollToEnd: async (stage) => (await openPage(stage)).evaluate('scrollTo(0, document.body.scrollHeight)'),
  scrollTo: async (stage, name = '') => {
    const heading = (await openPage(stage)).getByRole('heading', { name, exact: true });
    await heading.evaluate((element: { scrollIntoView: (place: object) => void }) => {
      element.scrollIntoView({ block: 'center' });
    });
  },
  openFile: async (stage, label, text) => {
    await (await row(stage, 'Results', label)).click();
    await seePage(stage, '/./', text);
  },
  openTransfer: async (stage, destination) => {
    await (await row(stage, 'Transfers', `/→ ${destination}$/`)).click();
    await seePage(stage, `/${destination}/`);
  },

  connect: async ({ window }, name) => {
    await window.command('Data Transfer: Switch Connection…');
    await window.pick(name, 'Select a service to connect to');
  },
  askKey: async ({ window, service }) => {
    await window.command('Data Transfer: Connect to a Service…');
    await window.input(service.http.address, '1/3');
    await window.input(journeyKey.value, '2/3');
  },
  askSearch: openSearchSteps,
  search: async (stage, database, words = '', found = '/^\\d[\\d,]*\\+? ·/') => {
    await openSearchSteps(stage, database, words);
    await stage.window.pick('Search', '3/3');
    await see(stage, 'Results', words || 'All files', found);
  },
  searchAll: async ({ window }) => {
    await window.command('Data Transfer: Search All Databases…');
    await window.input('weather', 'leave empty to list all files');
  },
  askIds: async ({ window }) => {
    await window.command('Data Transfer: Find Files by ID…');
    await window.pick('Observatory Archive', 'Select the database that contains the files');
  },
  clear: async (stage) => {
    await stage.window.command('Data Transfer: Clear Results');
    await closePrompts(stage);
  },
  check,
  toggle: async (stage, view, label) => (await row(stage, view, label)).toggleCheck(),
  select,
  askTransfer: openTransferSteps,
  submit,
  transfer: async (stage, destination, description) => {
    await openTransferSteps(stage, destination, description);
    await submit(stage);
    await see(stage, 'Transfers', `→ ${destination.slice(0, 12)}`);
  },
  pastTransfers: writePastTransfers,
  propose: proposeTransfer,
  reload: async ({ window }) => {
    await window.reloadNow();
    await window.tree('Databases').see('Vega Datasets');
  },
  passUntil,
  pass: ({ clock }, seconds) => clock.pass(Number(seconds)),
  become,
  refresh,
  refreshOutdated,
  progress: async (stage, destination, moved, shown) => {
    become(stage, destination, 'active', moved);
    await refresh(stage);
    await see(stage, 'Transfers', `→ ${destination}`, shown);
  },

  silence: ({ service }, route) => service.http.on(route, silence()),
  drop: ({ service }, route) => service.http.on(route, dropBeforeAnswer()),
  fail: ({ service }, route, status, detail) => service.http.on(route, problem(Number(status), detail)),
  reply: ({ service }, route, body) => service.http.on(route, json(JSON.parse(body))),
  refuseSearches: ({ service }) => service.http.on('POST /api/v1/files', refuseSearches),
  repeatFiles: ({ service }) => service.http.on('POST /api/v1/files', repeatFiles),
  loseIds: ({ service }) => service.http.on('POST /api/v1/files/by-id', loseFiles),
  recover: ({ service }) => service.recover(),
  stopService: ({ service }) => service.http.stop(),
  startService: ({ service }) => service.http.startAgain(),
  endLocalService,
  serveArchive: async ({ window }, name = basename(archive)) => {
    await rm(archive, { recursive: true, force: true });
    await mkdir(archive);
    await window.command('Data Transfer: Serve a Folder as a Database…');
    await window.quickInput.pickFolder(`${archive}/`, ['..'], 'Serve a Folder as a Database');
    await window.input(name, 'Database name for');
  },
  loseReceived,
  removeArchive: () => rm(archive, { recursive: true }),
};
