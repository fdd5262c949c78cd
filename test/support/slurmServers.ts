import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { readRecordedPlaces } from './editor/places.ts';
import { eventually } from './eventually.ts';
import { killIfRunning } from './processTree.ts';
import { ReservedPort } from './reservedPort.ts';

const { newestSlurm } = readRecordedPlaces();
const installation = 'sudo apt-get install slurmctld slurmd slurm-client';

/** True where the tests of a cluster run. On Linux, missing programs are an error. */
export const canRunSlurm = process.platform === 'linux';

/** The names of the nodes. */
export const nodeNames = ['dtn1', 'dtn2'] as const;
/** The name of a node. */
export type NodeName = (typeof nodeNames)[number];

/** The installed Slurm, or the newest one of Debian, which the setup unpacks. */
export type SlurmVersion = 'installed' | 'newest';

/** The version to test with: `DATA_TRANSFER_TEST_SLURM` may choose the newest. */
const chosenVersion: SlurmVersion = process.env['DATA_TRANSFER_TEST_SLURM'] === 'newest' ? 'newest' : 'installed';

/** The version to test with and, if it is there and not chosen anyway, the newest one. */
export const slurmVersions: readonly SlurmVersion[] =
  newestSlurm === undefined || chosenVersion === 'newest' ? [chosenVersion] : [chosenVersion, 'newest'];

/** Options of a cluster. */
interface ClusterOptions {
  /** Lines that are added to its configuration. */
  readonly more?: readonly string[];
  readonly version?: SlurmVersion;
}

/** A folder with the commands and daemons, and what only those of the newest version need. */
interface Programs {
  readonly commands: string;
  readonly daemons: string;
  readonly plugins?: string;
}

function findPrograms(version: SlurmVersion): Programs {
  if (version === 'installed') return { commands: '/usr/bin', daemons: '/usr/sbin' };
  if (newestSlurm === undefined) throw new Error('The newest Slurm is missing: run "npm run setup".');
  const bin = nodePath.join(newestSlurm, 'bin');
  const libraries = nodePath.join(newestSlurm, 'root/usr/lib');
  const folder = readdirSync(libraries).find((name) => existsSync(nodePath.join(libraries, name, 'slurm-wlm')));
  return { commands: bin, daemons: bin, plugins: nodePath.join(libraries, folder ?? '', 'slurm-wlm') };
}

/**
 * A Slurm cluster of two nodes on this machine, which listens on loopback only and needs no accounts. While it runs,
 * the commands of its version come first on the `PATH` of this process, and `SLURM_CONF` leads them to it.
 */
export class SlurmServers {
  readonly root: string;
  private readonly ports: readonly ReservedPort[];
  private readonly processes = new Map<string, ChildProcess>();
  private readonly programs: Programs;
  private readonly configBefore = process.env['SLURM_CONF'];
  private readonly pathBefore = process.env['PATH'] ?? '';

  private constructor(root: string, ports: readonly ReservedPort[], programs: Programs) {
    this.root = root;
    this.ports = ports;
    this.programs = programs;
  }

