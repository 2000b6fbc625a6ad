import { join } from 'node:path'
import { build } from 'esbuild'
import { swaggerUiFiles } from '../packages/server/src/http/api-reference.ts'
import { bundledFiles, bundleOptions } from './build-options.ts'
import { copyServerFiles, serverEntries } from './build-server.ts'
import { repositoryRoot } from './repository.ts'

/**
 * Builds the server and the command line of the package into a folder. Commands that open the database share the files of the server: separate bundles
 * are twice as large (8.7 instead of 4.4 MB) and load no faster. Each group of commands is a file of its own. Returns the source files, from the root.
 */
export async function buildPrograms(folder: string): Promise<string[]> {
  const { metafile } = await build({
    ...bundleOptions,
    entryPoints: { ...serverEntries, cli: join(repositoryRoot, 'packages/cli/src/main.ts') },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    splitting: true,
    metafile: true,
  })
  await copyServerFiles(folder)
  return [...bundledFiles(metafile), ...swaggerUiFiles.map((name) => `node_modules/swagger-ui-dist/${name}`)]
}
