import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeOpeningCode } from '../../../src/core/code/writeCode.ts';
import { runPython } from '../../support/runCode.ts';
import { isDeep } from '../../support/testSize.ts';

/** Writes valid files that libraries reject or read in part by default. Runs in an empty folder. */
const writeFiles = `
import gzip, json
from pathlib import Path
import h5py, nibabel, numpy, openpyxl, pysam, tifffile, zarr

Path("spliced.gff3").write_text(
    "##gff-version 3\\n"
    "chr1\\t.\\tmRNA\\t1\\t900\\t.\\t+\\t.\\tID=m1\\n"
    "chr1\\t.\\tCDS\\t1\\t100\\t.\\t+\\t0\\tID=c1;Parent=m1\\n"
    "chr1\\t.\\tCDS\\t300\\t400\\t.\\t+\\t0\\tID=c1;Parent=m1\\n")
for name, mode in (("u.sam", "w"), ("u.bam", "wb"), ("u.cram", "wc")):
    with pysam.AlignmentFile(name, mode, header={"HD": {"VN": "1.6"}}) as file:
        read = pysam.AlignedSegment()
        read.query_name, read.query_sequence, read.flag = "r1", "ACGT", 4
        file.write(read)
with h5py.File("odd.h5", "w") as file:
    file["group/complex"] = numpy.array([1 + 2j])
    file["compound"] = numpy.array([(1, 2.5)], dtype=[("a", "i4"), ("b", "f8")])
Path("mark.json").write_bytes(b"\\xef\\xbb\\xbf" + json.dumps({"name": "Öl"}, ensure_ascii=False).encode())
tifffile.imwrite("pages.tif", numpy.zeros((3, 4, 5), "u1"), photometric="minisblack")
book = openpyxl.Workbook()
book.active.append(["a"])
book.create_sheet("second").append(["b"])
book.save("two.xlsx")
Path("good.csv").write_text("a,b\\n1,2\\n")
Path("empty.csv").write_text("")
group = zarr.open("exp.zarr", mode="w")
group.create_dataset("values", data=numpy.arange(6), chunks=2)
with gzip.open("x.vcf.gz", "wt") as file:
    file.write("##fileformat=VCFv4.2\\n##contig=<ID=1>\\n#CHROM\\tPOS\\tID\\tREF\\tALT\\tQUAL\\tFILTER\\tINFO\\n1\\t5\\t.\\tA\\tC\\t.\\t.\\t.\\n")
for name in "brain.nii", "brain.nii.gz":
    nibabel.save(nibabel.Nifti1Image(numpy.ones((2, 3, 4), "i2"), numpy.eye(4)), name)
Path("last.fastq").write_text("@r1\\nACGT\\n+\\nIIII")
with open("two.fq.gz", "wb") as file:
    for name in "r1", "r2":
        file.write(gzip.compress(f"@{name}\\nACGT\\n+\\nIIII\\n".encode()))
`;

/** Prints what the generated code read. */
const describeFiles = `
name = lambda path: str(path.relative_to(folder))
print({name(path): [feature.id for feature in db.features_of_type("CDS")] for path, db in annotations.items()})
print({name(path): [read.query_name for read in file.fetch(until_eof=True)] for path, file in alignments.items()})
print({name(path): (file["group/complex"][0], file["compound"][0]["b"]) for path, file in hdf5_files.items()})
print({name(path): document["name"] for path, document in documents.items()})
print({name(path): len(file.pages) for path, file in images.items()})
print({name(path): list(sheets) for path, sheets in workbooks.items()})
print({name(path): table.shape for path, table in tables.items()})
print({name(path): store["values"][:].tolist() for path, store in zarr_stores.items()})
print({name(path): [record.pos for record in file] for path, file in variants.items()})
print({name(path): (image.shape, image.get_fdata().sum()) for path, image in volumes.items()})
print({name(path): len(records) for path, records in reads.items()})
print({name(path): len(records) for path, records in compressed_reads.items()})
`;

if (isDeep) {
  describe('Code that opens transferred files, run with the libraries', () => {
    it('reads valid files whole, and names those that cannot be opened', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'formats-'));
      try {
        execFileSync('python3', ['-c', writeFiles], { cwd: folder });
        const names =
          'spliced.gff3 u.sam u.bam u.cram odd.h5 mark.json pages.tif two.xlsx empty.csv good.csv ' +
          'exp.zarr/.zgroup exp.zarr/values/0 x.vcf.gz last.fastq two.fq.gz brain.nii brain.nii.gz';
        const code = writeOpeningCode({ folder, paths: names.split(' '), omittedCount: 0 });
        const { output, errors } = await runPython(code + describeFiles, '', folder);
        assert.deepEqual(output.trimEnd().split('\n'), [
          "{'spliced.gff3': ['c1', 'c1_1']}",
          "{'u.sam': ['r1'], 'u.bam': ['r1'], 'u.cram': ['r1']}",
          "{'odd.h5': ((1+2j), 2.5)}",
          "{'mark.json': 'Öl'}",
          "{'pages.tif': 3}",
          "{'two.xlsx': ['Sheet', 'second']}",
          "{'good.csv': (1, 2)}",
          "{'exp.zarr': [0, 1, 2, 3, 4, 5]}",
          "{'x.vcf.gz': [5]}",
          "{'brain.nii': ((2, 3, 4), 24.0), 'brain.nii.gz': ((2, 3, 4), 24.0)}",
          "{'last.fastq': 1}",
          "{'two.fq.gz': 2}",
        ]);
        assert.match(errors, /empty\.csv can't be opened: EmptyDataError/);
      } finally {
        await rm(folder, { recursive: true });
      }
    });
  });
}
