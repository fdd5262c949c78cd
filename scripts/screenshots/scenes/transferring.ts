import {
  become,
  refresh,
  check,
  connect,
  mistype,
  openPage,
  search,
  seeNothingChecked,
  seeRow,
  serviceName,
  tidy,
  transfer,
} from '../hands.ts';
import { until } from '../../../test/support/editor/until.ts';
import { scene, type State } from '../scene.ts';
import type { Stage } from '../stage.ts';

const command = 'Data Transfer: Transfer Checked Files…';
const files = ['flights-2k.json', 'flights-5k.json'];

/** What a transfer asks. */
const steps: readonly State[] = [
  { name: 'transfers-none', steps: connect },
  {
    name: 'transfer-1-destination',
    steps: async (stage) => {
      await search(stage, 'Vega Datasets', 'flights');
      await check(stage, ...files);
      await stage.window.command(command);
      await stage.window.quickInput.wait(/1\/4/);
    },
  },
  {
    name: 'transfer-2-description',
    steps: async ({ window }) => {
      await window.pick('Lab Share');
      await window.quickInput.type('Flights for the **delay model**, see `notes.md`.', /2\/4/);
    },
  },
  {
    name: 'transfer-3-instructions',
    steps: async ({ window }) => {
      await window.quickInput.accept();
      await window.quickInput.wait(/3\/4/);
    },
  },
  {
    name: 'transfer-3-broken-file',
    steps: async ({ window }) => {
      await window.press('ArrowUp', 'Enter');
      await window.notifications.wait('broken.json is not JSON');
    },
  },
  {
    name: 'transfer-4-typed',
    steps: async (stage) => {
      await stage.window.pick('Type instructions as JSON…', /3\/4/);
      await mistype(stage, '{"type": assembly}', /4\/4/);
    },
  },
  {
    name: 'transfer-5-summary',
    steps: async ({ window }) => {
      await window.input('{"type": "assembly", "priority": "low"}');
      await window.notifications.dialog();
    },
  },
];

/** Sends a file to each of the other destinations. */
async function sendToAll(stage: Stage): Promise<void> {
  await stage.window.notifications.answer('Transfer');
  await seeNothingChecked(stage);
  await tidy(stage);
  for (const destination of ['Archive', 'Scratch', 'Cluster', 'Backup', 'Partner Site', 'Teaching']) {
    await check(stage, ...(destination === 'Archive' ? files : ['flights-20k.json']));
    await transfer(stage, destination);
    stage.clock.pass({ seconds: 7 });
  }
}