  /** Starts the cluster, and waits until both nodes take jobs. Throws an error with advice if Slurm is missing. */
  static async start({ more = [], version = chosenVersion }: ClusterOptions = {}): Promise<SlurmServers> {
    const programs = findPrograms(version);
    const { commands, daemons } = programs;
    const needed = [`${daemons}/slurmctld`, `${daemons}/slurmd`, `${commands}/sbatch`];
    const missing = needed.find((program) => !existsSync(program));
    if (missing !== undefined) throw new Error(`These tests need ${missing}: run \`${installation}\`.`);
    const root = await fs.realpath(await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-slurm-')));
    const ports: ReservedPort[] = [];
    while (ports.length <= nodeNames.length) ports.push(await ReservedPort.reserve());
    const servers = new SlurmServers(root, ports, programs);
    await fs.writeFile(servers.configFile, [...servers.describe(), ...more, ''].join('\n'));
    for (const folder of ['state', ...nodeNames.map((name) => `spool-${name}`)])
      await fs.mkdir(nodePath.join(root, folder));
    process.env['SLURM_CONF'] = servers.configFile;
    process.env['PATH'] = [commands, servers.pathBefore].join(nodePath.delimiter);
    try {
      servers.startController();
      for (const name of nodeNames) servers.startNode(name);
      await servers.waitForNodes();
    } catch (error) {
      await servers.stop();
      throw error;
    }
    return servers;
  }

  get configFile(): string {
    return nodePath.join(this.root, 'slurm.conf');
  }

  /** The folder of the commands of Slurm. */
  get commandFolder(): string {
    return this.programs.commands;
  }

  /** Runs a command of Slurm and returns its output. */
  run(command: string, ...args: readonly string[]): string {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  }

  startController(): void {
    this.spawn('slurmctld', [`${this.programs.daemons}/slurmctld`, '-D', '-f', this.configFile]);
  }

  startNode(name: NodeName): void {
    const { daemons } = this.programs;
    this.spawn(name, [`${daemons}/slurmd`, '-D', '-N', name, '-f', this.configFile, '-d', `${daemons}/slurmstepd`]);
  }

  /** Waits until both nodes can run tasks. */
  async waitForNodes(): Promise<void> {
    await eventually(async () => {
      const states = await Promise.resolve(this.tryRun('sinfo', '--noheader', '--Node', '--format=%N %t'));
      return nodeNames.every((name) => states?.includes(`${name} idle`) === true) ? true : undefined;
    });
  }

  /** Stops the controller, which saves the state of all tasks; the nodes go on. */
  async stopController(): Promise<void> {
    await this.end('slurmctld', 'SIGTERM');
  }

  /** Sends a signal to the controller: after SIGSTOP, commands wait for an answer, and after SIGCONT they get it. */
  signalController(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.processes.get('slurmctld')?.kill(signal);
  }

  /** Kills a node as a power failure does: the node's daemon, and everything that runs there. */
  async killNode(name: NodeName): Promise<void> {
    await this.end(name, 'SIGKILL');
    for (const pid of this.listTaskProcesses(name)) killIfRunning(pid);
  }

  /** Sends a signal to everything that runs on a node: SIGSTOP cuts it off, and SIGCONT brings it back. */
  signalNode(name: NodeName, signal: 'SIGSTOP' | 'SIGCONT'): void {
    const daemon = this.processes.get(name)?.pid;
    for (const pid of [...(daemon === undefined ? [] : [daemon]), ...this.listTaskProcesses(name)])
      process.kill(pid, signal);
  }

  /** Returns the processes of the tasks on a node, and those that Slurm starts for them. */
  listTaskProcesses(name: NodeName): readonly number[] {
    return this.listProcesses(`SLURMD_NODENAME=${name}`);
  }

  /** Ends all tasks and daemons, and removes the folder of the cluster. */
  async stop(): Promise<void> {
    this.tryRun('scancel', `--user=${os.userInfo().username}`);
    for (const name of [...this.processes.keys()]) await this.end(name, 'SIGKILL');
    for (const pid of this.listProcesses(`SLURM_CONF=${this.configFile}`)) if (pid !== process.pid) killIfRunning(pid);
    process.env['PATH'] = this.pathBefore;
    if (this.configBefore === undefined) delete process.env['SLURM_CONF'];
    else process.env['SLURM_CONF'] = this.configBefore;
    for (const port of this.ports) await port.release();
    await fs.rm(this.root, { recursive: true, force: true, maxRetries: 5 });
  }

  private tryRun(command: string, ...args: readonly string[]): string | undefined {
    try {
      return this.run(command, ...args);
    } catch {
      return undefined;
    }
  }

  private spawn(name: string, [program, ...args]: readonly [string, ...string[]]): void {
    const child = spawn(program, args, { stdio: 'ignore' });
    child.unref();
    this.processes.set(name, child);
  }

  private async end(name: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.processes.get(name);
    this.processes.delete(name);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.ref();
    child.kill(signal);
    await ended;
  }

  /** Returns the processes of this cluster with a setting in their environment. */
  private listProcesses(setting: string): readonly number[] {
    const settings = [setting, `SLURM_CONF=${this.configFile}`];
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return pids.filter((pid) => hasSettings(pid, settings)).map(Number);
  }

  private describe(): readonly string[] {
    const [controller, ...nodes] = this.ports.map(({ number }) => number);
    const file = (name: string): string => nodePath.join(this.root, name);
    const user = os.userInfo().username;
    return [
      ...['ClusterName=lab', `SlurmctldHost=${os.hostname()}(127.0.0.1)`, `SlurmctldPort=${controller}`],
      ...['CommunicationParameters=NoInAddrAny,NoCtldInAddrAny', 'AuthType=auth/none', 'CredType=cred/none'],
      ...[`SlurmUser=${user}`, `SlurmdUser=${user}`, `StateSaveLocation=${file('state')}`],
      ...[`SlurmdSpoolDir=${file('spool-%n')}`, `SlurmctldPidFile=${file('slurmctld.pid')}`],
      ...[`SlurmdPidFile=${file('%n.pid')}`, `SlurmctldLogFile=${file('slurmctld.log')}`],
      ...[`SlurmdLogFile=${file('%n.log')}`, 'ProctrackType=proctrack/linuxproc', 'TaskPlugin=task/none'],
      ...['SelectType=select/linear', 'SwitchType=switch/none', 'MpiDefault=none', 'SlurmdTimeout=10'],
      ...['ReturnToService=2', 'KillWait=5'],
      ...(this.programs.plugins === undefined ? [] : [`PluginDir=${this.programs.plugins}`]),
      'SchedulerParameters=sched_interval=2,sched_min_interval=200000,batch_sched_delay=0,bf_interval=3',
      ...nodeNames.map(
        (name, index) =>
          `NodeName=${name} NodeAddr=127.0.0.1 NodeHostname=${os.hostname()} Port=${nodes[index]} CPUs=1`,
      ),
      `PartitionName=xfer Nodes=${nodeNames.join(',')} Default=YES MaxTime=INFINITE State=UP`,
    ];
  }
}

function hasSettings(pid: string, settings: readonly string[]): boolean {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    return settings.every((setting) => environment.includes(setting));
  } catch {
    return false;
  }
}
