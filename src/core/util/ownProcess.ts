import type { ChildProcess, ChildProcessByStdio } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { getErrorCode } from './errorFacts.ts';
import { isJsonObject } from './json.ts';

/** The identity of a process, as recorded in a file that other processes read. */
interface ProcessDescription {
  readonly host: string;
  readonly pid: number;
  /** On Linux, the namespaces in which the process's ID and addresses are valid. */
  readonly namespaces?: ProcessNamespaces | undefined;
  /** On Linux, boot ID and start time of the process, because process IDs are reused. */
  readonly start?: string | undefined;
}

interface ProcessNamespaces {
  readonly pid: string;
  readonly net: string;
}

/** A process description as read from a file, with unchecked types. */
type RecordedProcess = Readonly<Partial<Record<keyof ProcessDescription, unknown>>>;

const ownNamespaces = readNamespaces();

/** Returns a description that identifies this process. */
export function describeProcess(): ProcessDescription {
  const start = readStart(process.pid);
  return {
    host: hostname(),
    pid: process.pid,
    ...(ownNamespaces && { namespaces: ownNamespaces }),
    ...(start !== undefined && { start }),
  };
}

/** Returns true if a recorded process ID is valid here: of this machine, and not of another container. */
export function isComparable({ host, namespaces }: RecordedProcess): boolean {
  if (host !== hostname()) return false;
  return !ownNamespaces || !isJsonObject(namespaces) || namespaces['pid'] === ownNamespaces.pid;
}

/** Returns true if a process is running on this machine under any user account. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process exists, but can't be signaled: it belongs to another user or, on Windows, has elevated privileges.
    return getErrorCode(error) === 'EPERM';
  }
}

/**
 * Returns true if the recorded process is still running on this machine under this user's account. On Linux, detects
 * whether its ID has been reused. The record of a process that has exited can't be trusted, because another user's
 * program may now use its port. A process in a container that shares this machine's network, such as Flatpak's, can't
 * be checked and counts as running.
 */
export function isOwnProcess(recorded: RecordedProcess): boolean {
  const { host, pid, namespaces, start } = recorded;
  if (host !== hostname() || typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0) return false;
  if (!isComparable(recorded)) return isJsonObject(namespaces) && namespaces['net'] === ownNamespaces?.net;
  try {
    process.kill(pid, 0);
    return typeof start !== 'string' || start === readStart(pid);
  } catch {
    return false;
  }
}

/**
 * Returns the system's boot ID and the number of clock ticks from boot to the start of a process; undefined if they
 * can't be read, as on systems other than Linux.
 */
function readStart(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in parentheses, can contain spaces and parentheses.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    return `${boot}/${ticks}`;
  } catch {
    return undefined;
  }
}

/** Returns the namespaces of this process; undefined if they can't be read, as on systems other than Linux. */
function readNamespaces(): ProcessNamespaces | undefined {
  try {
    return { pid: readlinkSync('/proc/self/ns/pid'), net: readlinkSync('/proc/self/ns/net') };
  } catch {
    return undefined;
  }
}

/** A process whose input and output are pipes. */
export type PipedChild = ChildProcessByStdio<Writable, Readable, Readable>;

/** Returns true if a child has pipes. With too many open files, it has none and emits an error event. */
export function hasPipes(child: ChildProcess): child is PipedChild {
  return Boolean(child.stdin && child.stdout && child.stderr);
}

/**
 * Returns the environment for starting the local service: the variables of this process, overridden by `overrides`.
 * Sets `UV_THREADPOOL_SIZE` to 32 threads unless it is already set, because each folder whose disk hangs can occupy two
 * of the threads for asynchronous file system calls (D42: hanging disks). Sets `MALLOC_ARENA_MAX` in the same way: with
 * more of glibc's memory pools than two, each keeps what the threads that used it have freed.
 */
export function createServiceEnvironment(overrides: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return { UV_THREADPOOL_SIZE: '32', MALLOC_ARENA_MAX: '2', ...process.env, ...overrides };
}
