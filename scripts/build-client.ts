import { join } from 'node:path'
import { build } from 'esbuild'
import { bundledFiles, bundleOptions } from './build-options.ts'
import { repositoryRoot } from './repository.ts'

/** The entry point of `millrace/client`, from the root. */
export const clientEntry = 'packages/client/src/index.ts'

/** Builds the client into one file that runs in browsers, Node 20 and Bun. Returns the source files, from the root. */
export async function buildClient(outfile: string): Promise<string[]> {
  const { metafile } = await build({
    ...bundleOptions,
    entryPoints: [join(repositoryRoot, clientEntry)],
    outfile,
    platform: 'neutral',
    target: 'es2022',
    banner: {},
    external: [],
    metafile: true,
  })
  return bundledFiles(metafile)
}
