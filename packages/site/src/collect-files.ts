import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { UserConfig } from 'vitepress'

type Plugin = NonNullable<NonNullable<UserConfig['vite']>['plugins']>[number]

/** Writes a list of the source files, from the root of the repository, of which the built site contains something. */
export function collectFiles(root: string, list: string): Plugin {
  const files = new Set<string>()
  return {
    name: 'collect-files',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue
        // Without the marks of virtual modules and the queries of plugins.
        for (const id of chunk.moduleIds) if (id.startsWith(root)) files.add(relative(root, id.replace(/\?.*$/, '')))
      }
      writeFileSync(
        list,
        [...files]
          .filter((path) => path.startsWith('node_modules/'))
          .sort()
          .join('\n'),
      )
    },
  }
}
