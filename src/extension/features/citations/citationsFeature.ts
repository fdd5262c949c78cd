import { command } from '../../editor/contributions.ts';
import { cite, copyAvailabilityStatement } from './cite.ts';

/** The commands of citations. */
export const citationCommands = {
  'dataTransfer.cite': command(cite, { takes: ['file', 'fileRef', 'search', 'transfer', 'document'], icon: 'quote' }),
  'dataTransfer.copyAvailabilityStatement': command(copyAvailabilityStatement, {
    takes: ['file', 'fileRef', 'search', 'transfer', 'document'],
  }),
};

declare module '../../editor/contributions.ts' {
  interface CommandTables {
    readonly citations: typeof citationCommands;
  }
}
