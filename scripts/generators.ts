import { configPage } from './config-docs.ts'
import { errorPage } from './error-docs.ts'
import { openApiText } from './openapi-document.ts'

export interface FileGenerator {
  name: string
  /** The generated files: their text by their path from the root. */
  make(): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>
  /** A folder in which nothing else may lie; what is left over in it is removed. */
  ownedFolder?: string
}

/** Everything in the repository that is made from something else in it. */
export const generators: readonly FileGenerator[] = [
  { name: 'settings', make: () => ({ 'docs/config.md': configPage() }) },
  { name: 'errors', make: () => ({ 'docs/errors.md': errorPage() }) },
  { name: 'API', make: async () => ({ 'docs/openapi.json': await openApiText() }) },
]
