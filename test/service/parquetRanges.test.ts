import assert from 'node:assert/strict';
import * as nodePath from 'node:path';
import { createParquetPreview, maxParquetBytes } from '../../src/core/tables/parquetPreview.ts';
import type { DatabaseLocation } from '../../src/service/catalog/servedDatabases.ts';
import { ContentRig } from '../support/contentRig.ts';
import { writeSparseParquet } from '../support/parquetFiles.ts';

describe('The first rows of a Parquet file of 290 MB', () => {
  let rig: ContentRig;
  before(async () => {
    rig = await ContentRig.start(['sftp']);
    await writeSparseParquet('wide', nodePath.join(rig.servers.folder('sftp'), 'wide.parquet'));
  });
  after(async () => await rig.stop());

  const places: Readonly<Record<string, () => DatabaseLocation>> = {
    'a folder': () => ({ folder: rig.servers.folder('sftp') }),
    'an SFTP server': () => ({ remote: rig.servers.remote('sftp') }),
  };
  for (const [place, locate] of Object.entries(places)) {
    it(`are in a few ranges, with at most 512 kB, of ${place}`, async () => {
      let bytesRead = 0;
      const read = async (from: number, limit: number): Promise<Uint8Array> => {
        const range = { from, last: from + limit - 1 };
        const { content = new Uint8Array() } = await rig.reader.read(locate(), 'wide.parquet', { range });
        bytesRead += content.length;
        return content;
      };
      const { totalBytes } = await rig.reader.read(locate(), 'wide.parquet', { range: { from: 0, last: 0 } });
      assert.ok(totalBytes > 200_000_000);
      const preview = await createParquetPreview({ totalBytes, read });
      assert.ok(preview.kind === 'table');
      assert.deepEqual(preview.rows[2], ['2', '4', '6', '8', '10', '12']);
      assert.equal(preview.rows.length, 20);
      assert.ok(bytesRead <= maxParquetBytes, `${bytesRead} bytes were read`);
    });
  }
});
