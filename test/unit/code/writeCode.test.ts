import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { CodeRequest, CodeService } from '../../../src/core/code/codeRequest.ts';
import { listCodeLanguages, writeCode, type CodeLanguage } from '../../../src/core/code/writeCode.ts';
import { publicLike, type PublicState } from '../../support/faultPersonality.ts';
import { FaultServer } from '../../support/faultServer.ts';
import { parsePython, runPython, runShell, type CodeRun } from '../../support/runCode.ts';

const key = 'the-key-$HOME-`id`-\\n';
const orcid = '0000-0002-1825-0097';
const id = '123e4567-e89b-42d3-a456-426614174000';

/** Text that a shell, Python or R could interpret as code if it weren't quoted and escaped. */
const hostile = [
  `it's "quoted" $HOME \`id\` $(id) \\ \\n %s`,
  '\'\'\'"""#{}[];|&<>',
  "\nJSON\n'\nimport os\n",
  'r\u202Eevil\u0085\u2028\u{1F600}\u0007',
];

const specific = { 'it\'s "a" name': hostile, empty: {}, none: [], yes: true, no: null, count: 1.5 };
const search: CodeRequest = { kind: 'search', database: 'jdp', orcid, query: hostile.join(' '), limit: 20, specific };
const listing: CodeRequest = { kind: 'search', database: 'jdp', orcid, query: '', limit: 20 };
const metadata: CodeRequest = { kind: 'metadata', database: 'jdp', orcid, ids: hostile };
const transfer: CodeRequest = {
  kind: 'transfer',
  orcid,
  source: 'jdp',
  destination: 'kbase',
  ids: hostile,
  description: hostile.join('\n'),
  instructions: specific,
};
const status: CodeRequest = { kind: 'status', id };

/** Returns the request body that the service must receive. */
function createBody({ kind: _kind, ...fields }: CodeRequest): object {
  const { ids, ...others } = { ids: undefined, ...fields };
  return ids === undefined ? others : { ...others, file_ids: ids };
}

type Run = (code: string, given: string) => Promise<CodeRun>;

const programs: readonly (readonly [string, CodeLanguage, Run])[] = [
  ['Python with dtspy', 'python', runPython],
  ['curl in bash', 'curl', (code, given) => runShell('bash', code, given)],
  ['curl in sh', 'curl', (code, given) => runShell('sh', code, given)],
];

