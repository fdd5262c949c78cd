/**
 * Makes s3rver respond to an upload only after the file is written, as S3 does; loaded with `--require`. Otherwise,
 * rclone may find an object that is still incomplete and report it as corrupted.
 */
const { createHash } = require('node:crypto');
const { createWriteStream } = require('node:fs');
const { mkdir, writeFile } = require('node:fs/promises');
const path = require('node:path');
const { pipeline } = require('node:stream/promises');
const FilesystemStore = require('s3rver/lib/stores/filesystem.js');

async function write(file, content) {
  const hash = createHash('md5');
  let size = 0;
  const count = async function* (pieces) {
    for await (const piece of pieces) {
      hash.update(piece);
      size += piece.length;
      yield piece;
    }
  };
  await mkdir(path.dirname(file), { recursive: true });
  await pipeline(Buffer.isBuffer(content) ? [content] : content, count, createWriteStream(file));
  return { size, md5: hash.digest('hex') };
}

FilesystemStore.prototype.putObject = async function ({ bucket, key, content, metadata }) {
  const written = await write(this.getResourcePath(bucket, key, 'object'), content);
  await this.putMetadata(bucket, key, metadata, written.md5);
  return written;
};

FilesystemStore.prototype.putPart = async function (bucket, uploadId, partNumber, content) {
  const folder = path.join(this.getResourcePath(bucket, undefined, 'uploads'), uploadId);
  const file = path.join(folder, String(partNumber));
  const written = await write(file, content);
  await writeFile(`${file}.md5`, written.md5);
  return written;
};
