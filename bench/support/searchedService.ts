import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { builtProgram, startLocalService, type StartedService } from '../../test/support/localService.ts';

interface Answer {
  readonly resources: readonly { readonly path: string }[];
}

/** The local service over one folder, in a process of its own, called like any HTTP server. */
export class SearchedService {
  private readonly service: StartedService;

  private constructor(service: StartedService) {
    this.service = service;
  }

  /** Resolves when it listens; it has then begun to read the folder. */
  static async start(folder: string): Promise<SearchedService> {
    return new SearchedService(
      await startLocalService({ databases: [{ name: 'Tree', folder }] }, { program: builtProgram }),
    );
  }

  /** How many files the page of a search holds. Waits for the first scan, as every search does. */
  async search(query: string, more: object = {}): Promise<number> {
    const response = await fetch(`${this.service.address}/api/v1/files`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.service.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ database: 'Tree', orcid: '0000-0002-1825-0097', query, limit: 100, ...more }),
    });
    assert.equal(response.status, 200);
    return ((await response.json()) as Answer).resources.length;
  }

  /** The most memory that it has taken so far, in megabytes. */
  peakMegabytes(): number {
    const status = fs.readFileSync(`/proc/${this.service.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
  }

  /** Resolves when it has nothing to do any more: the look that follows a long scan is over. */
  async rests(): Promise<void> {
    for (let before = -1, now = this.ticks(); now - before > 2; [before, now] = [now, this.ticks()]) {
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  async stop(): Promise<void> {
    await this.service.stop();
  }

  /** Hundredths of a second that it has worked. */
  private ticks(): number {
    const fields = fs.readFileSync(`/proc/${this.service.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  }
}
