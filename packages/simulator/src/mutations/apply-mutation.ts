import { registerHooks } from 'node:module'
import type { Mutation } from './mutation.ts'

const root = '/packages/server/src/'

/** Replaces source text while modules are loaded. Must be called before the server is. Returns the edits that are not applied yet. */
export function applyMutation({ name, edits }: Mutation): ReadonlySet<string> {
  const open = new Set(edits.map(({ file }) => file))
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      const matching = edits.filter(({ file }) => url.endsWith(root + file))
      if (matching.length === 0) return loaded
      let source = String(loaded.source)
      for (const { file, find, replace } of matching) {
        if (source.split(find).length !== 2) throw new Error(`Mutation ${name}: the text to replace must occur once in ${file}: ${find}`)
        source = source.replace(find, () => replace)
        open.delete(file)
      }
      return { ...loaded, source }
    },
  })
  return open
}
