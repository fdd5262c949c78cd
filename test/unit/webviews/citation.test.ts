import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { splitCitation } from '../../../src/webviews/metadata/credit.ts';

describe('The citation on the page', () => {
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
