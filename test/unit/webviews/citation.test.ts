import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { splitCitation } from '../../../src/webviews/metadata/citationLink.ts';
import { getShownCitation } from '../../../src/webviews/metadata/metadataNotes.ts';

describe('The citation on the page', () => {
  it('is absent while metadata that belongs into it may be missing', () => {
    const ref = { connectionId: 'c', database: 'Sample data', id: 'one', name: 'one.csv' };
    const cited = { ref, kept: false, loading: false, citation: 'Lovelace, A. (2026). Stations [Data set].' };
    assert.equal(getShownCitation(cited), cited.citation);
    assert.equal(getShownCitation({ ...cited, loading: true }), undefined);
    assert.equal(getShownCitation({ ...cited, problem: 'Could not fetch the metadata.' }), undefined);
  });

  it('ends with its DOI as a link, whose address is encoded', () => {
    assert.deepEqual(splitCitation('Doe, J. (2021). Soil [Data set]. JGI. https://doi.org/10.1234/a#b?c'), {
      text: 'Doe, J. (2021). Soil [Data set]. JGI.',
      doi: 'https://doi.org/10.1234/a#b?c',
      address: 'https://doi.org/10.1234/a%23b%3Fc',
    });
  });

  for (const citation of [
    'Doe, J. (2021). Soil [Data set]. https://example.org/10.1234/a',
    'Doe, J. (2021). Soil [Data set]. http://doi.org/10.1234/a',
    'https://doi.org/10.1234/a in a title [Data set]. JGI.',
    'Doe, J. (2021). Soil. https://doi.org.evil.example/10.1234/a',
    'Doe, J. (2021). Soil. https://doi.org/../evil',
  ])
    it(`has no link in ${citation}`, () => {
      assert.deepEqual(splitCitation(citation), { text: citation });
    });
});
