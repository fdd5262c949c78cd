/** rclone's own pattern for the names of remotes, which excludes the syntax of connection strings and options. */
const remotePattern = /^([\w\p{L}\p{N}.+@][\w\p{L}\p{N}.+@ -]*):(.*)$/u;

/**
 * Returns the reason a string isn't a valid remote, worded to follow the field's name; undefined if it is valid. Only
 * the names of configured remotes are valid, because a backend defined in the string itself can run commands (D62:
 * stores through rclone). On Windows, a one-letter name is invalid: rclone reads `c:` as a drive.
 */
export function findRemoteProblem(remote: string, platform = process.platform): string | undefined {
  const [, name = '', path = ''] = remotePattern.exec(remote) ?? [];
  if (name === '' || name.endsWith(' ')) return `must be the name of an rclone remote and a path, such as ${example}`;
  if (platform === 'win32' && /^[a-z]$/i.test(name)) return 'must not begin with a drive letter';
  if (/\p{Cc}|\]/u.test(path)) return 'must have no control characters and no "]" in its path';
  if (path.split('/').some((part) => part === '..' || part === '.')) return 'must have no "." or ".." in its path';
  return undefined;
}

const example = '"lab:bucket/prefix" (no options, no backend such as ":sftp:")';

/** Returns the name of a valid remote: `lab` for `lab:bucket/prefix`. */
export function getRemoteName(remote: string): string {
  return remote.slice(0, remote.indexOf(':'));
}

/** Returns a remote with rclone options such as `copy_cutoff=5G`, which override the remote's configuration. */
export function addRemoteOptions(remote: string, options: string): string {
  const name = getRemoteName(remote);
  return options === '' ? remote : `${name},${options}${remote.slice(name.length)}`;
}

/** Returns the path of a file or folder in a remote, for use as an rclone argument. */
export function joinRemotePath(remote: string, path: string): string {
  if (path === '') return remote;
  return remote.endsWith(':') || remote.endsWith('/') ? remote + path : `${remote}/${path}`;
}
