/** Returns a file as a real server describes it: about 1.5 kB of JSON, mostly credit metadata. */
function resource(id: string): object {
  const place = Number.parseInt(id.slice(-6), 10);
  return {
    id,
    name: `reads_${id.toLowerCase().replace(/\W/g, '_')}`,
    path: `genomes/organism_${String(place % 97)}/run-${String(place)}/filtered.reads.${String(place)}.fastq.gz`,
    title: `Filtered reads of run ${String(place)}, organism ${String(place % 97)}`,
    format: 'fastq',
    mediatype: 'application/gzip',
    bytes: 709_508_155 + place,
    hash: `${place.toString(16).padStart(8, '0')}4b1f0c2d9e8a7f6b5c4d3e2f`,
    credit: credit(id, place),
    sources: [
      { title: 'Wrighton, Kelly (Colorado State University)', path: 'https://example.org/', email: 'k@example.org' },
    ],
  };
}

function credit(id: string, place: number): object {
  return {
    comment: '',
    content_url: '',
    contributors: [
      {
        contributor_type: 'Person',
        contributor_id: '',
        name: 'Wrighton, Kelly',
        given_name: 'Kelly',
        family_name: 'Wrighton',
        affiliations: [{ organization_id: '', organization_name: 'Colorado State University' }],
        contributor_roles: 'PI',
      },
    ],
    dates: [
      { date: '2021-08-26', event: 'Created' },
      { date: '2021-09-14T18:12:55.123000', event: 'Accepted' },
      { date: '2023-02-01T09:00:00.000000', event: 'Updated' },
    ],
    descriptions: null,
    funding: null,
    identifier: id,
    license: { id: '', url: '' },
    meta: { credit_metadata_schema_version: '', credit_metadata_source: null, saved_by: '', timestamp: 0 },
    publisher: { organization_id: 'ROR:04xm1d337', organization_name: 'Joint Genome Institute' },
    related_identifiers: [
      { id: '10.46936/fics.proj.2019.50568', description: 'Proposal DOI', relationship_type: 'IsCitedBy' },
    ],
    resource_type: 'dataset',
    titles: [{ language: '', title: `Metagenome of sample ${String(place)}`, title_type: '' }],
    url: 'https://example.org/datasets',
    version: '1.0.0',
  };
}

/** Returns the JSON response to a search, or to a metadata request, that contains the files with these IDs. */
export function answerFor(ids: readonly string[]): string {
  return JSON.stringify({ database: 'JGI Data Portal', resources: ids.map(resource) });
}

/** Returns `count` files with consecutive IDs. */
export function numberedResources(count: number): readonly object[] {
  return numberedIds(count).map(resource);
}

/** Returns `count` consecutive IDs. */
export function numberedIds(count: number): readonly string[] {
  return Array.from({ length: count }, (_, place) => `JDP:613a7baa72d3a08c${String(place).padStart(6, '0')}`);
}
