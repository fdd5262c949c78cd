/** The demo under Node 24: `node scripts/demo/main.ts [--headless]`; started by scripts/demo.mjs. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepareEditor, startEditor } from '../../test/support/editor/editor.ts';
import { keepEvidence } from '../../test/support/editor/evidence.ts';
import { readPlaces, repositoryRoot } from '../../test/support/editor/places.ts';
import { doMainJob } from '../../test/support/mainJob.ts';
import { prepareSources } from './demoData.ts';
import { type DemoService, startService } from './demoService.ts';

const demoFolder = join(repositoryRoot, '.demo');

const { values: options } = parseArgs({ options: { headless: { type: 'boolean', default: false } } });

interface Demo {
  readonly service: DemoService;
  readonly workspace: string;
}

/** Each run has a folder of its own, named after its process; those of runs that are gone are removed. */
async function makeRunFolder(): Promise<string> {
  await mkdir(demoFolder, { recursive: true });
  for (const name of await readdir(demoFolder)) {
    const pid = Number(/^run-(\d+)$/.exec(name)?.[1] ?? Number.NaN);
    if (!Number.isNaN(pid) && !isRunning(pid)) await rm(join(demoFolder, name), { recursive: true, force: true });
  }
  const folder = join(demoFolder, `run-${process.pid}`);
  await mkdir(folder);
  return folder;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function makeWorkspace(runFolder: string): Promise<string> {
  const workspace = join(runFolder, 'Workspace');
  await mkdir(workspace);
  const text = '# A first look\n\nOpen the Data Transfer view at the left, and connect to the service.\n';
  await writeFile(join(workspace, 'README.md'), text);
  await writeFile(join(workspace, 'instructions.json'), '{\n  "priority": "low"\n}\n');
  return workspace;
}

async function runHeadless({ service, workspace }: Demo): Promise<object> {
  const started = performance.now();
  const editor = await startEditor({ extensionPath: repositoryRoot, workspace });
  try {
    const window = await editor.openWindow();
    const tell = (step: string): void => {
      console.log(`${((performance.now() - started) / 1000).toFixed(1)} s  ${step}`);
    };
    return { editor: await editorName(), ...(await doMainJob({ window, ...service, tell })) };
  } catch (error) {
    for (const file of await keepEvidence('demo')) console.log(`kept ${file}`);
    throw error;
  } finally {
    await editor.close();
  }
}

/** The editor that was used, as it names itself. */
async function editorName(): Promise<string> {
  const text = await readFile(join(readPlaces().server, 'package.json'), 'utf8');
  const { name, version } = JSON.parse(text) as { name: string; version: string };
  return `${name} ${version}`;
}

/** Whoever wants it to end before all is there waits for that: what has been started is ended in order. */
async function runForPerson({ service, workspace }: Demo): Promise<void> {
  const isToEnd = Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)));
  const { server, close } = await prepareEditor({ extensionPath: repositoryRoot, workspace });
  console.log(`
Open this address in a browser:   http://${server.authority}/?folder=${encodeURIComponent(workspace)}
In the Data Transfer view, connect to   ${service.address}
with the key                            ${service.token}
and, for example, the ORCID iD          0000-0002-1825-0097
Files land in                           ${service.destinationFolder}

Press Ctrl-C to end the demo.`);
  await isToEnd;
  console.log('Ending the demo …');
  await close();
}

/** The last line of a headless run is one line of JSON, also when it fails. */
async function run(): Promise<void> {
  const runFolder = await makeRunFolder();
  const sources = await prepareSources(demoFolder, join(repositoryRoot, 'node_modules'));
  const program = join(repositoryRoot, 'dist', 'service', 'main.cjs');
  if (!existsSync(program)) throw new Error('The service is not built: run "npm run build".');
  const service = await startService(program, runFolder, sources);
  try {
    const demo = { service, workspace: await makeWorkspace(runFolder) };
    if (options.headless) console.log(JSON.stringify(await runHeadless(demo)));
    else await runForPerson(demo);
  } finally {
    await service.close();
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
