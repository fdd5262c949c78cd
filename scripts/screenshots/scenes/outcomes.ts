import { mkdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import {
  askTransfer,
  check,
  connect,
  openPage,
  refresh,
  search,
  seeRow,
  serviceName,
  tidy,
  transfer,
} from '../hands.ts';
import { scene, type State } from '../scene.ts';

const partial: readonly State[] = [
  {
    name: 'notice-partial',
    steps: async (stage) => {
      await connect(stage);
      await search(stage, 'Vega Datasets', 'flights');
      await check(stage, 'flights-2k.json', 'flights-5k.json');
      await transfer(stage, 'Archive');
      stage.service.become('Archive', { status: 'succeeded', count: 0, message: 'completed successfully' });
      await refresh(stage);
      await stage.window.notifications.wait('Completed: 0 of 2 files transferred to Archive.');
      await stage.window.statusBar('0 of 2 files transferred');
    },
  },
  {
    name: 'transfers-partial',
    steps: async (stage) => {
      await tidy(stage);
      await (await stage.transfers.row('Finished')).expand();
      await seeRow(stage.transfers, '0 of 2 files to Archive', 'completed: 0 of 2 files transferred');
    },
  },
  { name: 'page-partial', steps: (stage) => openPage(stage, 'Archive') },
  {
    name: 'databases-not-responding',
    steps: async (stage) => {
      await stage.service.http.stop();
      await stage.databases.action('Refresh Databases');
      await seeRow(stage.databases, serviceName, 'not responding');
    },
  },
];

/** Destination of the paused transfer; missing while the scene needs that. */
const archive = join(tmpdir(), 'Local Archive');

const paused: readonly State[] = [
  {
    name: 'question-stop-local-service',
    steps: async (stage) => {
      await rm(archive, { recursive: true, force: true });
      await mkdir(archive, { recursive: true });
      const { window, databases, transfers } = stage;
      await window.command('Data Transfer: Start Local Service');
      await seeRow(databases, 'Sample Data');
      await window.command('Data Transfer: Serve a Folder as a Database…');
      await window.quickInput.type(`${archive}/`, 'Serve a Folder as a Database');
      await window.quickInput.accept();
      await window.input(basename(archive), /Name of the database/);
      await seeRow(databases, basename(archive));
      await search(stage, 'Research', 'assembly');
      await check(stage, 'assembly.json');
      await rename(archive, `${archive} (away)`);
      await askTransfer(stage, basename(archive));
      await window.notifications.answer('Transfer');
      await seeRow(transfers, `to ${basename(archive)}`);
      await window.command('Data Transfer: Stop Local Service');
      await window.notifications.dialog();
    },
  },
  {
    name: 'transfers-paused',
    steps: async ({ window, transfers }) => {
      await window.notifications.answer('Stop Local Service');
      await seeRow(transfers, `to ${basename(archive)}`, 'paused: the local service is stopped');
      await window.statusBar('1 transfer paused');
      await window.notifications.wait('The local service is stopped. 1 transfer is paused.');
    },
  },
  {
    name: 'page-paused',
    steps: async (stage) => {
      await tidy(stage);
      await openPage(stage, basename(archive));
      await rm(`${archive} (away)`, { recursive: true, force: true });
    },
  },
];

/** Transfers that ended without all their files, and a service that does not respond. */
export const outcomes = scene('outcomes', { connections: [serviceName] }, partial);

/** A transfer of the local service, which is stopped meanwhile. */
export const pausedTransfers = scene('paused', { connections: [serviceName] }, paused);
