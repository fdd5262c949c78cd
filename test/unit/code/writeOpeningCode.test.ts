import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeOpeningCode } from '../../../src/core/code/writeCode.ts';
import { parsePython, runPython } from '../../support/runCode.ts';

const endings =
  'csv csv.gz tsv parquet xlsx ods json geojson gpkg shp nc h5 zarr bam cram sam vcf vcf.gz fasta fa.gz fastq fastq.gz gff3 tif pq nii nii.gz mzml mzml.gz';

describe('Code that opens transferred files', () => {
  it('is valid Python for every format, and imports each library once', async () => {
    const paths = endings.split(' ').map((ending) => `it's "a"/x.${ending}`);
    const code = writeOpeningCode({ folder: '/a b/\u202e', paths, omittedCount: 0 });
    const run = await parsePython(code);
    assert.deepEqual([run.exitCode, run.errors], [0, '']);
    const imports = code.split('\n').filter((line) => /^(import|from) /.test(line));
    assert.equal(new Set(imports).size, imports.length);
    for (const library of ['pandas', 'geopandas', 'xarray', 'h5py', 'zarr', 'pysam', 'gffutils', 'tifffile', 'nibabel'])
      assert.ok(imports.includes(`import ${library}`), library);
    assert.ok(imports.includes('from Bio import SeqIO'));
    assert.ok(imports.includes('from pyteomics import mzml  # pip install pyteomics[XML]'));
  });

  it('opens the files in their folder, with names full of quotes', async () => {
    const folder = await mkdtemp(join(tmpdir(), `it's "a" $HOME `));
    try {
      const name = `b's "c" \\n.JSON`;
      await mkdir(join(folder, 'data'));
      await writeFile(join(folder, 'data', name), '{"value": 42}');
      const verification = { at: Date.UTC(2026, 0, 2), areIntact: true };
      const paths = [`data/${name}`, 'other.bin'];
      const code = writeOpeningCode({ folder, paths, omittedCount: 0, verification });
      assert.match(code, /^# Transferred files, verified on 2026-01-02$/m);
      const { output, errors } = await runPython(`${code}\nprint(len(paths), documents)`, '');
      assert.equal(errors, '');
      assert.match(output, /^2 \{.*\{'value': 42\}\}\s*$/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('names the files that cannot be opened, and opens the others of their format', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'opened '));
    try {
      await writeFile(join(folder, 'a.json'), '{');
      await writeFile(join(folder, 'b.json'), '\ufeff{"value": 42}');
      const code = writeOpeningCode({ folder, paths: ['a.json', 'b.json'], omittedCount: 0 });
      const { output, errors } = await runPython(`${code}\nprint(list(documents.values()))`, '');
      assert.equal(output, "[{'value': 42}]\n");
      assert.match(errors, /^.*a\.json can't be opened: JSONDecodeError\(.*\n$/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('opens a Zarr store as one folder', () => {
    const paths = ['x/a.zarr/.zgroup', 'x/a.zarr/values/0.0', 'x/a.zarr.csv'];
    const code = writeOpeningCode({ folder: '/f', paths, omittedCount: 0 });
    assert.match(code, /^paths = \[\n {4}folder \/ "x\/a\.zarr",\n {4}folder \/ "x\/a\.zarr\.csv",\n\]$/m);
    assert.match(code, /^zarr_stores = open_files\(\("\.zarr",\), /m);
  });

  it('says that the columns of a partitioned Parquet data set are not in its files', () => {
    const code = writeOpeningCode({ folder: '/f', paths: ['a/year=2024/part-0.parquet', 'b.pq'], omittedCount: 0 });
    assert.match(code, /^# Columns that only names of folders state, such as year=2024, are not in the files\.$/m);
    assert.match(code, /^parquet_tables = open_files\(\("\.parquet", "\.parq", "\.pq"\), pandas\.read_parquet\)$/m);
  });

  it('lists files of other formats without a library', () => {
    assert.equal(
      writeOpeningCode({ folder: '/a', paths: ['b.xyz'], omittedCount: 0 }),
      'from pathlib import Path\n\n# Transferred files, not verified yet\nfolder = Path("/a")\npaths = [\n    folder / "b.xyz",\n]',
    );
  });

  it('notes that unknown files are damaged, and that other files are not listed', async () => {
    const verification = { at: Date.UTC(2026, 0, 2), areIntact: false };
    const code = writeOpeningCode({ folder: '/a', paths: ['b.csv', 'c.csv'], omittedCount: 12, verification });
    assert.match(code, /^# Transferred files, verified on 2026-01-02; some of them were damaged or missing$/m);
    assert.match(code, /^# The first 2 files; 12 more are not listed$/m);
    assert.equal((await parsePython(code)).exitCode, 0);
  });

  it('notes how many files could not be verified', () => {
    const verification = { at: Date.UTC(2026, 0, 2), areIntact: true, unverifiedCount: 3 };
    const code = writeOpeningCode({ folder: '/a', paths: ['b.csv'], omittedCount: 0, verification });
    assert.match(code, /^# Transferred files, verified on 2026-01-02; 3 of them could not be verified$/m);
  });
});
