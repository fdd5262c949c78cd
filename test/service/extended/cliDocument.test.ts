import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { cliProgram, runCli } from '../../support/cliProcess.ts';
import { repositoryRoot } from '../../support/editor/places.ts';
import { CliRig } from '../cliRig.ts';

const run = promisify(execFile);

/** Returns the contents of the Markdown code blocks in the given language. */
function listBlocks(text: string, language: string): readonly string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, block = '']) => block,
  );
}

/** Masks the amount of free space and removes "at least", which is printed until all files have hashes. */
function maskSpace(text: string): string {
  const masked = text.replaceAll(/^(free space in \w+): [\d.]+ [KMGT]?B$/gm, '$1: any');
  return masked.replaceAll(/^(already in \w+): at least /gm, '$1: ');
}

describe('The document of the command line', () => {
  let document: string;
  let rig: CliRig;
  let folder: string;
  let environment: Record<string, string>;
  before(async () => {
    document = await readFile(join(repositoryRoot, 'docs', 'command-line.md'), 'utf8');
    rig = await CliRig.start({ 'a.csv': 'a', 'b/c.txt': 'hello', 'd.csv': 'dd' });
    folder = await mkdtemp(join(tmpdir(), 'cli-document-'));
    const launcher = join(folder, 'data-transfer');
    await writeFile(launcher, `#!/bin/sh\nexec '${process.execPath}' '${cliProgram}' "$@"\n`);
    await chmod(launcher, 0o755);
    const { address, token } = rig.service.service;
    environment = {
      PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}`,
      DATA_TRANSFER_LEDGER: rig.ledger,
      ADDRESS: address,
      ORCID: '0000-0002-1825-0097',
      LAB_KEY: token,
    };
  });
  after(async () => {
    await rig.stop();
    await rm(folder, { recursive: true });
  });

  it('shows a transcript that matches the output of its commands', async () => {
    const transcript = listBlocks(document, 'bash').join('');
    const steps = transcript.split(/^\$ /m).slice(1);
    const shown = steps.map((step) => step.slice(step.indexOf('\n') + 1));
    const commands = steps.map((step) => step.slice(0, step.indexOf('\n')));
    const recipe = shown[commands.indexOf('cat tables.transfer.json')] ?? '';
    await writeFile(join(folder, 'tables.transfer.json'), recipe);
    const script = commands.map((command) => `${command}\necho '--- end ---'\n`).join('');
    // Like zsh, bash with an empty IFS doesn't split unquoted variables into words.
    const { stdout } = await run('bash', ['-c', `exec 2>&1\nIFS=\n${script}`], { cwd: folder, env: environment });
    const printed = stdout.split('--- end ---\n').slice(0, -1);
    assert.deepEqual(
      commands.map((command, index) => `${command}\n${maskSpace(printed[index] ?? '')}`),
      commands.map((command, index) => `${command}\n${maskSpace(shown[index] ?? '')}`),
    );
  });

  it('lists exactly the commands that exist', async () => {
    const help = (await runCli(['--help'])).stdout;
    const commands = [...(help.split('Commands:')[1] ?? '').matchAll(/^ {2}(\w+)/gm)].map(([, name = '']) => name);
    const listed = [...document.matchAll(/^\| `(\w+)[^|]*\| [a-z]/gm)].map(([, name = '']) => name);
    const described = [...new Set(listed)].filter((name) => commands.includes(name));
    assert.deepEqual(
      described,
      commands.filter((name) => name !== 'help'),
    );
  });

  it('lists every field that --json prints', async () => {
    const documents = [
      await rig.runJson(0, 'databases'),
      await rig.runJson(0, 'search', 'Source Data', 'csv'),
      await rig.runJson(0, 'transfer', 'Source Data', 'Target', 'a.csv', '--wait', '--description', 'One'),
      await rig.runJson(0, 'status'),
      await rig.runJson(0, 'history'),
      await rig.runJson(0, 'cite', 'Source Data', 'a.csv'),
    ];
    const names = new Set<string>();
    JSON.stringify(documents, (name, value: unknown) => {
      if (name !== '' && !/^\d+$/.test(name)) names.add(name);
      return value;
    });
    assert.deepEqual(
      [...names].filter((name) => !document.includes(`"${name}"`)),
      [],
    );
  });

  it('lists exactly the columns of the records table', async () => {
    const [list = ''] = /^Columns: .*$/m.exec(document) ?? [];
    const columns = Array.from(list.matchAll(/`(\w+)`/g), ([, name = '']) => name);
    const { stdout } = await rig.run('export');
    assert.deepEqual(columns.toSorted(), (stdout.split('\r\n')[0] ?? '').split(',').toSorted());
  });

  it('has pipelines that run', async () => {
    const { address } = rig.service.service;
    const entry = { id: 'lab', name: 'Lab', server: address, apiKeyVariable: 'LAB_KEY' };
    const connections = { orcid: '0000-0002-1825-0097', connections: [entry] };
    const search = { from: { database: 'Source Data', search: { query: 'csv' } }, to: { database: 'Target' } };
    await writeFile(join(folder, 'connections.json'), JSON.stringify(connections));
    await writeFile(join(folder, 'reads.transfer.json'), JSON.stringify(search));
    const env = { ...environment, DATA_TRANSFER_CONNECTIONS: 'connections.json' };
    const [rule = ''] = listBlocks(document, 'python');
    const [, lines = ''] = /shell:\s+"""(.*)"""/s.exec(rule) ?? [];
    const shell = lines.replace('{input}', 'reads.transfer.json').replace('{output}', 'verified.json');
    await run('sh', ['-c', shell], { cwd: folder, env });
    const { intact } = JSON.parse(await readFile(join(folder, 'verified.json'), 'utf8')) as { intact: number };
    assert.equal(intact, 2);
    const [workflow = ''] = listBlocks(document, 'yaml');
    const { jobs } = parse(workflow) as { jobs: Record<string, { steps: { run?: string }[] }> };
    const last = jobs['check-data']?.steps.at(-1)?.run ?? '';
    const { stdout } = await run('sh', ['-c', last], { cwd: folder, env });
    assert.match(stdout, /^2 files, 3 B\nsince the last run: 2 unchanged\n/);
  });
});
