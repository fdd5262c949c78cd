import type { Connection } from '../model/connection.ts';
import type { Transfer } from '../model/transferModel.ts';

/** The name of the {@link UserData} file format. */
export const userDataFormat = 'data-transfer-explorer user data';
/** The version of the format that this program reads and writes. */
export const userDataVersion = 1;

/** The maximum size of a user data file, which the import reads as one string. */
export const maxUserDataBytes = 256_000_000;

/** Thrown instead of writing a user data file that would be too large to import. */
export class UserDataSizeError extends Error {
  override readonly name = 'UserDataSizeError';
}

/** A folder or store that the local service serves, as described in the settings. Has a `folder` or a `remote`. */
export interface ServedEntry {
  readonly name: string;
  /** An absolute path on the machine that exported the file. */
  readonly folder?: string | undefined;
  /** An rclone remote and a path, such as `lab:bucket/prefix`. */
  readonly remote?: string | undefined;
  readonly organization?: string;
  readonly readOnly?: boolean;
  readonly rescanMinutes?: number | undefined;
}

/** A user's data, for import on another machine (D65: user data file). Never contains a key. */
export interface UserData {
  /** The user's ORCID iD; absent if the user has not set it. */
  readonly orcid?: string;
  readonly connections: readonly Connection[];
  readonly databases: readonly ServedEntry[];
  readonly transfers: readonly Transfer[];
}
