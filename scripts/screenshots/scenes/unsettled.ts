import { dropBeforeAnswer, problem } from '../../../test/support/faultBehaviours.ts';
import { askTransfer, check, connect, openPage, search, seePage, seeRow, serviceName, tidy } from '../hands.ts';
import { longDestination } from '../pictureData.ts';
import { elsewhere } from '../pictureService.ts';
import { scene, type State } from '../scene.ts';

const unsettledStates: readonly State[] = [
  {
    name: 'notice-refused',
    steps: async (stage) => {
      await connect(stage);
      await search(stage, 'Vega Datasets', 'flights');
      stage.service.http.on('POST /api/v1/transfers', problem(403, 'Files of this database may not leave it.'));
      await check(stage, 'flights-20k.json');
      await askTransfer(stage, 'Archive');
      await stage.window.notifications.answer('Transfer');
      await stage.window.notifications.wait('may not leave it');
    },
  },
  {
    name: 'notice-not-confirmed',
    steps: async (stage) => {
      await tidy(stage);
      stage.service.http.on('POST /api/v1/transfers', dropBeforeAnswer());
      await askTransfer(stage, 'Scratch');
      await stage.window.notifications.answer('Transfer');
      await stage.window.notifications.wait('It is not known whether');
    },
  },
  {
    name: 'page-not-confirmed',
    steps: async (stage) => {
      await tidy(stage);
      await openPage(stage, 'Scratch');
    },
  },
  {
    name: 'transfer-id',
    steps: async ({ window }) => {
      await window.command('Data Transfer: Check a Transfer by Id…');
      await window.quickInput.type(elsewhere.id, 'The id that');
    },
  },
  {
    name: 'page-elsewhere',
    steps: async ({ window, transfers }) => {
      await window.quickInput.accept();
      await seeRow(transfers, '40 files (started elsewhere)', 'active');
      await seePage(window, 'Transfer started elsewhere');
    },
  },
  {
    name: 'page-long-destination',
    steps: async (stage) => {
      stage.service.acceptTransfers();
      await check(stage, 'flights-20k.json');
      await askTransfer(stage, longDestination);
      await stage.window.notifications.answer('Transfer');
      await (await stage.transfers.row(/to Long-Term/)).click();
      await seePage(stage.window, /Long-Term/);
    },
  },
  {
    name: 'transfers-key-refused',
    steps: async (stage) => {
      stage.service.failQuestions('this key is not accepted', 401);
      stage.clock.pass({ minutes: 1 });
      await stage.transfers.action('Refresh Transfers');
      const page = await stage.window.pageFrame(/Long-Term/);
      await page.getByText('the service rejected the API key').first().waitFor();
    },
  },
  { name: 'transfers-narrow', steps: (stage) => stage.narrow() },
  {
    name: 'status-not-connected',
    steps: async ({ window }) => {
      await window.command('Data Transfer: Disconnect');
      await window.statusBar('not connected');
    },
  },
];

/** Transfers that were refused, never confirmed, or began elsewhere. */
export const unsettled = scene('unsettled transfers', { connections: [serviceName] }, unsettledStates);
