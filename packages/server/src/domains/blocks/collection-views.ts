import { allBlocks } from './system-blocks/all-blocks.ts'
import { allWorkers } from './worker-types/all-workers.ts'

type View = Readonly<Record<string, unknown>>

/** By collection, each thing by its name there. */
function groupByCollection<T>(things: readonly T[], place: (thing: T) => readonly [collection: string, name: string, content: object]): View {
  const view: Record<string, Record<string, object>> = {}
  for (const thing of things) {
    const [collection, name, content] = place(thing)
    view[collection] = { ...view[collection], [name]: content }
  }
  return view
}

const workers = (): View => groupByCollection(allWorkers, ({ collection, metadata }) => [collection, metadata.type, metadata])

const blocks = (): View => ({
  millrace: {
    block_types: Object.fromEntries(
      allBlocks.map(({ slug, name, description, isProtected, checksum, version, capabilities, fields }) => [
        slug,
        {
          slug,
          name,
          description,
          is_protected: isProtected,
          logo_url: null,
          documentation_url: null,
          code_example: null,
          block_schema: { checksum, version, capabilities, fields },
        },
      ]),
    ),
  },
})

const none = (): View => ({})

/**
 * What there is to choose from, by the names of the views that existing clients ask for. Nothing is fetched from anywhere; flows come
 * with no server, so that the views of them are empty.
 */
const views: Readonly<Record<string, () => View>> = {
  'aggregate-worker-metadata': workers,
  'aggregate-block-metadata': blocks,
  'aggregate-flow-metadata': none,
  'demo-flows': none,
}

export const collectionView = (name: string): View | undefined => (Object.hasOwn(views, name) ? views[name]?.() : undefined)
