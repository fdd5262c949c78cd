import * as answers from './answers.ts';
import * as sharing from './sharing.ts';
import { metadataSchema, searchSchema, specificSchema, transferSchema } from './requests.ts';

/** The bodies of requests, by their names in the OpenAPI document. */
export const requestSchemas = {
  SearchRequest: searchSchema,
  SearchSpecific: specificSchema,
  MetadataRequest: metadataSchema,
  TransferRequest: transferSchema,
  LeaseRequest: sharing.leaseSchema,
  LeasedFolder: sharing.leasedFolderSchema,
} as const;

/** The bodies of answers, by their names in the OpenAPI document. */
export const answerSchemas = {
  Root: answers.rootAnswer,
  Health: answers.healthAnswer,
  Database: answers.databaseAnswer,
  DatabaseList: answers.databasesAnswer,
  SearchParameters: answers.searchParametersAnswer,
  File: answers.fileAnswer,
  FileList: answers.filesAnswer,
  TransferAccepted: answers.acceptedAnswer,
  TransferStatus: answers.statusAnswer,
  LeaseLine: sharing.leaseLineAnswer,
  LeaseGrant: sharing.leaseGrantAnswer,
  LeaseEvent: sharing.leaseEventAnswer,
  ServiceState: sharing.serviceStateAnswer,
  OpenApiDocument: answers.openApiAnswer,
  Problem: answers.problemAnswer,
} as const;
