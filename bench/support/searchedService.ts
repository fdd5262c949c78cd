import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { builtProgram, startLocalService, type StartedService } from '../../test/support/localService.ts';
import { waitForScans } from '../../test/support/waitForScans.ts';
import { getCpuSeconds } from './rounds.ts';

interface Answer {
  readonly resources: readonly { readonly path: string }[];
}

/** A local service that serves one folder, in a separate process, called over HTTP. */
export class SearchedService {
  private readonly service: StartedService;

  private constructor(service: StartedService) {
    this.service = service;
  }

  /** Starts a service. Resolves when it is listening, while it still reads the folder. */
  static async start(folder: string): Promise<SearchedService> {
    return new SearchedService(
      await startLocalService({ databases: [{ name: 'Tree', folder }] }, { program: builtProgram }),
    );
  }

  /** Resolves when the first scan has ended. */
  async scanned(): Promise<void> {
    await waitForScans(this.service);
  }

  /** Resolves to the number of files in a page of search results. */
  async search(query: string, more: object = {}): Promise<number> {
    const response = await fetch(`${this.service.address}/api/v1/files`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.service.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ database: 'Tree', orcid: '0000-0002-1825-0097', query, limit: 100, ...more }),
    });
    assert.equal(response.status, 200);
    return ((await response.json()) as Answer).resources.length;
  }

  /** Returns the peak memory of the service so far, in megabytes. */
  peakMegabytes(): number {
    const status = fs.readFileSync(`/proc/${this.service.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
  }

  /** Resolves when the service is idle, so that the check that follows a long scan has ended. */
  async rests(): Promise<void> {
    const { pid } = this.service;
    for (let before = -1, now = getCpuSeconds(pid); now - before > 0.02; [before, now] = [now, getCpuSeconds(pid)]) {
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  async stop(): Promise<void> {
    await this.service.stop();
  }
}
