import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createFolder } from '../util/createFolder.ts';
import { isMissing } from '../util/errorFacts.ts';
import { parseJsonObject } from '../util/json.ts';
import { readRegularFile, writeFileAtomically } from '../util/durableFiles.ts';

/** Rule for submissions by agents. `ask`: a person confirms each one. `never`: none are allowed. */
export type SubmissionRule = 'ask' | 'never';

const fileName = 'agents.json';
const maxBytes = 10_000;

/** Stores the rule for submissions by agents next to the transfer records, for editor, MCP server and command line. */
export class AgentPolicy {
  private readonly file: string;

  /** `folder` is the ledger's folder. */
  constructor(folder: string) {
    this.file = join(folder, fileName);
  }

  /** Reads the rule: `ask` without a file, `never` if it is unreadable, invalid or a dangling link. Never rejects. */
  async read(): Promise<SubmissionRule> {
    try {
      const { submit } = parseJsonObject(await readRegularFile(this.file, maxBytes)) ?? {};
      return submit === 'ask' ? 'ask' : 'never';
    } catch (error) {
      return isMissing(error) && !(await this.exists()) ? 'ask' : 'never';
    }
  }

  private async exists(): Promise<boolean> {
    return await lstat(this.file).then(
      () => true,
      (error: unknown) => !isMissing(error),
    );
  }

  /** Writes the rule. Rejects with the file system's error. */
  async write(submit: SubmissionRule): Promise<void> {
    await createFolder(dirname(this.file), 0o700);
    await writeFileAtomically(this.file, `${JSON.stringify({ submit })}\n`);
  }
}
