import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import * as nodePath from 'node:path';
import { promisify } from 'node:util';

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

/**
 * Returns a remote of which rclone doesn't ask the server whether its path is that of an object. In a bucket, an object
 * can have the name of a folder.
 */
export function toFolderRemote(remote: string): string {
  return /[:/]$/.test(remote) ? remote : `${remote}/`;
}

/** Returns the pattern in rclone's filters that matches only the given path. */
export function escapePattern(path: string): string {
  return path.replace(/[*?[\]{}\\]/g, '\\$&');
}

const maxStoredChars = 64 * 1024;

/** The reason why an archived object can't be read. */
export const archivedCause = 'it is archived and must first be restored in the store';

/** The reason why a store refuses an object that is too large. */
export const tooLargeCause = "the server doesn't accept files of this size";

/** The reason why a store refuses a name. OpenSSH has the same answer for both. */
export const nameCause = 'its name is too long for the store, or not allowed there';

/** The reason why a store refuses a request without permission. */
export const deniedCause = 'its server denies access';

/** The reason why a store can't be listed. */
export const missingFolderCause = "its folder or bucket doesn't exist";

/** The reason why a store can't be used at present. */
export const silentCause = "its server doesn't respond";

/** The reason why a response of a store ended early. */
export const lostCause = 'the connection was lost';

/** The reason why a store takes no more data. */
export const fullCause = 'it is full';

/** The reason why rclone can't upload to S3 with AWS settings, which sign the content, without TLS. */
export const unsignedCause =
  'uploads to its http:// address need "use_unsigned_payload = true" in the rclone configuration';

/** The reason why rclone rejects an object that it has stored, moved or copied. */
export const differingCause = 'the hashes in the store differ';

/** The reason why this machine currently can't open a file or a connection. */
export const tooManyFiles = 'too many files are open';

/** The reason why a response isn't that of a store, such as a network's sign-in page. */
export const foreignAnswerCause =
  "its server's answer isn't that of a store, but for example a sign-in page; open its address in a browser";

const missingRemote = "its remote isn't in the rclone configuration";

/**
 * The causes of failures, with patterns that detect them in rclone's error output. The output itself is never shown,
 * because it can contain addresses and names.
 */
