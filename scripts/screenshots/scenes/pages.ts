import type { Frame } from 'playwright-core';
import { json, problem, silence } from '../../../test/support/faultBehaviours.ts';
import { connect, search, serviceName, tidy } from '../hands.ts';
import { scene, type State } from '../scene.ts';
import type { Stage } from '../stage.ts';

const route = 'POST /api/v1/files/by-id';

/** Opens the page of a file by its row; the page is kept in preview. */
async function open({ results, window }: Stage, row: string | RegExp, shown: string | RegExp): Promise<Frame> {
  await (await results.row(row)).click();
  const page = await window.pageFrame(/./);
  await page.getByText(shown).first().waitFor();
  return page;
}

/** The page of a file, from above and, where it is long, at its end. */
function page(name: string, row: string | RegExp, shown: string | RegExp, isLong = false): readonly State[] {
  const atEnd = async ({ window }: Stage): Promise<void> => {
    await (await window.pageFrame(/./)).evaluate('scrollTo(0, document.body.scrollHeight)');
  };
  const above: State = { name: `page-${name}`, steps: (stage) => open(stage, row, shown) };
  return isLong ? [above, { name: `page-${name}-end`, steps: atEnd }] : [above];
}

const metadataPagesStates: readonly State[] = [
  {
    name: 'page-plain',
    steps: async (stage) => {
      await connect(stage);
      await search(stage, 'Observatory Archive', 'run-0001');
      await open(stage, 'run-0001.fits', 'image/fits');
    },
  },
  {
    name: 'page-loading',
    steps: async (stage) => {
      await search(stage, 'Observatory Archive', 'run-0002');
      stage.service.http.on(route, silence());
      const shown = await open(stage, 'run-0002.fits', 'image/fits');
      await shown.locator('.busy.on').waitFor({ state: 'attached' });
    },
  },
  {
    name: 'page-error',
    steps: async (stage) => {
      await search(stage, 'Observatory Archive', 'run-0003');
      stage.service.http.on(route, problem(500, 'the catalogue is being rebuilt'));
      await open(stage, 'run-0003.fits', 'the catalogue is being rebuilt');
    },
  },
  {
    name: 'page-missing',
    steps: async (stage) => {
      await search(stage, 'Observatory Archive', 'run-0004');
      stage.service.http.on(route, json({ resources: [] }));
      await open(stage, 'run-0004.fits', 'Retry');
    },
  },
  {
    name: 'page-schema',
    steps: async (stage) => {
      stage.service.answerMetadata();
      await search(stage, 'Vega Datasets', 'seattle-weather.csv');
      await open(stage, 'seattle-weather.csv', 'temp_max');
    },
  },
  {
    name: 'page-long',
    steps: async (stage) => {
      await search(stage, 'Vega Datasets', 'gapminder.json');
      await open(stage, 'gapminder.json', 'Schema');
    },
  },
  {
    name: 'page-real-tar',
    steps: async (stage) => {
      await stage.window.command('Data Transfer: Clear Results');
      await tidy(stage);
      await search(stage, 'Genome Portal', '');
      await open(stage, 'Ga0485161_contigs.fna', 'Joint Genome Institute');
    },
  },
  ...page('real-unstaged', /^10927.*filter/i, '10927', true),
  ...page('real-little', 'README', '12 bytes'),
  ...page('real-nmdc', /nmdc_wfmgan/i, 'Description', true),
  {
    name: 'page-hostile',
    steps: async (stage) => {
      await stage.window.command('Data Transfer: Clear Results');
      await tidy(stage);
      await search(stage, 'Odd Names', '');
      await open(stage, /^<img/, '7 bytes');
    },
  },
  ...page('only-an-id', 'only-an-id', 'Odd Names'),
  ...page('long-name', /^really-/, '1 PB', true),
  ...page('letters', /Ünïcödé/, '0 bytes'),
  {
    name: 'page-json',
    steps: async ({ window }) => {
      const shown = await window.pageFrame(/./);
      await shown.getByRole('button', { name: 'Show as JSON' }).click();
      await window.showTab(/json/i);
    },
  },
];

/** The metadata of files. */
export const metadataPages = scene('metadata pages', { connections: [serviceName] }, metadataPagesStates);
