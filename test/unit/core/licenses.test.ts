import assert from 'node:assert/strict';
import spdxIds from 'spdx-license-ids/index.json' with { type: 'json' };
import {
  countFileLicenses,
  readLicenses,
  readStatedLicenses,
  type LicenseCount,
} from '../../../src/core/citations/creditText.ts';

/** Counts files whose metadata states these licenses. */
function countLicenses(licenses: readonly string[]): readonly LicenseCount[] {
  return countFileLicenses(
    licenses.map((license) => ({ id: 'a', name: 'a', licenses: readStatedLicenses({ license }) })),
  );
}

describe('Licenses', () => {
  for (const [license, name] of [
    ['CC BY 4.0', 'CC-BY-4.0'],
    ['cc-by-nc-sa-3.0', 'CC-BY-NC-SA-3.0'],
    ['CC0', 'CC0-1.0'],
    ['https://creativecommons.org/licenses/by/4.0/deed.fr', 'CC-BY-4.0'],
    [{ id: '', url: 'http://creativecommons.org/publicdomain/zero/1.0/' }, 'CC0-1.0'],
    [{ id: 'mit', url: '' }, 'MIT'],
    ['https://spdx.org/licenses/Apache-2.0.html', 'Apache-2.0'],
    ['https://spdx.org/licenses/CC-BY-4.0.html', 'CC-BY-4.0'],
    ['https://spdx.org/licenses/CC0-1.0', 'CC0-1.0'],
    ['http://creativecommons.org/licenses/by/3.0/us/', 'CC-BY-3.0-US'],
    ['https://creativecommons.org/licenses/by/3.0/de/deed.en', 'CC-BY-3.0-DE'],
    ['https://creativecommons.org/licenses/by-nc/3.0/igo/legalcode', 'CC-BY-NC-3.0-IGO'],
    ['https://creativecommons.org/licenses/by-sa/2.1/jp/', 'CC-BY-SA-2.1-JP'],
    ['https://creativecommons.org/licenses/by/3.0/fr/', 'https://creativecommons.org/licenses/by/3.0/fr/'],
    [{ id: 'CC-BY-3.0', url: 'https://creativecommons.org/licenses/by/3.0/us/' }, 'CC-BY-3.0-US'],
    [
      { id: 'CC-BY-3.0', url: 'https://creativecommons.org/licenses/by/3.0/fr/' },
      'https://creativecommons.org/licenses/by/3.0/fr/',
    ],
    ['CC BY-NC-SA 3.0 IGO', 'CC-BY-NC-SA-3.0-IGO'],
    ['CC BY 4.0 International', 'CC-BY-4.0'],
    ['https://creativecommons.org/publicdomain/mark/1.0/', 'CC-PDM-1.0'],
    ['ODC-PDDL-1.0', 'PDDL-1.0'],
    ['odc-pddl', 'PDDL-1.0'],
    ['ODC-ODbL', 'ODbL-1.0'],
    ['ODC-BY-1.0', 'ODC-By-1.0'],
    ['by', 'by'],
    ['https://opendatacommons.org/licenses/pddl/', 'PDDL-1.0'],
    ['http://www.opendatacommons.org/licenses/pddl/1.0/', 'PDDL-1.0'],
    ['https://opendatacommons.org/licenses/odbl/1-0/', 'ODbL-1.0'],
    ['http://opendatacommons.org/licenses/by/summary/', 'ODC-By-1.0'],
    ['http://opendefinition.org/licenses/odc-by', 'ODC-By-1.0'],
    ['http://opendefinition.org/licenses/cc-by', 'http://opendefinition.org/licenses/cc-by'],
    ['https://opensource.org/licenses/BSD-3-Clause', 'BSD-3-Clause'],
    ['https://opensource.org/license/apache-2-0', 'Apache-2.0'],
    ['LiLiQ-P-1.1', 'LiLiQ-P-1.1'],
    ['Ask the owner', 'Ask the owner'],
    [{ id: '', url: '' }, undefined],
    [null, undefined],
  ] as const) {
    it(`read ${JSON.stringify(license)} as ${name ?? 'not stated'}`, () => {
      assert.equal(readLicenses({ credit: { license } })[0]?.name, name);
    });
  }

  it('have the SPDX ID that each ported Creative Commons license of the list has at its address', () => {
    const ported = spdxIds.filter((id) => /^CC-BY.*-\d\.\d-[A-Z]+$/.test(id));
    const named = ported.map((id) => {
      const [, elements = '', version = '', port = ''] = /^CC-(.*)-(\d\.\d)-([A-Z]+)$/.exec(id) ?? [];
      const path = `https://creativecommons.org/licenses/${elements}/${version}/${port}/`.toLowerCase();
      return readLicenses({ licenses: [{ name: `CC-${elements}-${version}`, path }] })[0];
    });
    assert.ok(ported.length > 20);
    assert.deepEqual(
      named.map((license) => [license?.name, license?.isSpdx]),
      ported.map((id) => [id, true]),
    );
  });

  for (const [license, name] of [
    [{ url: 'http://opendatacommons.org/licenses/pddl/1.0/' }, 'PDDL-1.0'],
    [{ type: 'ODC-BY-1.0', url: 'https://opendatacommons.org/licenses/by/1-0/' }, 'ODC-By-1.0'],
    [{ id: 'odc-odbl', url: 'https://example.org/odbl' }, 'ODbL-1.0'],
    [{ name: '', title: 'CC0' }, 'CC0-1.0'],
  ] as const) {
    it(`of a data package have the name ${name} for ${JSON.stringify(license)}`, () => {
      assert.equal(readLicenses({ licenses: [license] })[0]?.name, name);
    });
  }

  it('are counted by SPDX ID, with files that state none last', () => {
    const resources = ['', 'CC BY 4.0', '', 'MIT', 'https://creativecommons.org/licenses/by/4.0/', ''];
    const counts = countLicenses(resources);
    assert.deepEqual(
      counts.map(({ license, fileCount }) => [license?.name, fileCount]),
      [
        ['CC-BY-4.0', 2],
        ['MIT', 1],
        [undefined, 3],
      ],
    );
    assert.equal(counts[0]?.license?.url, 'https://spdx.org/licenses/CC-BY-4.0.html');
  });

  it('are listed once for a name and the address of the same license', () => {
    const licenses = [{ name: 'CC BY 4.0' }, { path: 'https://spdx.org/licenses/CC-BY-4.0.html' }];
    const license = 'https://creativecommons.org/licenses/by/4.0/';
    assert.deepEqual(
      readLicenses({ licenses, license }).map(({ name }) => name),
      ['CC-BY-4.0'],
    );
  });

  it('are counted for the files of a transfer, apart from files whose metadata were unknown', () => {
    const licenses = ['CC BY 4.0', '', { id: 'All rights reserved', url: 'https://example.org/terms' }];
    const known = licenses.map((license) => ({ licenses: readStatedLicenses({ credit: { license } }) }));
    const files = [...known, {}].map((file, index) => ({ id: String(index), name: 'a', ...file }));
    const counts = countFileLicenses(JSON.parse(JSON.stringify(files)) as typeof files);
    assert.deepEqual(
      counts.map(({ license, fileCount, forbidsSharing }) => [license?.name, license?.url, fileCount, forbidsSharing]),
      [
        ['CC-BY-4.0', 'https://spdx.org/licenses/CC-BY-4.0.html', 1, false],
        ['All rights reserved', 'https://example.org/terms', 1, true],
        [undefined, undefined, 1, false],
      ],
    );
  });

  it('are marked if their wording forbids redistribution', () => {
    const wordings = ['All rights reserved', 'No redistribution', 'not redistributable', 'CC-BY-ND-4.0', 'CC0'];
    const forbidden = wordings.filter((license) => countLicenses([license])[0]?.forbidsSharing);
    assert.deepEqual(forbidden, wordings.slice(0, 3));
  });
});