const causes: readonly (readonly [pattern: RegExp, text: string])[] = [
  // Must come first: if a name lookup fails for this reason, the output also matches the patterns for name lookups.
  [/too many open files/i, tooManyFiles],
  [/didn't find section in config file/i, missingRemote],
  [
    /didn't find backend called/i,
    'this rclone was built without its kind of store; install rclone from https://rclone.org/install',
  ],
  [/hash(?:es)? differ|etag differ/i, differingCause],
  [/requesttimetooskewed/i, "this machine's clock differs from that of its server; correct the wrong one"],
  [/packet too long/i, "its login prints text, which SFTP doesn't permit: remove it from files such as .bashrc"],
  [
    /415 unsupported media type/i,
    'its server needs "headers = Content-Type,application/xml" in the rclone configuration',
  ],
  [/request stream is not seekable/i, unsignedCause],
  [/unable to decrypt configuration|config file password|couldn't decrypt/i, 'the rclone configuration is encrypted'],
  [/failed to load config/i, "the rclone configuration can't be read"],
  [
    /proxyconnect|proxy ?authentication ?required|"(?:https:\S+)?": (?:forbidden|bad gateway|service unavailable|gateway timeout)/i,
    'the proxy refuses the connection; check the variables HTTPS_PROXY and HTTP_PROXY',
  ],
  [/no such host|server misbehaving|lookup .* on /i, "its server's name can't be resolved"],
  [/connection refused/i, 'its server refuses connections'],
  [/i\/o timeout|deadline exceeded|timed ?out|network is unreachable|no route to host/i, silentCause],
  [
    /certificate has expired/i,
    "its server's certificate has expired, unless this machine's clock is wrong; its operators can renew it",
  ],
  [/certificate is (?:not )?valid for|any ip sans/i, "its server's certificate is for another name; check its address"],
  [
    /certificate|x509/i,
    "the certificate of its server isn't trusted; set RCLONE_CA_CERT to the file with that of its authority",
  ],
  [/http response to https client/i, "its server doesn't support https:// at this address; check the port"],
  [/tls: /i, "a secure connection to its server can't be established"],
  [/knownhosts: key is unknown/i, "the host key of its server isn't known; connect once with ssh"],
  [
    /host key mismatch|knownhosts: key mismatch/i,
    'the host key of its server has changed, or known_hosts lacks its key of the type that rclone uses; ask its operators, then add it with "ssh-keyscan"',
  ],
  [/knownhosts:/i, 'known_hosts revokes the host key of its server, or has a line that rclone rejects'],
  [
    /unable to authenticate|unauthorized|invalidaccesskeyid|signaturedoesnotmatch|status(?: ?code)?:? ?401|expiredtoken|invalid_grant|token expired/i,
    'its server rejects the credentials; change them with "rclone config"',
  ],
  [
    /rate ?limit|too many requests|slowdown|resource_exhausted|quota metric|download ?quota|status(?: ?code)?:? ?429/i,
    'its server is limiting the request rate',
  ],
  [/invalidobjectstate|restore first|archive tier|blobarchived/i, archivedCause],
  [/access ?denied|permission denied|forbidden|status(?: ?code)?:? ?403/i, deniedCause],
  [/file ?name too long|keytoolong|ssh_fx_bad_message/i, nameCause],
  [/(?:entity|payload|content) ?too ?large|status(?: ?code)?:? ?413/i, tooLargeCause],
  [/no space left|quota|insufficient storage|storage full|status(?: ?code)?:? ?507/i, fullCause],
  [
    /directory not found|error listing "[^"]*": file does not exist|nosuchbucket|bucket .*not exist/i,
    missingFolderCause,
  ],
  [/service ?unavailable|bad ?gateway|gateway ?time-?out/i, 'its server is temporarily unavailable'],
  [
    /xml syntax error|deserializ|expected element type|charsetreader|list files: eof|\b511 network/i,
    foreignAnswerCause,
  ],
  [/connection reset|broken pipe|\beof\b|connection lost|closed network connection/i, lostCause],
];

/** Returns the cause of a failure as a clause, based on rclone's error output; undefined if the cause is unknown. */
export function findStoreCause(output: string): string | undefined {
  return causes.find(([pattern]) => pattern.test(output))?.[1];
}

/**
 * Returns the cause of a failure as a clause. If the cause is unknown, names a command that shows the details. An
 * empty remote means all remotes. The command contains no path, because a folder's name could contain text that a
 * shell would execute.
 */
export function describeStoreFailure(output: string, remote: string): string {
  return findStoreCause(output) ?? `rclone failed; ${describeCheck(remote)} shows why`;
}

function describeCheck(remote: string): string {
  if (remote === '') return '"rclone listremotes" in a terminal';
  const name = `${getRemoteName(remote)}:`;
  return `"rclone lsd ${name.includes(' ') ? `'${name}'` : name}" in a terminal, with the path after the colon,`;
}

/**
 * Calls `work` and, if it rejects because the remote is missing, calls it once more. The configuration file is briefly
 * missing whenever rclone rewrites it to store data about a server.
 */
export async function repeatIfRemoteMissing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error && error.message === missingRemote)) throw error;
    return await work();
  }
}

/** Collects the end of rclone's error output, which is parsed but never shown. */
export class ErrorOutput {
  private readonly maxChars: number;
  private text = '';

  constructor(maxChars = maxStoredChars) {
    this.maxChars = maxChars;
  }

  add(piece: string): void {
    this.text = (this.text + piece).slice(-this.maxChars);
  }

