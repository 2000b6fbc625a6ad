import { proofPage } from '../proof/proof-page.ts'
import { apiPages } from './api-docs/api-pages.ts'
import type { OpenApiDocument } from './api-docs/openapi-types.ts'
import { benchmarkPages } from './benchmark-pages.ts'
import { cliPage } from './cli-docs.ts'
import { configPage } from './config-docs.ts'
import { errorPage } from './error-docs.ts'
import { describeApi } from './openapi-document.ts'

export interface FileGenerator {
  name: string
  /** Text of each generated file, by its path from the root. */
  make(): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>
  /** A folder that holds generated files only; other files in it are removed. */
  ownedFolder?: string
}

/** All generated files of the repository. */
export const generators: readonly FileGenerator[] = [
  { name: 'settings', make: () => ({ 'docs/config.md': configPage() }) },
  { name: 'errors', make: () => ({ 'docs/errors.md': errorPage() }) },
  { name: 'command line', make: async () => ({ 'docs/cli.md': await cliPage() }) },
  // The document shows each change of the API as a change of this file.
  { name: 'API', make: async () => ({ 'docs/openapi.json': `${JSON.stringify((await describeApi()).document, null, 2)}\n` }) },
  { name: 'API reference', make: apiReference, ownedFolder: 'docs/api' },
  { name: 'benchmarks', make: () => benchmarkPages() },
  { name: 'proofs', make: () => ({ 'docs/proofs.md': proofPage() }) },
]

async function apiReference(): Promise<Record<string, string>> {
  const { document, sockets } = await describeApi()
  // As JSON: defaults that are undefined are not part of it.
  return apiPages(JSON.parse(JSON.stringify(document)) as OpenApiDocument, sockets)
}