describe('Generated code', () => {
  let server: FaultServer;
  let service: PublicState;
  let target: CodeService;

  beforeEach(async () => {
    server = await FaultServer.start();
    service = publicLike(server, key);
    for (const file of hostile) service.files.add(file);
    service.files.add(hostile.join(' '));
    service.transfers.set(id, { orcid, status: 'active', message: "it's on", num_files: 3, num_files_transferred: 1 });
    target = { address: server.address, scheme: 'base64', keyVariable: 'DTS_KEY' };
  });
  afterEach(async () => await server.stop());

  const run = async (language: CodeLanguage, how: Run, ...requests: CodeRequest[]): Promise<CodeRun> =>
    await how(writeCode(language, target, requests), key);

  for (const [name, language, how] of programs) {
    describe(`in ${name}`, () => {
      for (const request of [search, metadata, transfer]) {
        it(`sends a ${request.kind} request with names full of quotes unchanged`, async () => {
          const { exitCode, output, errors } = await run(language, how, request);
          assert.deepEqual([exitCode, errors], [0, '']);
          assert.deepEqual(JSON.parse(server.requests.at(-1)?.body ?? ''), createBody(request));
          assert.match(output, request.kind === 'transfer' ? /[\da-f]{8}-/ : /JSON/);
        });
      }

      it('prints the status of a transfer', async () => {
        const { exitCode, output } = await run(language, how, status);
        assert.equal(exitCode, 0);
        assert.match(output, /active[^]*it's on[^]*\b1\b[^]*\b3\b|active[^]*it's on[^]*\b3\b[^]*\b1\b/);
      });

      it('sends several requests in order', async () => {
        const { exitCode } = await run(language, how, metadata, status);
        assert.equal(exitCode, 0);
        const paths = server.requests.map(({ path }) => path).filter((path) => path !== '/');
        assert.deepEqual(paths, ['/api/v1/files/by-id', `/api/v1/transfers/${id}`]);
      });

      it('reports that the key is rejected, without printing it', async () => {
        const code = writeCode(language, target, [metadata, status]);
        const { exitCode, output, errors } = await how(code, 'another-key');
        assert.notEqual(exitCode, 0);
        assert.match(errors, /401/);
        assert.doesNotMatch(output + errors, /another-key|YW5vdGhlci1rZXk/);
      });

      it('continues with the next request if nothing is found', async () => {
        const nothing: CodeRequest = { ...search, query: 'nothing' };
        const { exitCode, output, errors } = await run(language, how, nothing, status);
        assert.deepEqual([exitCode, errors], [0, '']);
        assert.match(output, /(No files were returned\.|"resources":null)[^]*active/);
      });

      it('reports that a database is unknown, and fails if the status is missing', async () => {
        const { errors } = await run(language, how, { kind: 'metadata', database: 'none', orcid, ids: ['a'] });
        assert.match(errors, /404/);
        const missing = await run(language, how, { kind: 'status', id: id.replace('1', '2') });
        assert.notEqual(missing.exitCode, 0);
      });
    });
  }

  it('lists all files with curl, because dtspy refuses a search without words', async () => {
    assert.deepEqual(listCodeLanguages(target, [listing]), ['curl', 'r']);
    const { output } = await run('curl', programs[1]?.[2] ?? runPython, listing);
    assert.match(output, /JDP:000001/);
    assert.deepEqual(JSON.parse(server.requests.at(-1)?.body ?? ''), createBody(listing));
  });

  it('stops in Python if an earlier version of dtspy returns None instead of files', async () => {
    const code = writeCode('python', target, [metadata]);
    const earlier = 'import dts\ndts.Client.fetch_metadata = lambda *_, **fields: None\n';
    const { exitCode, errors } = await runPython(earlier + code, key);
    assert.deepEqual([exitCode, errors], [1, 'The files are not available.\n']);
  });

  it('fails in Python if the installed dtspy has no parameter for the ORCID iD', async () => {
    const earlier = 'import dts\ndts.Client.fetch_metadata = lambda self, database, file_ids: []\n';
    const { exitCode, output, errors } = await runPython(earlier + writeCode('python', target, [metadata]), key);
    assert.deepEqual([exitCode, output], [1, '']);
    assert.match(errors, /TypeError: .*unexpected keyword argument 'orcid'/);
  });

  describe('for the local service, whose address changes at each start (D29)', () => {
    const local = (): CodeService => ({ ...target, address: 'http://127.0.0.1:1', addressVariable: 'DTS_ADDRESS' });

    it('reads the address from the environment, and says how to set it', async () => {
      const more = { DTS_ADDRESS: server.address };
      const code = (language: CodeLanguage): string => writeCode(language, local(), [status]);
      const runs = [
        await runPython(code('python'), key, undefined, more),
        await runShell('bash', code('curl'), key, more),
        await runShell('sh', code('curl'), key, more),
      ];
      for (const { exitCode, errors, output } of runs) {
        assert.deepEqual([exitCode, errors], [0, '']);
        assert.match(output, /active/);
      }
      for (const language of ['python', 'curl', 'r'] as const) {
        assert.ok(!code(language).includes('127.0.0.1'), language);
        assert.match(
          code(language),
          /^# Reads the address and the API key .* DTS_ADDRESS and DTS_KEY\.\n# .* set them\.$/m,
        );
      }
    });

    it('exits in a shell if the address is not set, before anything is sent', async () => {
      const { exitCode, errors } = await runShell('sh', writeCode('curl', local(), [status]), key);
      assert.notEqual(exitCode, 0);
      assert.match(errors, /DTS_ADDRESS: is not set/);
      assert.deepEqual(server.requests, []);
    });

    it('checks address and key in R', () => {
      const code = writeCode('r', local(), [status]);
      assert.match(code, /^address <- Sys\.getenv\("DTS_ADDRESS"\)\nif \(address == ""\) stop\(/m);
      assert.match(code, /^service <- request\(address\) \|>$/m);
    });
  });

  it('contains no number that JSON cannot represent', () => {
    const code = writeCode('python', target, [{ ...search, specific: { a: Infinity, b: [NaN, 1] } }]);
    assert.match(code, /"a": None,\s+"b": \[\s+None,\s+1\s+\]/);
  });

  it('sends a plain token unchanged (D5)', async () => {
    target = { ...target, scheme: 'plain' };
    assert.deepEqual(listCodeLanguages(target, [status]), ['curl', 'r']);
    await run('curl', (code, given) => runShell('sh', code, given), status);
    assert.equal(server.requests.at(-1)?.headers.authorization, `Bearer ${key}`);
  });

  it('exits in a shell if the key is not set, before anything is sent', async () => {
    const { exitCode, errors } = await runShell('sh', writeCode('curl', target, [status]), '');
    assert.notEqual(exitCode, 0);
    assert.match(errors, /DTS_KEY: is not set/);
    assert.deepEqual(server.requests, []);
  });

  it('never passes the key to a program as an argument', () => {
    const commands = writeCode('curl', target, [transfer])
      .split(/[|\n]/)
      .map((line) => line.trim())
      .filter((line) => /^(curl|base64|tr)\b/.test(line));
    assert.ok(commands.length > 0);
    assert.deepEqual(
      commands.filter((line) => line.includes('DTS_KEY')),
      [],
    );
  });

  it('has no invisible characters in any language', () => {
    for (const language of listCodeLanguages(target, [search])) {
      const code = writeCode(language, target, [search, metadata, transfer, status]);
      assert.doesNotMatch(code.replaceAll('\n', ''), /[\p{C}\p{Zl}\p{Zp}]/u, language);
    }
  });

  it('writes R with httr2, except for values that R cannot represent', () => {
    const code = writeCode('r', target, [metadata]);
    assert.match(code, /^library\(httr2\)$/m);
    assert.match(code, /req_auth_bearer_token\(openssl::base64_encode\(charToRaw\(key\)\)\)/);
    assert.ok(code.includes(String.raw`"it's \"quoted\" $HOME ${'`id`'} $(id) \\ \\n %s"`));
    const nul: CodeRequest = { kind: 'metadata', database: 'jdp', orcid, ids: ['a\0b'] };
    assert.deepEqual(listCodeLanguages(target, [nul]), ['python', 'curl']);
    assert.deepEqual(listCodeLanguages(target, [{ ...nul, ids: ['\ud800'] }]), ['python', 'curl']);
    assert.deepEqual(listCodeLanguages(target, [{ ...listing, query: 'a', specific: { '': 1 } }]), ['python', 'curl']);
  });

  it('is valid Python for any text', async () => {
    const texts = fc.sample(fc.string({ unit: 'binary' }), 50);
    const anything: CodeRequest = { ...metadata, ids: [...texts, '\ud800', '\0'] };
    assert.deepEqual(await parsePython(writeCode('python', target, [anything])), {
      exitCode: 0,
      output: '',
      errors: '',
    });
  });
});
