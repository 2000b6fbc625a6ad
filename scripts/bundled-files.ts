import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { repositoryRoot } from './repository.ts'

/** The source files of a build, one per line. The server serves no file with this ending. */
export const bundledFilesList = 'bundled-files.list'

/** What the plugin reads of a bundle, in any version of Vite. */
type Bundle = Readonly<Record<string, { readonly type: string; readonly moduleIds?: readonly string[] }>>

/** Collects the source files, from the root of the repository, of which a build by Vite contains something. */
export class BundledFiles {
  readonly #files = new Set<string>()

  readonly plugin = {
    name: 'bundled-files',
    generateBundle: (_options: unknown, bundle: Bundle): void => {
      for (const { moduleIds = [] } of Object.values(bundle)) {
        // Without the marks of virtual modules and the queries of plugins.
        for (const id of moduleIds) if (id.startsWith(repositoryRoot)) this.#files.add(relative(repositoryRoot, id.replace(/\?.*$/, '')))
      }
    },
  }

  /** Writes the list into the folder of the build. */
  write(folder: string, isListed: (path: string) => boolean = () => true): void {
    writeFileSync(join(folder, bundledFilesList), [...this.#files].filter(isListed).sort().join('\n'))
  }
}

export const readBundledFiles = (folder: string): string[] => readFileSync(join(folder, bundledFilesList), 'utf8').split('\n')
