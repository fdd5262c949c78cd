import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeProcess } from '../../src/core/util/ownProcess.ts';
import { CliProcess } from '../support/cliProcess.ts';
import { CliRig } from './cliRig.ts';

if (process.platform !== 'win32')
  describe('Waiting on the command line for the program that follows a transfer (D72)', () => {
    let rig: CliRig;
    let folder: string;
    let request: readonly string[];
    beforeEach(async () => {
      rig = await CliRig.start({ 'a.csv': 'a' });
      folder = await mkdtemp(join(tmpdir(), 'cli-program-'));
      const program = join(folder, 'count.sh');
      // The code is that which the test has written meanwhile.
      const lines = ['#!/bin/sh', 'while [ ! -s go ]; do sleep 0.1; done', 'exit $(cat go)', ''];
      await writeFile(program, lines.join('\n'), { mode: 0o700 });
      request = ['transfer', 'Source Data', 'Target', 'a.csv', '--then', program];
    });
    afterEach(async () => {
      await endProgram(0);
      await rig.stop();
      await rm(folder, { recursive: true });
    });

    async function endProgram(code: number): Promise<void> {
      await writeFile(join(folder, 'go'), String(code));
    }

    /** Writes the file through which commands find the local service. */
    async function publishService(address = rig.service.service.address): Promise<void> {
      const { token } = rig.service.service;
      await writeFile(join(folder, 'service.json'), JSON.stringify({ address, token, ...describeProcess() }));
    }

    /** Publishes a service that ends once it has listed its databases. Resolves when it has ended. */
    async function publishEndingService(): Promise<void> {
      const { address } = rig.service.service;
      const answer = async ({ url = '', headers }: IncomingMessage, response: ServerResponse): Promise<void> => {
        const { authorization = '' } = headers;
        const reply = await fetch(new URL(url, address), { headers: { authorization } });
        if (url.endsWith('/databases')) response.once('finish', () => server.close());
        response.writeHead(reply.status, { 'content-type': 'application/json', connection: 'close' });
        response.end(await reply.text());
      };
      const server = createServer((request, response) => void answer(request, response));
      await once(server.listen(0, '127.0.0.1'), 'listening');
      await publishService(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
      await once(server, 'close');
    }

    function startLocally(...args: readonly string[]): CliProcess {
      const connections = [{ id: 'local', name: 'Local', serviceFile: join(folder, 'service.json') }];
      const file = join(folder, 'connections.json');
      writeFileSync(file, JSON.stringify({ connections }));
      return new CliProcess([...args, '--connections', file], { environment: { DATA_TRANSFER_LEDGER: rig.ledger } });
    }

    it('ends with the program, whose failure is that of the command', async () => {
      const running = rig.start(...request, '--wait');
      await running.prints(/: started count\.sh; its output: /);
      await endProgram(3);
      const { code, stdout, stderr } = await running.ended;
      assert.equal(code, 1);
      assert.match(stderr, /: succeeded, 1\/1 files: count\.sh has ended with exit code 3; its output: .*\.\n$/);
      const { transfers } = await rig.runJson(1, 'wait', stdout.trim());
      const [{ then, outcome }] = transfers as readonly [{ readonly then: object; readonly outcome: string }];
      assert.deepEqual([outcome, 'exitCode' in then && then.exitCode], ['complete', 3]);
    });

    it('also continues with wait, and succeeds with the program', async () => {
      const { code, stdout } = await rig.run(...request, '--wait', '--timeout', '5');
      assert.equal(code, 1);
      const id = stdout.trim();
      const running = rig.start('wait', id);
      await running.prints(/: started count\.sh; its output: /);
      await endProgram(0);
      const result = await running.ended;
      assert.equal(result.code, 0, result.stderr);
      assert.match(result.stderr, /count\.sh has ended with exit code 0/);
    });

    it('names what continues, and the command to follow it, if it stops before', async () => {
      const { code, stdout, stderr } = await rig.run(...request, '--wait', '--timeout', '5');
      assert.equal(code, 1);
      const advice = `With the same connection options, follow up with: data-transfer wait ${stdout.trim()}`;
      assert.match(stderr, new RegExp(`^Not finished after 5 s\\. count\\.sh continues\\. ${advice}$`, 'm'));
    });

    it('can be interrupted, which leaves the program running', async () => {
      const running = rig.start(...request, '--wait');
      await running.prints(/: started count\.sh; its output: /);
      running.child.kill('SIGINT');
      const { code, stderr } = await running.ended;
      assert.equal(code, 130);
      assert.match(stderr, /^Interrupted\. count\.sh continues\. With the same connection options, /m);
    });

    it('finds a local service that was started again with another address and key (D29)', async () => {
      await publishService();
      const running = startLocally(...request, '--wait');
      await running.prints(/: started count\.sh; its output: /);
      await rig.service.restart();
      await publishService();
      const { code, stderr } = await running.ended;
      assert.equal(code, 1);
      assert.match(stderr, /: started count\.sh, but its end isn't known \(the service was stopped meanwhile\)/);
    });

    it('finds a local service that was started again while the files are copied (D29)', async () => {
      await rig.service.write({ 'slow.bin': 'x'.repeat(60_000) });
      await rig.service.restart({ throttleBytesPerSecond: 10_000 });
      await publishService();
      const running = startLocally('transfer', 'Source Data', 'Target', 'slow.bin', '--wait');
      await running.prints(/^Started transfer/m);
      await rig.service.restart();
      await publishService();
      const { code, stderr } = await running.ended;
      assert.equal(code, 0, stderr);
    });

    it('finds one that was started twice before a request succeeded (D29)', async () => {
      await rig.service.write({ 'slow.bin': 'x'.repeat(60_000) });
      await rig.service.restart({ throttleBytesPerSecond: 10_000 });
      await publishService();
      const running = startLocally('transfer', 'Source Data', 'Target', 'slow.bin', '--wait');
      await running.prints(/^Started transfer/m);
      await rig.service.restart();
      await publishEndingService();
      await publishService();
      const { code, stderr } = await running.ended;
      assert.equal(code, 0, stderr);
    });

    it('says that the service cannot be reached, and does not claim then that the program runs', async () => {
      const running = rig.start(...request, '--wait');
      await running.prints(/: started count\.sh; its output: /);
      await rig.service.service.close();
      await running.prints(/^[0-9a-f-]{8}: Couldn't request the status: /m);
      running.child.kill('SIGINT');
      const { code, stderr } = await running.ended;
      assert.equal(code, 130);
      assert.match(stderr, /^Interrupted\. count\.sh may still run\. With the same connection options, /m);
    });

    it('ends, and fails, if the service was stopped while the program ran, because its end is not known', async () => {
      const running = rig.start(...request, '--wait');
      await running.prints(/: started count\.sh; its output: /);
      const { address, token } = rig.service.service;
      await rig.service.restart({ port: Number(new URL(address).port), token });
      const { code, stderr } = await running.ended;
      assert.equal(code, 1);
      assert.match(
        stderr,
        /: started count\.sh, but its end isn't known \(the service was stopped meanwhile\); its output: /,
      );
    });
  });
