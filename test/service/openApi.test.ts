import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { OpenApiCheck, Operation } from '../support/openApiCheck.ts';
import { commonProblems, ownProblems, validRequests } from '../support/openApiRequests.ts';
import { sendRaw } from '../support/rawHttp.ts';
import { requestText, type RequestParts } from '../support/requestText.ts';
import type { Answer } from '../support/contractRig.ts';
import { ServiceRig } from '../support/serviceRig.ts';
import { testsNotRun } from '../support/testOrder.ts';

type Json = Readonly<Record<string, unknown>>;

const everything = { shared: true, configured: true, idleMs: 600_000 };

/** The operations that change a transfer which hasn't ended. */
const changes = ['cancelTransfer', 'pauseTransfer', 'resumeTransfer'];

describe('The OpenAPI document of the local service (D26)', () => {
  let rig: ServiceRig;
  let check: OpenApiCheck;
  let done: string;
  const provoked = new Set<string>();

  before(async () => {
    const dataPackage = JSON.stringify({
      title: 'P',
      resources: [{ path: 'b.csv', title: 'B', sources: [{ title: 'x' }] }],
    });
    const files = { 'a.txt': 'a', 'b.csv': 'b', 'datapackage.json': dataPackage };
    rig = await ServiceRig.start(files, { ...everything, throttleBytesPerSecond: 1_000_000 });
    check = await rig.openApi();
    done = await rig.mustSubmit(['a.txt']);
    await rig.waitForStatus(done, 'succeeded');
  });

  after('describes no status that was not tested here', function () {
    if (this.test?.parent === undefined || testsNotRun(this.test.parent) > 0) return;
    const described = operations().flatMap(({ operationId, responses }) =>
      Object.keys(responses).map((status) => `${operationId} ${status}`),
    );
    assert.deepEqual(
      described.filter((one) => !provoked.has(one)),
      [],
    );
  });
  after(async () => await rig.stop());

  /** Restarts the service as a shared one, which supports every operation, with both folders configured. */
  async function restart(more: object = {}): Promise<void> {
    await rig.restart({ ...everything, ...more });
  }

  /** Sends a request, checks the response against the document, and records its status. */
  async function assertResponse(
    operationId: string,
    status: number,
    text: string,
    parts: RequestParts,
  ): Promise<Answer> {
    const received = await sendRaw(rig.service.address, text);
    assert.ok(received, 'there was no answer');
    const answer = await rig.checked(parts.method, parts.target.replace('{done}', done), received);
    assert.equal(answer.status, status, received.text);
    provoked.add(`${operationId} ${status}`);
    return answer;
  }

  /** Opens a lease, restarts the service so that the lease's response ends, and checks the response. */
  async function provokeLease(): Promise<void> {
    const response = await fetch(`${rig.service.address}/leases`, {
      method: 'POST',
      headers: { authorization: `Bearer ${rig.service.sharingToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ databases: rig.folders }),
    });
    const { status, headers } = response;
    const text = response.text();
    await restart();
    check.check('POST', '/leases', { status, headers, text: await text });
    assert.deepEqual([status, (await text).trim().split('\n').length], [200, 2]);
    provoked.add('beginLease 200');
  }

  function formatRequest(parts: RequestParts): string {
    const Authorization = `Bearer ${rig.tokenFor(parts.method, parts.target)}`;
    const target = parts.target.replace('{done}', done);
    return requestText(rig.service, { ...parts, target, headers: { Authorization, ...parts.headers } });
  }

  function operations(): Operation[] {
    return Object.values(check.document.paths).flatMap((methods) => Object.values(methods));
  }

  function isDescribed(operationId: string, status: number): boolean {
    const operation = operations().find((one) => one.operationId === operationId);
    return operation !== undefined && check.response(operation, status) !== undefined;
  }

  it('follows the rules of OpenAPI 3.1', async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(check.document));
    assert.equal(result.valid, true, JSON.stringify(result.errors));
    assert.equal(validator.version, '3.1');
  });

  it('describes every operation and every parameter', () => {
    const ids = operations().map((operation) => operation.operationId);
    assert.equal(new Set(ids).size, ids.length);
    for (const operation of operations()) {
      for (const field of ['operationId', 'summary', 'description', 'tags']) assert.ok(operation[field], field);
      for (const parameter of operation.parameters ?? []) {
        assert.ok(parameter['description'], String(parameter['name']));
        assert.ok((parameter['schema'] as Json)['type'], String(parameter['name']));
      }
    }
  });

  it('describes every field', () => {
    for (const [name, schema] of Object.entries(check.document.components.schemas)) {
      if (name === 'OpenApiDocument') continue;
      for (const [field, described] of Object.entries((schema['properties'] ?? {}) as Record<string, Json>)) {
        assert.ok(described['description'] ?? described['$ref'], `${name}.${field}`);
      }
    }
  });

  it('has a valid example for every body', () => {
    const bodies = operations().flatMap((operation) => (operation.requestBody === undefined ? [] : [operation]));
    assert.equal(bodies.length, 4);
    for (const { requestBody, operationId } of bodies) {
      const content = (requestBody?.['content'] as Record<string, { schema: { $ref: string }; example: unknown }>)[
        'application/json'
      ];
      assert.ok(content?.example, operationId);
      check.checkAt(content.schema.$ref, content.example, `the example of ${operationId}`);
    }
  });

  it('repeats no schema: each is once among the components', () => {
    const { components, paths } = check.document;
    const inline = JSON.stringify(paths).match(/"schema":\{"(?!\$ref)[^}]*"properties"/g);
    assert.equal(inline, null);
    for (const name of Object.keys(components.schemas)) {
      assert.ok(JSON.stringify(check.document).includes(`"#/components/schemas/${name}"`), `${name} is not used`);
    }
  });

  for (const [operationId, parts] of Object.entries(validRequests)) {
    it(`matches ${operationId}: successful responses`, async () => {
      const operation = operations().find((one) => one.operationId === operationId);
      const status = Number(Object.keys(operation?.responses ?? {}).find((code) => code.startsWith('2')));
      if (operationId === 'beginLease') {
        await provokeLease();
        return;
      }
      if (!changes.includes(operationId)) {
        await assertResponse(operationId, status, formatRequest(parts), parts);
        if (operationId === 'stopService') await restart();
        return;
      }
      await rig.write({ 'slow.bin': 'x'.repeat(900_000) });
      await restart({ throttleBytesPerSecond: 1_000 });
      const id = await rig.mustSubmit(['slow.bin']);
      if (operationId === 'resumeTransfer') await rig.changePause(id, 'pause');
      const running = { ...parts, target: parts.target.replace('{done}', id) };
      await assertResponse(operationId, status, formatRequest(running), running);
    });

    it(`matches ${operationId}: problems common to all operations`, async () => {
      for (const [status, change] of Object.entries(commonProblems)) {
        if (!isDescribed(operationId, Number(status))) continue;
        await assertResponse(operationId, Number(status), formatRequest(change(parts)), parts);
      }
    });
  }

  describe('within a short time limit', () => {
    before(async () => await restart({ bodyTimeLimitMs: 200 }));

    after(async () => await restart());

    for (const [operationId, parts] of Object.entries(validRequests)) {
      it(`matches ${operationId}: the response to incomplete headers`, async () => {
        const [head = ''] = formatRequest(parts).split('\r\n\r\n');
        await assertResponse(operationId, 408, head, parts);
      });
    }
  });

  for (const [operationId, status, parts] of ownProblems) {
    it(`matches ${operationId}: ${status} to ${parts.method} ${parts.target} ${parts.body ?? ''}`, async () => {
      await assertResponse(operationId, status, formatRequest(parts), parts);
    });
  }

  for (const operationId of ['searchFiles', 'getFilesById', 'fetchFilesById', 'getContent', 'submitTransfer']) {
    it(`matches ${operationId}: 500 while the folder is unavailable`, async () => {
      const parts = validRequests[operationId];
      assert.ok(parts);
      await fs.rename(rig.source, `${rig.source}-away`);
      try {
        await assertResponse(operationId, 500, formatRequest(parts), parts);
      } finally {
        await fs.rename(`${rig.source}-away`, rig.source);
      }
    });
  }

  it('matches submitTransfer: 409 if the destination has something with the chosen name', async () => {
    const valid = validRequests['submitTransfer'];
    assert.ok(valid);
    await fs.mkdir(`${rig.target}/run-42`);
    const body = { ...(JSON.parse(valid.body ?? '') as object), instructions: { folder: 'run-42' } };
    const parts = { ...valid, body: JSON.stringify(body) };
    await assertResponse('submitTransfer', 409, formatRequest(parts), parts);
  });

  it('matches getContent: 409 if the file does not arrive in time', async () => {
    const parts = validRequests['getContent'];
    assert.ok(parts);
    await restart({ contentLimitMs: 0 });
    await assertResponse('getContent', 409, formatRequest(parts), parts);
    await restart();
  });

  it('matches getHealth: 503 while a folder is unavailable', async () => {
    const parts = validRequests['getHealth'];
    assert.ok(parts);
    await fs.rename(rig.source, `${rig.source}-away`);
    try {
      await assertResponse('getHealth', 503, formatRequest(parts), parts);
    } finally {
      await fs.rename(`${rig.source}-away`, rig.source);
    }
  });

  it('matches beginLease: 500 when the names of the folders cannot be saved', async () => {
    const file = nodePath.join(rig.root, 'data', 'databases.json');
    await fs.rm(file);
    await fs.mkdir(file);
    const parts: RequestParts = { method: 'POST', target: '/leases', body: JSON.stringify({ databases: rig.folders }) };
    await assertResponse('beginLease', 500, formatRequest(parts), parts);
    await fs.rmdir(file);
  });

  it('matches the operations on one transfer: 500 when its record cannot be read', async () => {
    const broken = await rig.mustSubmit(['a.txt']);
    await rig.waitForStatus(broken, 'succeeded');
    await restart({
      whileStopped: () => {
        const journal = new DatabaseSync(nodePath.join(rig.root, 'data', 'journal.db'));
        journal.prepare("UPDATE transfers SET fixed = '{' WHERE id = ?").run(broken);
        journal.close();
      },
    });
    for (const operationId of ['getTransferStatus', 'listTransferFiles', ...changes]) {
      const valid = validRequests[operationId];
      assert.ok(valid);
      const parts = { ...valid, target: valid.target.replace('{done}', broken) };
      await assertResponse(operationId, 500, formatRequest(parts), parts);
    }
  });
});
