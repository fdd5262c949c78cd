/** Runs the demo under Node.js 24: `node scripts/demo/main.ts [--headless]`. Started by `scripts/demo.mjs`. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startEditor } from '../../test/support/editor/editor.ts';
import { saveFailureArtifacts } from '../../test/support/editor/failureArtifacts.ts';
import { readPlaces, repositoryRoot } from '../../test/support/editor/places.ts';
import { sendSignal } from '../../test/support/editor/localServices.ts';
import { prepareEditor } from '../../test/support/editor/preparedEditor.ts';
import { builtProgram, startLocalService } from '../../test/support/localService.ts';
import { runMainJob } from '../../test/support/mainJob.ts';
import { listDemoDatabases, prepareSources } from './demoData.ts';
import { getDemoEditor } from './demoEditor.ts';

/** The transfer rate, low enough that a large transfer can be watched and canceled even on a busy machine. */
const throttleBytesPerSecond = 500_000;
const demoFolder = join(repositoryRoot, '.demo');

const { values: options } = parseArgs({ options: { headless: { type: 'boolean', default: false } } });

interface Demo {
  readonly address: string;
  readonly token: string;
  /** The folder that is served as "My Data". */
  readonly destinationFolder: string;
  readonly workspace: string;
}

/** Creates a folder named after this process, and removes the folders of runs that have ended. */
async function makeRunFolder(): Promise<string> {
  await mkdir(demoFolder, { recursive: true });
  for (const name of await readdir(demoFolder)) {
    const pid = Number(/^run-(\d+)$/.exec(name)?.[1] ?? Number.NaN);
    if (!Number.isNaN(pid) && !sendSignal(pid, 0)) await rm(join(demoFolder, name), { recursive: true, force: true });
  }
  const folder = join(demoFolder, `run-${process.pid}`);
  await mkdir(folder);
  return folder;
}

async function makeWorkspace(runFolder: string): Promise<string> {
  const workspace = join(runFolder, 'Workspace');
  await mkdir(workspace);
  const text = '# A first look\n\nThe Data Transfer view on the left is connected to the service of the demo.\n';
  await writeFile(join(workspace, 'README.md'), text);
  await writeFile(join(workspace, 'instructions.json'), '{\n  "priority": "low"\n}\n');
  return workspace;
}

async function runHeadless(demo: Demo): Promise<object> {
  const started = performance.now();
  const editor = await startEditor({ extensionPath: repositoryRoot, workspace: demo.workspace });
  try {
    const window = await editor.openWindow();
    const onStep = (step: string): void => {
      console.log(`${((performance.now() - started) / 1000).toFixed(1)} s  ${step}`);
    };
    return { editor: await editorName(), ...(await runMainJob({ window, ...demo, onStep })) };
  } catch (error) {
    for (const file of await saveFailureArtifacts('demo')) console.log(`saved ${file}`);
    throw error;
  } finally {
    await editor.close();
  }
}

/** Returns the name and version of the editor's server. */
async function editorName(): Promise<string> {
  const text = await readFile(join(readPlaces().server, 'package.json'), 'utf8');
  const { name, version } = JSON.parse(text) as { name: string; version: string };
  return `${name} ${version}`;
}

/**
 * Runs the demo until a signal arrives. Listens for signals from the start, so that everything is shut down cleanly.
 */
async function runForPerson(demo: Demo): Promise<void> {
  const isToEnd = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
  const { server, close } = await prepareEditor(getDemoEditor(demo));
  console.log(`
Open this address in a browser:   http://${server.authority}/?folder=${encodeURIComponent(demo.workspace)}
Files arrive in                   ${demo.destinationFolder}

Press Ctrl+C to stop the demo and delete the transferred files.`);
  await isToEnd;
  console.log('Stopping the demo …');
  await close();
}

/** Runs the demo. The last line that a headless run prints is a JSON value, even if the run fails. */
async function run(): Promise<void> {
  const runFolder = await makeRunFolder();
  const sources = await prepareSources(demoFolder, join(repositoryRoot, 'node_modules'));
  if (!existsSync(builtProgram)) throw new Error('The service has not been built: run "npm run build".');
  const destinationFolder = join(runFolder, 'My Data');
  await mkdir(destinationFolder);
  const databases = listDemoDatabases(sources, destinationFolder);
  const config = { databases, dataFolder: join(runFolder, 'service'), throttleBytesPerSecond };
  const { address, token, stop } = await startLocalService(config, { program: builtProgram });
  try {
    const demo = { address, token, destinationFolder, workspace: await makeWorkspace(runFolder) };
    if (options.headless) console.log(JSON.stringify(await runHeadless(demo)));
    else await runForPerson(demo);
  } finally {
    await stop();
    await rm(runFolder, { recursive: true, force: true });
  }
}

try {
  await run();
} catch (error) {
  process.exitCode = 1;
  console.error(error);
  if (options.headless) console.log(JSON.stringify({ failed: error instanceof Error ? error.message : String(error) }));
}