const running: readonly State[] = [
  {
    name: 'transfers-running',
    steps: async (stage) => {
      await sendToAll(stage);
      stage.service.become('Lab Share', { status: 'staging', message: 'Fetching 2 files from tape' });
      stage.service.become('Archive', { status: 'active', moved: 1 });
      stage.service.become('Scratch', { status: 'finalizing', moved: 1 });
      stage.service.become('Cluster', { status: 'inactive', message: 'The endpoint wants to be activated again' });
      stage.service.become('Backup', { status: 'unknown' });
      stage.service.become('Partner Site', { status: 'verifying', moved: 1 });
      stage.clock.pass({ seconds: 40 });
      await become(stage, 'Teaching', { status: 'active' });
      await seeRow(stage.transfers, 'to Lab Share', 'staging');
      await seeRow(stage.transfers, 'to Partner Site', 'verifying');
    },
  },
  {
    name: 'status-running',
    isPointerKept: true,
    steps: ({ window }) => window.statusBarTooltip('7 transfers'),
  },
  {
    name: 'status-running-list',
    steps: async ({ window }) => {
      await window.clickStatusBar('7 transfers');
      await window.quickInput.wait('Select a transfer to show its progress');
    },
  },
  {
    name: 'page-staging',
    steps: async (stage) => {
      await tidy(stage);
      await openPage(stage, 'Lab Share');
    },
  },
  ...['Archive', 'Scratch', 'Cluster', 'Backup', 'Partner Site'].map((destination, index) => ({
    name: `page-${['active', 'finalizing', 'inactive', 'unknown', 'own-word'][index]}`,
    steps: (stage: Stage) => openPage(stage, destination),
  })),
  {
    name: 'transfers-tooltip',
    isPointerKept: true,
    steps: async ({ transfers }) => (await transfers.row(/to Cluster/)).tooltip(),
  },
  {
    name: 'cancel-question',
    steps: async ({ transfers, window }) => {
      await (await transfers.row(/to Teaching/)).action('Cancel Transfer');
      await window.notifications.dialog();
    },
  },
  {
    name: 'page-cancelling',
    steps: async (stage) => {
      await stage.window.notifications.answer('Cancel Transfer');
      await seeRow(stage.transfers, 'to Teaching', 'cancelling');
      await openPage(stage, 'Teaching');
    },
  },
  {
    name: 'page-stalled',
    steps: async (stage) => {
      stage.clock.pass({ minutes: 45 });
      await become(stage, 'Archive', { status: 'active', moved: 1 }, 'no movement');
      await openPage(stage, 'Archive');
    },
  },
  {
    name: 'page-not-asked',
    steps: async (stage) => {
      stage.service.failQuestions('the monitor is down');
      stage.clock.pass({ minutes: 3 });
      await stage.transfers.action('Refresh Transfers');
      await until('questions for all', async () => {
        // There is a pause between two questions.
        stage.clock.pass({ seconds: 1 });
        const rows = await stage.transfers.rows();
        const site = rows.find(({ label }) => label.includes('to Partner Site'));
        return site?.description.includes('as of') ? site : undefined;
      });
      await openPage(stage, 'Partner Site');
    },
  },
];

const ended: readonly State[] = [
  {
    name: 'notice-succeeded',
    steps: async (stage) => {
      stage.service.answerQuestions();
      stage.clock.pass({ minutes: 6 });
      stage.service.become('Lab Share', { status: 'succeeded', moved: 2, message: 'Manifest written' });
      await refresh(stage);
      await stage.window.notifications.wait('Transferred 2 files to Lab Share');
    },
  },
  {
    name: 'notice-failed',
    steps: async (stage) => {
      await tidy(stage);
      const message = 'could not write flights-5k.json: no space is left on the device';
      stage.service.become('Archive', { status: 'failed', moved: 1, message });
      await refresh(stage);
      await stage.window.notifications.wait('no space is left');
    },
  },
  {
    name: 'notice-several',
    steps: async (stage) => {
      await tidy(stage);
      stage.service.become('Teaching', { status: 'failed', message: 'Transfer: canceled' });
      stage.service.become('Scratch', { status: 'succeeded', moved: 1 });
      for (const name of ['Cluster', 'Backup', 'Partner Site'])
        stage.service.become(name, { status: 'failed', moved: 0 });
      await refresh(stage);
      await stage.window.notifications.wait('transfers have failed');
    },
  },
  {
    name: 'transfers-ended',
    steps: async (stage) => {
      await tidy(stage);
      await (await stage.transfers.row('Finished')).expand();
      await seeRow(stage.transfers, 'to Teaching', 'cancelled');
      await stage.window.statusBar('failed');
    },
  },
  { name: 'page-succeeded', steps: (stage) => openPage(stage, 'Lab Share') },
  { name: 'page-failed', steps: (stage) => openPage(stage, 'Archive') },
  { name: 'page-cancelled', steps: (stage) => openPage(stage, 'Teaching') },
  {
    name: 'status-done',
    steps: async (stage) => {
      await check(stage, 'flights-20k.json');
      await transfer(stage, 'Lab Share');
      stage.service.become('Lab Share', { status: 'succeeded', moved: 1 });
      await refresh(stage);
      await stage.window.statusBar('Transfers done');
    },
  },
];

/** The whole life of transfers. */
export const transfers = scene('transfers', { connections: [serviceName] }, [...steps, ...running, ...ended]);
