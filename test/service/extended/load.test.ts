import assert from 'node:assert/strict';
import { eventually } from '../../support/eventually.ts';
import { RawConnections, sendRaw } from '../../support/rawHttp.ts';
import { requestText } from '../../support/requestText.ts';
import { ServiceRig } from '../../support/serviceRig.ts';

const orcid = '0000-0002-1825-0097';

describe('A client of the local service that uses excessive resources (D26, D40)', () => {
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

  /** Returns a search request whose response is 10 MB in size. */
  function search(): string {
    const body = JSON.stringify({ database: 'Source Data', orcid, query: 'file' });
    return requestText(rig.service, { method: 'POST', target: '/api/v1/files', body });
  }

  /** Requests large responses on several connections without reading them. */
  async function requestWithoutReading(count: number): Promise<void> {
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

  it('receives the whole of a large response, however slowly it reads', async () => {
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

  it('is disconnected when it reads nothing within the time limit for a body', async () => {
    await rig.restart({ bodyTimeLimitMs: 2_000 });
    await requestWithoutReading(3);
    for (const connection of connections.opened) {
      // The service ignores an empty line between requests. Writing one detects a closed connection.
      await eventually(async () => {
        connection.write('\r\n');
        return await Promise.resolve(connection.socket.closed ? true : undefined);
      }, 20_000);
      assert.equal(await connection.answer(), undefined);
    }
    await rig.restart();
  });

  it('does not prevent the service from stopping', async () => {
    await requestWithoutReading(5);
    await assertServes();
    const ends = connections.opened.map(async (connection) => await connection.ended());
    await rig.restart();
    for (const connection of connections.opened) connection.socket.resume();
    await Promise.all(ends);
    await assertServes();
  });

  it('has a limited number of connections: authenticated ones remain, and a new one is accepted', async () => {
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

  it('cannot exclude others by reopening connections without a token', async () => {
    for (let index = 0; index < 50; index += 1) {
      while (countOpen() < 256) await connections.open();
      assert.equal(await requestOnNew(), 200);
    }
  });

  it('cannot queue unlimited requests on one connection without a token', async () => {
    const connection = await connections.open();
    connection.write(`GET /health HTTP/1.1\r\nHost: ${new URL(rig.service.address).host}\r\n\r\n`.repeat(20_000));
    let bytes = 0;
    connection.socket.on('data', (data: Buffer) => (bytes += data.length));
    await eventually(async () => await Promise.resolve(connection.socket.closed ? true : undefined));
    assert.ok(bytes < 500_000, String(bytes));
    await assertServes();
  });

  it('is rejected itself when all connections are authenticated, until some of them end', async () => {
    await eventually(async () => {
      for (let count = countOpen(); count < 256; count += 1) {
        const connection = await connections.open();
        await connection.write(requestText(rig.service, { method: 'GET', target: '/' })).answer();
        connection.write(search().slice(0, -1));
      }
      return (await requestOnNew()) === undefined && countOpen() === 256 ? true : undefined;
    });
    connections.end();
    await eventually(async () => ((await requestOnNew()) === 200 ? true : undefined));
    await assertServes();
  });

  function countOpen(): number {
    return connections.opened.filter(({ socket }) => !socket.closed).length;
  }

  /**
   * Requests the root on a new connection. Returns the response's status; undefined if the service closes the
   * connection.
   */
  async function requestOnNew(): Promise<number | undefined> {
    const received = await sendRaw(rig.service.address, requestText(rig.service, { method: 'GET', target: '/' }));
    return received?.status;
  }
});
