import assert from 'node:assert/strict';
import { eventually } from '../support/eventually.ts';
import { RawConnections, say } from '../support/rawHttp.ts';
import { requestText } from '../support/requestText.ts';
import { ServiceRig } from '../support/serviceRig.ts';

const orcid = '0000-0002-1825-0097';

describe('A client of the local service that takes more than its share (D26, D40)', function () {
  this.timeout(30_000);
  let rig: ServiceRig;
  let connections: RawConnections;

  before(async () => {
    const names = Array.from({ length: 100 }, (_, index) => `file-${index}.txt`);
    const resources = names.map((path) => ({ path, description: 'x'.repeat(100_000) }));
    rig = await ServiceRig.start({
      ...Object.fromEntries(names.map((name) => [name, 'a'])),
      'datapackage.json': JSON.stringify({ resources }),
    });
  });

  after(async () => await rig.stop());

  beforeEach(() => (connections = new RawConnections(() => rig.service.address)));

  afterEach(() => connections.end());

  /** A search whose answer has 10 MB. */
  function search(): string {
    const body = JSON.stringify({ database: 'Source Data', orcid, query: 'file' });
    return requestText(rig.service, { method: 'POST', target: '/api/v1/files', body });
  }

  /** Asks for large answers on so many connections and reads none of them. */
  async function neverRead(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      const connection = await connections.open();
      connection.socket.pause();
      connection.write(search());
    }
  }

  async function assertServes(): Promise<void> {
    assert.equal((await rig.call('GET', '/')).status, 200);
    assert.equal((await rig.find('file')).length, 100);
  }

  it('gets the whole of a large answer, however slowly it reads', async () => {
    const connection = await connections.open();
    connection.write(search());
    const [low, high] = [
      setInterval(() => connection.socket.pause(), 5),
      setInterval(() => connection.socket.resume(), 7),
    ];
    const answer = await connection.answer();
    clearInterval(low);
    clearInterval(high);
    assert.ok(answer !== undefined && answer.text.length > 10_000_000);
  });

  it('is given up when it reads nothing for as long as a body may take', async () => {
    await rig.restart({ bodyTimeLimitMs: 300 });
    await neverRead(3);
    for (const connection of connections.opened) {
      // An empty line between requests means nothing, but is refused by a connection that has ended.
      await eventually(async () => {
        connection.write('\r\n');
        return await Promise.resolve(connection.socket.closed ? true : undefined);
      });
      assert.equal(await connection.answer(), undefined);
    }
    await rig.restart();
  });

  it('does not keep the service from ending', async () => {
    await neverRead(5);
    await assertServes();
    const ends = connections.opened.map(async (connection) => await connection.ended());
    await rig.restart();
    for (const connection of connections.opened) connection.socket.resume();
    await Promise.all(ends);
    await assertServes();
  });

  it('has a bounded number of connections: one that has the token stays, and a new one is let in', async () => {
    const first = await connections.open();
    first.write(search().slice(0, -1));
    for (let index = 0; index < 300; index += 1) await connections.open();
    const closed = await eventually(async () => {
      const count = connections.opened.filter(({ socket }) => socket.closed).length;
      return await Promise.resolve(count >= 45 ? count : undefined);
    });
    assert.ok(closed < 60, String(closed));
    assert.equal((await first.write(search().slice(-1)).answer())?.status, 200);
    await assertServes();
  });

  it('cannot keep others out by connections without a token, however often it opens them again', async () => {
    for (let index = 0; index < 50; index += 1) {
      while (countOpen() < 256) await connections.open();
      assert.equal(await statusOfNew(), 200);
    }
  });

  it('cannot pile up requests on one connection: they would wait in memory, without a token', async () => {
    const connection = await connections.open();
    connection.write(`GET /health HTTP/1.1\r\nHost: ${new URL(rig.service.address).host}\r\n\r\n`.repeat(20_000));
    let bytes = 0;
    connection.socket.on('data', (data: Buffer) => (bytes += data.length));
    await eventually(async () => await Promise.resolve(connection.socket.closed ? true : undefined));
    assert.ok(bytes < 500_000, String(bytes));
    await assertServes();
  });

  it('is kept out itself where all connections have the token, until some of them end', async () => {
    await eventually(async () => {
      for (let count = countOpen(); count < 256; count += 1) {
        const connection = await connections.open();
        await connection.write(requestText(rig.service, { method: 'GET', target: '/' })).answer();
        connection.write(search().slice(0, -1));
      }
      return (await statusOfNew()) === undefined && countOpen() === 256 ? true : undefined;
    });
    connections.end();
    await eventually(async () => ((await statusOfNew()) === 200 ? true : undefined));
    await assertServes();
  });

  function countOpen(): number {
    return connections.opened.filter(({ socket }) => !socket.closed).length;
  }

  /** The status that the root has for a token on a new connection; undefined when that is closed. */
  async function statusOfNew(): Promise<number | undefined> {
    const given = await say(rig.service.address, requestText(rig.service, { method: 'GET', target: '/' }));
    return given?.status;
  }
});
