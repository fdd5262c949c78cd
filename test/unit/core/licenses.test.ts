import assert from 'node:assert/strict';
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
    ['Ask the owner', 'Ask the owner'],
    [{ id: '', url: '' }, undefined],
    [null, undefined],
  ] as const) {
    it(`read ${JSON.stringify(license)} as ${name ?? 'not stated'}`, () => {
      assert.equal(readLicenses({ credit: { license } })[0]?.name, name);
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
