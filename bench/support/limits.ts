/**
 * The limits of the measurements of each bench. A name states the time, or what it names, divided by that of the
 * reference after the slash; without a reference, it states the unit.
 */
export const limits = {
  catalogue: {
    'first scan of 1,000,000 files / find': 3,
    'first scan of 1,000,000 files, peak memory in MB': 240,
    'search of 1,000,000 files for a common word / grep': 3,
    'search of 1,000,000 files for two words / grep': 1,
    'search of 1,000,000 files for a rare word / grep': 0.3,
    'search of 1,000,000 files, everything at offset 500,000 / grep': 1,
    'finding a change among 1,000,000 watched files, in seconds': 2,
    'watching 1,000,000 files, memory in MB': 150,
  },
  cli: {
    'data-transfer --version / node -e 0': 2.5,
    'search of 10,000 files / bare undici in a new process': 1.6,
    'locked dry run of 100,000 files, peak memory in MB': 300,
  },
  client: {
    'search of 10,000 files / bare undici and JSON.parse': 1.5,
    'search of 10,000 files, peak memory / bare undici and JSON.parse': 2,
    '5,000 status requests / bare undici': 1.1,
    'metadata of 20,000 IDs / ten times that of 2,000': 1.2,
    'metadata of 20,000 IDs / bare undici': 1.5,
  },
  cluster: {
    '2 GB in 400 files on two nodes, disks of 100 MB/s / one node': 0.55,
    '20,000 files of 10 kB, CPU time / no cluster': 1.15,
    'commands of Slurm in ten idle seconds': 0,
  },
  editor: {
    'activation / an empty extension in the same window': 2,
    'activation / an empty extension alone': 2,
    '50,000 results: expand, go to the end, check / bare rows': 3,
    '50,000 results, heap growth / bare rows': 1.7,
    'metadata page / an empty page': 3,
    'first paint of 3,000 ended transfers / ten': 1.2,
    'first paint of 50,000 results / ten': 1.2,
  },
  monitor: {
    'requests for 1,000 transfers in a day, deviation from the schedule': 0.1,
    'requests for 1,000 transfers, CPU time / 1 % of a core': 1,
    'activation with 20,000 ended transfers / none': 1.1,
    'list of the last 20 of 20,000 ended transfers / of 20': 1.1,
    'list of 20,000 ended transfers / reading and parsing': 3,
    'idle service, memory / an empty Node.js': 1.75,
    'idle service, seconds of CPU time in 30 s': 0.05,
  },
  movement: {
    'one file of 2 GB between folders / cp and sha256sum': 0.6,
    '20,000 files of 10 kB between folders / cp and sha256sum': 1.5,
    '20,000 files of 10 kB, CPU time / rclone copy and check': 0.85,
    '200 transfers, 50 clients, slowest of 1,000 requests / the median': 12,
  },
  science: {
    'citing 10,000 files / JSON.stringify': 3,
    'export of 100,000 rows / JSON.stringify': 3,
    'match of 100,000 IDs in 1,000,000 files / bare requests': 2,
  },
  stores: {
    'scan with a hidden folder of 16,000 files by SFTP / without it': 1.2,
    'first scan of 200,000 files by SFTP / rclone lsjson': 1.6,
    'first scan of 200,000 files by SFTP, peak memory in MB': 200,
    '20,000 files of 10 kB from SFTP / rclone copy and sha256sum': 1.3,
    '20,000 files of 10 kB to SFTP / rclone copy': 3,
    'one file of 2 GB from SFTP / rclone copy and sha256sum': 1.3,
    'one file of 2 GB to SFTP / rclone copy': 1.5,
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, number>>>>;

/** The name of a bench. */
export type Bench = keyof typeof limits;
