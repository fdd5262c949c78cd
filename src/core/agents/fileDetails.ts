import { readLicenses } from '../citations/licenses.ts';
import type { FileEntry } from '../model/fileEntry.ts';
import { getReportedStaging } from '../model/staging.ts';
import type { JsonObject } from '../util/json.ts';
import { toDataLine } from './serverText.ts';
import { maxIdLength } from './toolFields.ts';

const maxDescriptionLength = 500;

/**
 * Returns a file as a row of search results. Reports an unknown size as `unknown`. Shortens the ID only if it is longer
 * than the tools accept.
 */
export function toFileRow(file: FileEntry): JsonObject {
  const { id, path, name, sizeBytes, format } = file;
  const staging = getReportedStaging(file);
  return {
    id: id.length > maxIdLength ? toDataLine(id, maxIdLength) : id,
    path: toDataLine(path ?? name),
    bytes: sizeBytes ?? 'unknown',
    ...(format !== undefined && { format: toDataLine(format, 40) }),
    ...(staging && { staging }),
  };
}

/** Returns the metadata that an agent needs to decide whether to transfer a file. */
export function toFileDetails(file: FileEntry): JsonObject {
  const { title, description, mediaType, hash, resource } = file;
  const licenses = readLicenses(resource).map(({ name }) => toDataLine(name));
  return {
    ...toFileRow(file),
    ...(title !== undefined && { title: toDataLine(title) }),
    ...(description !== undefined && { description: toDataLine(description, maxDescriptionLength) }),
    ...(mediaType !== undefined && { mediaType: toDataLine(mediaType, 80) }),
    hash: hash === undefined ? 'unknown' : toDataLine(hash),
    licenses: licenses.length === 0 ? 'not stated' : licenses,
  };
}