  toString(): string {
    return this.text;
  }
}

/** The oldest version of rclone with all features that the extension and the service use. */
const oldestVersion = [1, 60, 1] as const;
const versionLimitMs = 20_000;

const usualFolders: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['/opt/homebrew/bin', '/usr/local/bin'],
  linux: ['/usr/bin', '/usr/local/bin', '/snap/bin', '/home/linuxbrew/.linuxbrew/bin'],
};

/**
 * Returns the path of rclone: the configured one or, if none is configured, one on the PATH or in a common location.
 * Returns undefined if no executable is found.
 */
export function findRclonePath(configured: string | undefined, env = process.env): string | undefined {
  if (configured !== undefined) return isProgram(configured) ? configured : undefined;
  const name = process.platform === 'win32' ? 'rclone.exe' : 'rclone';
  const folders = [...(env['PATH'] ?? '').split(nodePath.delimiter), ...(usualFolders[process.platform] ?? [])];
  // Ignores relative entries of the PATH, because they depend on the current folder.
  const paths = folders.filter((folder) => nodePath.isAbsolute(folder)).map((folder) => nodePath.join(folder, name));
  return paths.find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The oldest supported version of rclone, as text for messages. */
export const oldestRclone = oldestVersion.join('.');

/** Returns true if a version is older than the oldest supported version of rclone. */
export function isRcloneTooOld(version: string): boolean {
  return isRcloneBelow(version, oldestVersion);
}

/** Resolves to rclone's version, such as `1.60.1`; undefined if the program isn't rclone or can't be run. */
export async function readRcloneVersion(path: string): Promise<string | undefined> {
  const options = { env: createRcloneEnvironment(), timeout: versionLimitMs, windowsHide: true };
  const { stdout } = await promisify(execFile)(path, ['version'], options).catch(() => ({ stdout: '' }));
  return parseRcloneVersion(stdout);
}

/** Returns the version from the output of `rclone version`, without suffixes such as `-DEV`. */
function parseRcloneVersion(text: string): string | undefined {
  return /^rclone v(\d+\.\d+(?:\.\d+)?)/m.exec(text)?.[1];
}

/** Returns true if a version such as `1.60.1` is lower than `limit`, such as `[1, 60, 1]`. */
export function isRcloneBelow(version: string, limit: readonly number[]): boolean {
  const numbers = version.split('.').map(Number);
  for (const [index, minimum] of limit.entries()) {
    const difference = (numbers[index] ?? 0) - minimum;
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/**
 * Matches variables that limit what rclone does, change what it prints, write secrets to logs, write profiles, or open
 * a listener. Other variables, such as those that configure remotes or contain the configuration's password, are passed
 * on.
 */
const ignoredVariables =
  /^RCLONE_(?:RC(?:_.*)?|METRICS_.*|CPUPROFILE|MEMPROFILE|LOG_.*|SYSLOG.*|USE_JSON_LOG|VERBOSE|QUIET|DUMP.*|PROGRESS.*|STATS.*|DRY_RUN|INTERACTIVE|INCLUDE.*|EXCLUDE.*|FILTER.*|FILES_FROM.*|MAX_.*|MIN_.*)$/;

/** Returns an environment, overridden by `more`, in which rclone asks for no password and doesn't retry. */
export function createRcloneEnvironment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !ignoredVariables.test(name));
  const { AWS_CA_BUNDLE: certificates, ...rest } = Object.fromEntries(inherited);
  return {
    ...rest,
    // With AWS_CA_BUNDLE, rclone 1.60 can't connect to S3.
    ...(certificates !== undefined && { RCLONE_CA_CERT: certificates }),
    RCLONE_ASK_PASSWORD: 'false',
    RCLONE_RETRIES: '1',
    RCLONE_LOW_LEVEL_RETRIES: '1',
    RCLONE_CONTIMEOUT: '15s',
    ...more,
  };
}
