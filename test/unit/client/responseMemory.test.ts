import assert from 'node:assert/strict';
import { readFoundPage, readJson } from '../../../src/core/client/responseReaders.ts';
import type { FoundFile } from '../../../src/core/model/fileEntry.ts';
import { collectGarbage } from '../../../src/service/threads/collectGarbage.ts';

const fileCount = 500;
const textLength = 10_000;

/** Returns the bytes that the heap has grown by while `create` ran and its result is kept. */
function measureGrowth(create: () => readonly FoundFile[]): { readonly bytes: number; readonly count: number } {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const files = create();
  collectGarbage();
  return { bytes: process.memoryUsage().heapUsed - before, count: files.length };
}

function createResponse(): string {
  const text = (kind: string, index: number): string => `${kind}${index}`.padEnd(textLength, '.');
  const resources = Array.from({ length: fileCount }, (_, index) => {
    const [place, name] = [text('place', index), text('name', index)];
    return { id: place, path: place, name, title: name, mediatype: text('type', 0) };
  });
  return JSON.stringify({ resources });
}

describe('The files of a response', () => {
  it('keep equal texts only once: ID and path, name and title, the media type of all files', () => {
    const response = createResponse();
    const { bytes, count } = measureGrowth(() => readFoundPage(readJson(response), 'Tree', true).files);
    assert.equal(count, fileCount);
    // Of five texts for each file, one for the place and one for the name remain.
    assert.ok(bytes / (fileCount * textLength) < 2.5, String(bytes));
  });
});
