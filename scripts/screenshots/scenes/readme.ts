import {
  become,
  refresh,
  check,
  connect,
  search,
  seeNothingChecked,
  seeRow,
  serviceName,
  tidy,
  transfer,
  askTransfer,
} from '../hands.ts';
import { scene, type State } from '../scene.ts';
import type { Stage } from '../stage.ts';

const description = 'Weather of Seattle for the **first look** at the model.';

/** Sends sixty files on their way, and lets them come in uneven steps. */
async function watchSixtyFiles(stage: Stage): Promise<void> {
  const { clock, results, transfers, window } = stage;
  await search(stage, 'Observatory Archive', 'run');
  await (await results.row('“run”')).menu('Check All Files');
  await window.pick('Check 60 loaded files; more may exist');
  await transfer(stage, 'Cluster', 'Night of the **1st of March**, for the reduction.');
  clock.pass({ seconds: 40 });
  await become(stage, 'Cluster', { status: 'active', moved: 0 });
  for (const moved of [6, 11, 19, 23, 24, 31, 40]) {
    clock.pass({ minutes: 3 + (moved % 3), seconds: moved });
    await become(stage, 'Cluster', { status: 'active', moved }, `${moved} of 60`);
  }
  await (await transfers.row('60 files to Cluster')).click();
  const page = await window.pageFrame(/Cluster/);
  await page.getByText('40 of 60 files').first().waitFor();
}

const readmeStates: readonly State[] = [
  {
    name: 'metadata',
    theme: 'dark',
    steps: async (stage) => {
      const { results, window } = stage;
      await connect(stage);
      await search(stage, 'Vega Datasets', 'weather');
      await (await results.row(/^Load More/)).click();
      await seeRow(results, 'weather', '· 4 files');
      await check(stage, 'seattle-weather.csv', 'weather.csv', 'weekly-weather.json');
      await (await results.row('seattle-weather.csv')).click();
      await (await window.pageFrame('seattle-weather.csv')).getByText('temp_max').first().waitFor();
    },
  },
  { name: 'summary', theme: 'light', steps: (stage) => askTransfer(stage, 'Lab Share', description) },
  {
    name: 'running',
    theme: 'light',
    steps: async (stage) => {
      await stage.window.notifications.answer('Transfer');
      await seeNothingChecked(stage);
      stage.clock.pass({ seconds: 12 });
      await become(stage, 'Lab Share', { status: 'staging' });
      await watchSixtyFiles(stage);
    },
  },
  {
    name: 'transfer',
    theme: 'dark',
    steps: async (stage) => {
      const { clock, transfers, window } = stage;
      clock.pass({ minutes: 11 });
      stage.service.become('Lab Share', { status: 'succeeded', moved: 3 });
      stage.service.become('Cluster', { status: 'succeeded', moved: 60 });
      await refresh(stage);
      await window.notifications.wait('2 transfers have succeeded');
      await (await transfers.row('Finished')).expand();
      await (await window.pageFrame(/Cluster/)).getByText('Succeeded').first().waitFor();
      await tidy(stage);
    },
  },
];

/** The pictures of the README. */
export const readme = scene('readme', { connections: [serviceName] }, readmeStates);
