import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listCitations } from '../../src/core/citations/citableUnits.ts';
import type { Citation } from '../../src/core/citations/citation.ts';
import type { JsonObject } from '../../src/core/util/json.ts';
import { readCitationText, readCrateText } from '../../src/service/catalog/creditFiles.ts';
import { readPackageText } from '../../src/service/catalog/dataPackage.ts';

/** The facts that a description states about its work. Names have the form `Family, Given`; those of groups are whole. */
export interface DescribedWork {
  readonly description: string;
  readonly title: string;
  readonly authors: readonly string[];
  readonly editors: readonly string[];
  readonly publisher?: string;
  readonly issued?: string;
  readonly version?: string;
  readonly doi?: string;
  readonly licenses: readonly string[];
}

const noEditors = { editors: [] };
const unlicensed = { licenses: [] };

/** The works of thirteen descriptions: data packages, crates, citation files, and resources of a public server. */
export const describedWorks: readonly DescribedWork[] = [
  {
    description: 'tides',
    title: 'Tides of the northern coast',
    authors: ['Coast Institute, Department of Tides'],
    ...noEditors,
    publisher: 'Tide Archive',
    issued: '2024-05-06',
    version: '1.2.0',
    doi: '10.1234/tides.2024',
    licenses: ['PDDL-1.0'],
  },
  {
    description: 'currents',
    title: 'Currents & eddies: 50% of the_strait',
    authors: ['Núñez Ibarra, Óscar', 'Wójcik, Łukasz Żan', 'O’Čapek, Ángela-Élise'],
    editors: ['Østergård, Þóra'],
    issued: '2021-05-31',
    version: '2021-05',
    doi: '10.1234/currents',
    licenses: ['CC-BY-3.0-DE'],
  },
  {
    description: 'rainfall',
    title: 'rainfall',
    authors: ['Rain Watch Society of the Hills'],
    ...noEditors,
    version: '3',
    licenses: ['ODC-By-1.0'],
  },
  {
    description: 'sediment',
    title: 'Sediment cores {draft} with 3 µm^2 grains',
    authors: ['Núria Quill'],
    ...noEditors,
    issued: '2019-02-28',
    version: '0.9',
    doi: '10.1234/sediment_(cores)',
    licenses: ['CC-BY-NC-3.0-IGO'],
  },
  {
    description: 'reef',
    title: 'Reef survey',
    authors: ['van den Berg, Élodie', 'Satō, Aoi', 'Reef & Shore Laboratory'],
    ...noEditors,
    publisher: 'Archive of Reefs and Shores',
    issued: '2023-11-05',
    version: 'v2',
    doi: '10.1234/reef',
    licenses: ['CC-BY-SA-4.0'],
  },
  {
    description: 'herbarium',
    title: 'Гербарий северных лугов',
    authors: [],
    editors: ['Иванова, Ирина', 'Eriksson, Åsa'],
    publisher: 'Meadow Press, Inc.',
    issued: '2020',
    doi: '10.1234/herbarium',
    licenses: ['CC0-1.0'],
  },
  {
    description: 'glacier',
    title: 'Glacier photographs',
    authors: ['Ice Club, North'],
    ...noEditors,
    issued: '1998-07',
    licenses: ['https://creativecommons.org/licenses/by/3.0/fr/'],
  },
  {
    description: 'plankton',
    title: 'Plankton counts',
    authors: ['Müller, Zoë M.', 'Özgür, Çağla', 'Plankton Network'],
    ...noEditors,
    issued: '2022-12-01',
    version: '1.10',
    doi: '10.1234/plankton',
    licenses: ['CC-BY-4.0'],
  },
  {
    description: 'dunes',
    title: 'Dune atlas -- second edition',
    authors: ['Sand, Ann'],
    editors: ['Đurić, Žarko', 'Dune Group, East'],
    publisher: 'Dune House',
    issued: '2015-04',
    doi: '10.1234/dunes',
    licenses: ['CC-BY-NC-ND-3.0-IGO'],
  },
  {
    description: 'jdp-1-tar-with-proposal-doi',
    title: 'Prochlorococcus marinus MIT 0604 genome',
    authors: ['Carberry, Josiah'],
    ...noEditors,
    publisher: 'Joint Genome Institute',
    issued: '2021-08-26',
    version: '2021-08-26',
    ...unlicensed,
  },
  {
    description: 'jdp-4-pdf-no-proposal-doi',
    title: 'Prochlorococcus single-cell amplified genome SAG-12',
    authors: ['Doe, Jane J'],
    ...noEditors,
    publisher: 'Joint Genome Institute',
    issued: '2021-08-26',
    version: '2021-08-26',
    ...unlicensed,
  },
  {
    description: 'nmdc-1',
    title: 'Bio-Scales: Defining plant gene function and its connection to ecosystem nitrogen and carbon cycle',
    authors: ['Example, Ada', 'Sample, Ben'],
    ...noEditors,
    publisher: 'National Microbiome Data Collaborative',
    ...unlicensed,
  },
  { description: 's3-1', title: 's3-1', authors: [], ...noEditors, ...unlicensed },
];

const readers = {
  'datapackage.json': readPackageText,
  'ro-crate-metadata.json': readCrateText,
  'CITATION.cff': readCitationText,
};

/** Returns the resource that the local service serves for a described file, or that a public server has sent. */
function readResource(description: string): JsonObject {
  const recorded = JSON.parse(readFileSync(join(import.meta.dirname, 'realResources.json'), 'utf8')) as JsonObject;
  if (recorded[description] !== undefined) return recorded[description] as JsonObject;
  const folder = join(import.meta.dirname, '..', 'fixtures', 'descriptions', description);
  for (const [name, read] of Object.entries(readers)) {
    const text = readIfPresent(join(folder, name));
    if (text === undefined) continue;
    const { metadata, folder: shared } = read(text);
    return { ...shared, ...[...(metadata?.values() ?? [])][0] };
  }
  throw new Error(`${folder} has no description.`);
}

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Returns the citations of all described works, in their order. */
export function citeDescribedWorks(): readonly Citation[] {
  const files = describedWorks.map(({ description }) => ({ name: description, resource: readResource(description) }));
  return listCitations(files, '2026-11-22');
}
